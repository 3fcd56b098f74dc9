import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { CustomerInput } from '#shared/contract/party.ts';
import { Uuid } from '#shared/contract/text.ts';
import { CancellationRecord } from '#shared/subscriptions/contract.ts';
import { openCancellation } from '#shared/subscriptions/examples.ts';
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
  params: { id: Uuid.meta({ description: 'The subscription.' }) },
  body: {
    reason: z.enum(cancellationReasons).meta({ description: 'Why.' }),
    customer: CustomerInput.optional().meta({ description: 'Who asked you for it.' }),
  },
  responses: { 201: CancellationRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof CancelSubscription> => ({
  request: { params: { id: exampleIds.subscriptionId }, body: { reason: 'REQUESTED_BY_RECEIVER' } },
  response: { status: 201, body: openCancellation },
});
