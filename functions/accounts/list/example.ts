import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleAccount } from '#shared/accounts/examples.ts';
import type { ListAccounts } from './contract.ts';

export const example: ExampleOf<typeof ListAccounts> = {
  request: { query: { status: 'ACTIVE', limit: '20' } },
  answer: { status: 200, body: { nextCursor: null, hasNext: false, data: [exampleAccount] } },
};
