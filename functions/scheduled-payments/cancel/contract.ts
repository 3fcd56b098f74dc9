import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { ChargeCancellationRecord } from '#shared/scheduled-payments/contract.ts';
import { openChargeCancellation } from '#shared/scheduled-payments/examples.ts';
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
  params: {
    id: Uuid.meta({ description: 'The subscription.' }),
    paymentId: Uuid.meta({ description: 'The scheduled payment.' }),
  },
  body: {
    reason: z
      .enum(requestedReasons)
      .optional()
      .meta({ description: 'Why.', openapi: { default: 'REQUESTED_BY_RECEIVER' } }),
  },
  responses: { 201: ChargeCancellationRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof CancelScheduledPayment> => ({
  request: {
    params: { id: exampleIds.subscriptionId, paymentId: exampleIds.paymentId },
    body: { reason: 'REQUESTED_BY_RECEIVER' },
  },
  response: { status: 201, body: openChargeCancellation },
});
