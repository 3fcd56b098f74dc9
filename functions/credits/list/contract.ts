import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { createdBetween, OfPayment, pagedBy, pageOf, statusNow } from '#shared/contract/page.ts';
import { Uuid } from '#shared/contract/text.ts';
import { CreditEntry } from '#shared/credits/contract.ts';
import { openCreditEntry } from '#shared/credits/examples.ts';
import { creditStatuses } from '#shared/credits/model.ts';

export const ListCredits = contract({
  operationId: 'listCredits',
  method: 'GET',
  path: '/order/v1/banking/credits',
  tag: 'Credits',
  summary: 'List unexpected money',
  description:
    'Money that no open charge expected, newest first unless `sort` says otherwise; by the time of its booking. A request with `accountId` or `orderId` reads a bounded number of credits: its page may be short, even empty, with `hasNext` true and a cursor to go on.',
  query: {
    accountId: Uuid.optional().meta({ description: 'Only those of this account.' }),
    status: statusNow(creditStatuses),
    orderId: Uuid.optional().meta({ description: 'Only those that name this order.' }),
    endToEndId: OfPayment,
    ...createdBetween,
    ...pagedBy('booking'),
  },
  responses: { 200: pageOf(CreditEntry) },
});

export const example = (): ExampleOf<typeof ListCredits> => ({
  request: { query: { status: 'OPEN', limit: '20' } },
  response: { status: 200, body: { nextCursor: null, hasNext: false, data: [openCreditEntry] } },
});
