import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { AmountToReturn } from '#shared/contract/amount.ts';
import { brl, exampleIds } from '#shared/contract/examples.ts';
import { CreatedCreditReturn, CreditId } from '#shared/credits/contract.ts';

export const ReturnCredit = contract({
  operationId: 'returnCredit',
  method: 'POST',
  path: '/order/v1/banking/credits/{id}/return',
  tag: 'Credits',
  summary: 'Return unexpected money',
  description:
    'Asks for the return of a credit to its payer, or of a part of it, within 90 days. The amount is reserved at once. The return ends with the notification `CREDIT.RETURNED`, or with `CREDIT.RETURN_FAILED`: then the amount is available again, and another return may be requested. The credit stays `OPEN`, with `returnedAmount`, until all has gone back. The idempotency key never expires.',
  idempotencyKey: 'required',
  params: { id: CreditId },
  body: {
    amount: AmountToReturn,
  },
  responses: { 201: CreatedCreditReturn },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof ReturnCredit> => ({
  request: { params: { id: exampleIds.creditId }, body: {} },
  response: {
    status: 201,
    body: {
      returnId: '5f1d2c3b4a594e8f9a0b1c2d3e4f5a00',
      creditId: exampleIds.creditId,
      amount: brl('29.90'),
      createdAt: '2026-01-16T09:58:00.000Z',
      status: 'PENDING',
    },
  },
});
