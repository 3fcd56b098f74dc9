import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { Moment } from '#shared/contract/date.ts';
import { createdBetween, pagedBy, pageOf, statusNow } from '#shared/contract/page.ts';
import { Uuid } from '#shared/contract/text.ts';
import { DisputeEntry } from '#shared/disputes/contract.ts';
import { openDisputeEntry } from '#shared/disputes/examples.ts';
import { disputeStatuses } from '#shared/disputes/model.ts';

export const ListDisputes = contract({
  operationId: 'listDisputes',
  method: 'GET',
  path: '/order/v1/banking/disputes',
  tag: 'Disputes',
  summary: 'List disputes',
  description:
    'Payments that their payers claim back, newest first unless `sort` says otherwise. A request with `accountId`, `orderId` or `dueBefore` reads a bounded number of disputes: its page may be short, even empty, with `hasNext` true and a cursor to go on.',
  query: {
    accountId: Uuid.optional().meta({ description: 'Only those of this account.' }),
    status: statusNow(disputeStatuses),
    orderId: Uuid.optional().meta({ description: 'Only those of this pay-in.' }),
    dueBefore: Moment.optional().meta({
      description: 'Only those whose `dueAt` is before this moment; any offset, its `+` as `%2B`.',
    }),
    ...createdBetween,
    ...pagedBy('creation'),
  },
  responses: { 200: pageOf(DisputeEntry) },
});

export const example = (): ExampleOf<typeof ListDisputes> => ({
  request: { query: { status: 'OPEN', limit: '20' } },
  response: { status: 200, body: { nextCursor: null, hasNext: false, data: [openDisputeEntry] } },
});
