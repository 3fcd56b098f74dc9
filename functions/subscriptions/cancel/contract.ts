import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { CustomerInput } from '#shared/contract/party.ts';
import { CancellationRecord } from '#shared/subscriptions/contract.ts';
import { Uuid } from '#shared/contract/text.ts';
import { cancellationReasons } from '#shared/subscriptions/model.ts';

export const CancelSubscription = contract({
  operationId: 'cancelSubscription',
  method: 'POST',
  path: '/order/v1/banking/subscriptions/{id}/cancellations',
  tag: 'Subscriptions',
  summary: 'Request the cancellation of a subscription, or withdraw it',
  description:
    'Of an accepted subscription the request goes to the bank of the payer, which may take hours: it is `PENDING` until then, and one can be open at a time. A subscription that is not authorized yet is withdrawn at once: the request is `ACCEPTED`, the subscription `CANCELED`, and so is its first charge if it is not paid. A subscription can have 50 requests.',
  idempotencyKey: 'required',
  params: z.strictObject({ id: Uuid.meta({ description: 'The subscription.' }) }),
  query: z.strictObject({}),
  body: z.strictObject({
    reason: z.enum(cancellationReasons).meta({ description: 'Why.' }),
    customer: CustomerInput.optional().meta({ description: 'Who asked you for it.' }),
  }),
  answers: { 201: CancellationRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
