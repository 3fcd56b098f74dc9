import type { BankConnection } from '#shared/bank/connection.ts';
import { connectionPut, liveConnections, readBanks, servedPut, versionPut } from '#shared/bank/connection.ts';
import type { Put, Store } from '#shared/platform/table/store.ts';

export const connectionId = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc';

/** A connection that serves its accounts; one that is there is replaced. */
export function connectedItems(connection: BankConnection): readonly Put[] {
  const served = Object.keys(connection.accounts).map((accountId) => servedPut(connection, accountId));
  const all = [...connectionPut(connection), ...served, versionPut(connection.companyId, { version: 0 })];
  return all.map(({ put }) => ({ put }));
}

/** The live connection of a company that has one at most. */
export async function onlyConnection(store: Store, companyId: string): Promise<BankConnection | undefined> {
  const live = liveConnections(await readBanks(store, companyId));
  if (live.length > 1) throw new Error('The company has several connections.');
  return live[0];
}
