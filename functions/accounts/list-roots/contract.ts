import { StatementRootRecord } from '#shared/accounts/roots/contract.ts';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { pagedBy, pageOf } from '#shared/contract/page.ts';
import { Uuid } from '#shared/contract/text.ts';

export const ListStatementRoots = contract({
  operationId: 'listStatementRoots',
  method: 'GET',
  path: '/order/v1/statement-roots',
  tag: 'Accounts',
  summary: 'List the signed roots of statements',
  description:
    'A minute in which money moved closes some minutes after its end. Then one signature covers the last entry of each account that has new ones; ' +
    'a root that was signed is never changed or deleted. With `accountId` each root shows the way from the account to it, for `verify-statement`.',
  query: {
    accountId: Uuid.optional().meta({ description: 'Only those that cover new entries of this account.' }),
    ...pagedBy('minute'),
  },
  responses: { 200: pageOf(StatementRootRecord) },
  errors: [],
});

export const example = (): ExampleOf<typeof ListStatementRoots> => ({
  request: { query: { accountId: exampleIds.accountId, limit: '50' } },
  response: {
    status: 200,
    body: {
      nextCursor: null,
      hasNext: false,
      data: [
        {
          minute: '2026-01-15T12:05',
          root: '9f64a747e1b97f131fabb6b447296c9b6f0201e79fb3c5356e6c77e89b6a806a',
          signedAt: '2026-01-15T12:09:01.250Z',
          jws: 'eyJhbGciOiJFUzI1NiJ9.eyJ2ZXJzaW9uIjoxfQ.c2lnbmF0dXJl',
          inclusion: {
            accountId: exampleIds.accountId,
            position: 1,
            hash: 'd706b8d010f59cbb25c9e6f50a5399a62676d9c62bab63019d05c82ee60b81fe',
            path: [{ side: 'LEFT', hash: '1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014' }],
          },
        },
      ],
    },
  },
});
