import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleTimes } from '#shared/contract/examples.ts';
import { createdBetween, OfPayment, pagedBy, pageOf, recordFilters } from '#shared/contract/page.ts';
import { PayoutRecord } from '#shared/payouts/contract.ts';
import { shownPayout } from '#shared/payouts/examples.ts';
import { payoutStatuses } from '#shared/payouts/model.ts';

export const ListPayouts = contract({
  operationId: 'listPayouts',
  method: 'GET',
  path: '/order/v1/banking/order-payouts',
  tag: 'Payouts',
  summary: 'List payouts',
  description:
    'Newest first unless `sort` says otherwise. `endToEndId` is that of any payment of the payout. A request with `accountId`, or for what is ' +
    '`PENDING`, reads a bounded number of payouts: its page may be short, even empty, with `hasNext` true and a cursor to go on.',
  query: { ...recordFilters(payoutStatuses), endToEndId: OfPayment, ...createdBetween, ...pagedBy('creation') },
  responses: { 200: pageOf(PayoutRecord) },
});

export const example = (): ExampleOf<typeof ListPayouts> => ({
  request: { query: { status: 'PAID', limit: '20' } },
  response: {
    status: 200,
    body: {
      nextCursor: null,
      hasNext: false,
      data: [{ ...shownPayout, status: 'PAID', updatedAt: exampleTimes.paid, paidAt: exampleTimes.paid }],
    },
  },
});
