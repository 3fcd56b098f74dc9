import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds, exampleTimes } from '#shared/contract/examples.ts';
import { PayInId, PayInRecord } from '#shared/pay-ins/contract.ts';
import { pendingPayIn } from '#shared/pay-ins/examples.ts';

export const CancelPayIn = contract({
  operationId: 'cancelPayIn',
  method: 'POST',
  path: '/order/v1/banking/order-payins/{id}/cancellations',
  tag: 'Pay-ins',
  summary: 'Cancel a pay-in that is not paid',
  description:
    'Takes the charge away, so that nobody can pay it any more, and sends `ORDER-PAYIN.CANCELED`. It has neither body nor key: a repetition answers with the same record and notifies nobody again. A subscription that waits for it as its first charge is `CANCELED` with it.',
  onceBy: 'STATE',
  params: { id: PayInId },
  responses: { 200: PayInRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof CancelPayIn> => ({
  request: { params: { id: exampleIds.payInId } },
  response: { status: 200, body: { ...pendingPayIn, status: 'CANCELED', canceledAt: exampleTimes.paid } },
});
