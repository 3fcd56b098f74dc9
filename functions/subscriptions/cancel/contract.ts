import * as z from 'zod';
import { contract } from '../../../shared/contracts/contract.ts';
import { DocumentInput } from '../../../shared/contracts/party.ts';
import { CancellationRecord } from '../../../shared/contracts/subscription.ts';
import { Uuid } from '../../../shared/contracts/text.ts';
import { CANCELLATION_REASONS } from '../../../shared/domain/subscription.ts';

export const CancelSubscription = contract({
  operationId: 'cancelSubscription',
  method: 'POST',
  path: '/order/v1/banking/subscriptions/{id}/cancellations',
  tag: 'Subscriptions',
  summary: 'Request the cancellation of an accepted subscription',
  description:
    'One request can be open at a time. The subscription is canceled when the bank of the payer accepts the request.',
  idempotencyKey: 'required',
  params: z.strictObject({ id: Uuid }),
  query: z.strictObject({}),
  body: z.strictObject({
    reason: z.enum(CANCELLATION_REASONS),
    customer: z.strictObject({ document: DocumentInput }).optional(),
  }),
  answers: { 201: CancellationRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
