import type { Check } from '../manifest.ts';
import { accountKeys } from './connecting.ts';
import { operationOf } from './operation.ts';

/** The bank has no scopes, and its callbacks are set on its own pages. */
export const check: Check = {
  scopes: () => [],
  lists: (_can, connection) =>
    accountKeys(connection).flatMap(({ key }) => [`/account/${key}/pix_transfers`, `/account/${key}/teds`]),
  balance: '/account',
  window: (from, to) => new URLSearchParams({ date_from: from.slice(0, 10), date_to: to.slice(0, 10) }).toString(),
  operation: operationOf,
};
