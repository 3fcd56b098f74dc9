import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { ChargeCancellationRecord } from '#shared/scheduled-payments/contract.ts';
import { Uuid } from '#shared/contract/text.ts';
import { requestedReasons } from '#shared/scheduled-payments/model.ts';

export const CancelScheduledPayment = contract({
  operationId: 'cancelScheduledPayment',
  method: 'POST',
  path: '/public/v1/banking/subscriptions/{id}/payments/{paymentId}/cancellations',
  tag: 'Scheduled payments',
  summary: 'Request the cancellation of a scheduled payment',
  description:
    'Until 22:00 in Brasilia on the day before it settles, one open request at a time. The payment is canceled when the bank of the payer accepts the request; one that is still `INITIAL` at once.',
  idempotencyKey: 'required',
  params: z.strictObject({
    id: Uuid.meta({ description: 'The subscription.' }),
    paymentId: Uuid.meta({ description: 'The scheduled payment.' }),
  }),
  query: z.strictObject({}),
  body: z.strictObject({
    reason: z
      .enum(requestedReasons)
      .optional()
      .meta({ description: 'Why.', openapi: { default: 'REQUESTED_BY_RECEIVER' } }),
  }),
  answers: { 201: ChargeCancellationRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
