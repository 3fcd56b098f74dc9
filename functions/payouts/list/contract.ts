import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { createdBetween, OfPayment, pagedBy, pageOf, recordFilters } from '#shared/contract/page.ts';
import { PayoutRecord } from '#shared/payouts/contract.ts';
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
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({
    ...recordFilters(payoutStatuses),
    endToEndId: OfPayment,
    ...createdBetween,
    ...pagedBy('creation'),
  }),
  body: z.strictObject({}),
  answers: { 200: pageOf(PayoutRecord) },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'],
});
