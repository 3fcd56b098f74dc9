import * as z from 'zod';
import { LedgerEntryRecord } from '#shared/accounts/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { createdBetween, pagedBy, pageOf } from '#shared/contract/page.ts';
import { Uuid } from '#shared/contract/text.ts';

export const ListEntries = contract({
  operationId: 'listEntries',
  method: 'GET',
  path: '/order/v1/banking/accounts/{accountId}/entries',
  tag: 'Accounts',
  summary: 'Get the statement of an account',
  description:
    'Every move of its money, newest first unless `sort` says otherwise. All entries together are the balance; none is ever changed.',
  idempotencyKey: 'none',
  params: z.strictObject({ accountId: Uuid.meta({ description: 'The account.' }) }),
  query: z.strictObject({
    ...createdBetween,
    ...pagedBy('time'),
  }),
  body: z.strictObject({}),
  answers: { 200: pageOf(LedgerEntryRecord) },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
