import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { createdBetween, OfPayment, pagedBy, pageOf, recordFilters } from '#shared/contract/page.ts';
import { PayInEntry } from '#shared/pay-ins/contract.ts';
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
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({
    ...recordFilters(payInStatuses),
    endToEndId: OfPayment,
    ...createdBetween,
    ...pagedBy('creation'),
  }),
  body: z.strictObject({}),
  answers: { 200: pageOf(PayInEntry) },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'],
});
