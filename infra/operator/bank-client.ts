import type { BankClient } from '#shared/bank/calls/bank-client.ts';
import type { BankConnection, CompanyBanks } from '#shared/bank/connection.ts';
import type { ConnectedOf } from '#shared/bank/connections.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import type { BankDependencies, OnboardingDependencies } from './target.ts';
import { liveConnections, readBanks } from '#shared/bank/connection.ts';
import { UsageError } from './values.ts';

/**
 * Opens the bank of a connection with the client that the functions of the service use. Only the operator sees refusals
 * of the bank.
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

/** A company, and the id of one of its connections. The id is optional. */
export type Which = { readonly companyId: string; readonly connectionId?: string | undefined };
type Where = Pick<OnboardingDependencies, 'store'>;

/** Returns the live connection with the given id; without an id all live connections. @throws RequestError 404 */
export async function namedConnections(
  { store }: Where,
  { companyId, connectionId }: Which,
): Promise<readonly [BankConnection, ...BankConnection[]]> {
  const live = liveConnections(await readBanks(store, companyId));
  const [first, ...more] = connectionId === undefined ? live : live.filter(({ id }) => id === connectionId);
  if (first === undefined) throw notFound('Connection');
  return [first, ...more];
}

/**
 * Returns the connection that a command changes.
 * @throws RequestError 404; UsageError if the company has several and the command names none
 */
export async function oneConnection(where: Where, which: Which): Promise<BankConnection> {
  const [first, ...more] = await namedConnections(where, which);
  if (more.length > 0)
    throw new UsageError('--connection is required: the company has several connections, which bank:list shows.');
  return first;
}

/** Returns the connection that a command changes, with all connections of its company. */
export async function oneOfAll(
  where: Where,
  which: Which,
): Promise<{ readonly banks: CompanyBanks; readonly connection: BankConnection }> {
  const banks = await readBanks(where.store, which.companyId);
  return { banks, connection: await oneConnection(where, which) };
}

/** Returns the error of a command that wrote nothing because another command changed the connections first. */
export function changedMeanwhile(): Error {
  return forbiddenByState('company', 'ALREADY_EXISTS', 'The connections changed meanwhile: repeat the command.');
}
