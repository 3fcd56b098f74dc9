import type { BankClient } from '#shared/bank/bank-client.ts';
import type { BankConnection, CompanyBanks } from '#shared/bank/connection.ts';
import type { ConnectedOf } from '#shared/bank/connections.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import type { BankDependencies, OnboardingDependencies } from './target.ts';
import { liveConnections, readBanks } from '#shared/bank/connection.ts';
import { UsageError } from './values.ts';

/**
 * The bank behind a connection as its functions call it. Only the operator sees its refusals.
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

/** A company, and which of its connections where it has several. */
export type Which = { readonly companyId: string; readonly connectionId?: string | undefined };
type Where = Pick<OnboardingDependencies, 'store'>;

/** The connections that a command is about: the one that is named, else all that are live. @throws RequestError 404 */
export async function namedConnections(
  { store }: Where,
  { companyId, connectionId }: Which,
): Promise<readonly [BankConnection, ...BankConnection[]]> {
  const live = liveConnections(await readBanks(store, companyId));
  const [first, ...more] = connectionId === undefined ? live : live.filter(({ id }) => id === connectionId);
  if (first === undefined) throw notFound('Connection');
  return [first, ...more];
}

/** The one connection that a command changes. @throws RequestError 404; UsageError where there are several */
export async function oneConnection(where: Where, which: Which): Promise<BankConnection> {
  const [first, ...more] = await namedConnections(where, which);
  if (more.length > 0)
    throw new UsageError('--connection is required: the company has several connections, which bank:list shows.');
  return first;
}

/** The same with all that its company has. */
export async function oneOfAll(
  where: Where,
  which: Which,
): Promise<{ readonly banks: CompanyBanks; readonly connection: BankConnection }> {
  const banks = await readBanks(where.store, which.companyId);
  return { banks, connection: await oneConnection(where, which) };
}

/** Another command of an operator was first: nothing was written. */
export function changedMeanwhile(): Error {
  return forbiddenByState('company', 'ALREADY_EXISTS', 'The connections changed meanwhile: repeat the command.');
}
