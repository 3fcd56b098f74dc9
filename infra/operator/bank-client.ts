import type { BankClient } from '#shared/bank/api-pix/client.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import type { ConnectedOf } from '#shared/bank/connections.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { notFound } from '#shared/core/errors.ts';
import type { BankDependencies } from './target.ts';

/**
 * The bank behind a connection as its functions call it. What it refuses is told to the operator alone.
 * @throws RequestError 404
 */
export async function openBank(
  dependencies: BankDependencies,
  { companyId, id }: Pick<BankConnection, 'companyId' | 'id'>,
): Promise<BankClient> {
  const bank = await connectedBanks(dependencies)(companyId, id);
  if (bank === undefined) throw notFound('Connection');
  return bank.client;
}

/** The banks of all companies, called with the secrets that the operator may read. */
export function connectedBanks({ store, now, bankSecrets }: BankDependencies): ConnectedOf {
  const { fetch: fetchSecret, allowLocal } = bankSecrets();
  const known = knownConnections(store, false);
  return connections({ store, known, now, fetchSecret, allowLocal, report: () => undefined });
}
