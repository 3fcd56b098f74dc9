import * as z from 'zod';
import { contract } from '#shared/contracts/contract.ts';
import { createdBetween, Cursor, Limit, OwnIdentifier, pageOf, sortedBy } from '#shared/contracts/page.ts';
import { PayoutRecord } from '#shared/contracts/payout.ts';
import { text, Uuid } from '#shared/contracts/text.ts';
import { payoutStatuses } from '#shared/domain/payout-batch.ts';

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
    accountId: Uuid.optional().meta({ description: 'Only those of this account.' }),
    status: z.enum(payoutStatuses).optional().meta({ description: 'Only those that have this status now.' }),
    externalId: OwnIdentifier.optional(),
    endToEndId: text(64)
      .optional()
      .meta({ description: 'Of the PIX payment.', examples: ['E12345678202601151205A1b2C3d4E5f'] }),
    ...createdBetween,
    limit: Limit.optional(),
    sort: sortedBy('creation'),
    cursor: Cursor.optional(),
  }),
  body: z.strictObject({}),
  answers: { 200: pageOf(PayoutRecord) },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'],
});
