import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { createdBetween, OfPayment, pagedBy, pageOf, recordFilters } from '#shared/contract/page.ts';
import { PayInEntry } from '#shared/pay-ins/contract.ts';
import { paidPayInEntry } from '#shared/pay-ins/examples.ts';
import { payInStatuses } from '#shared/pay-ins/model.ts';

export const ListPayIns = contract({
  operationId: 'listPayIns',
  method: 'GET',
  path: '/order/v1/banking/order-payins',
  tag: 'Pay-ins',
  summary: 'List pay-ins',
  description:
    'Newest first unless `sort` says otherwise; the records without images. A request with `accountId`, or for what is `PENDING`, reads a ' +
    'bounded number of pay-ins: its page may be short, even empty, with `hasNext` true and a cursor to go on.',
  query: { ...recordFilters(payInStatuses), endToEndId: OfPayment, ...createdBetween, ...pagedBy('creation') },
  responses: { 200: pageOf(PayInEntry) },
});

export const example = (): ExampleOf<typeof ListPayIns> => ({
  request: { query: { status: 'PAID', createdFrom: '2026-01-15T00:00:00-03:00', limit: '20' } },
  response: { status: 200, body: { nextCursor: null, hasNext: false, data: [paidPayInEntry] } },
});
