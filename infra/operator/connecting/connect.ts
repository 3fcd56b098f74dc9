import { randomBytes } from 'node:crypto';
import { readAccount } from '#shared/accounts/store.ts';
import { beginReceivedPoll } from '#shared/bank-events/received-poll.ts';
import type { Dialect } from '#shared/bank/dialects/dialect.ts';
import type { Claim } from '#shared/bank/claims.ts';
import { claimDeletes, claimedByOther, claimPuts, claimsOf, freedClaims } from '#shared/bank/claims.ts';
import type { BankConnection, NarrowedCapabilities } from '#shared/bank/connection.ts';
import {
  bankSecretName,
  callbackTokenHash,
  connectionPut,
  connectionUpdate,
  isAllowedAddress,
  isOnThisMachine,
  liveConnections,
  readBanks,
  servedPut,
  versionPut,
} from '#shared/bank/connection.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { pick } from '#shared/core/pick.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Resolve } from '#shared/platform/target-guard.ts';
import { checkTarget } from '#shared/platform/target-guard.ts';
import type { Store, Update } from '#shared/platform/table/store.ts';
import type { Open } from '../bank-unanswered.ts';
import { openAt } from '../bank-unanswered.ts';
import type { BankSecrets } from '../bank-secrets.ts';
import { changedMeanwhile } from '../bank-client.ts';
import type { BankDependencies } from '../target.ts';
import { UsageError } from '../values.ts';
import { settingsOf } from './options.ts';

type Wanted = {
  readonly companyId: string;
  readonly accountId: string;
  readonly environment: string;
  /** Default EFI. */
  readonly dialect?: Dialect | undefined;
  readonly apiUrl: string;
  readonly clientId: string;
  readonly withoutClaims?: string | undefined;
  readonly control?: string | undefined;
  /** Options of the dialect. Secrets are paths of files: a command line must not contain them. */
  readonly [option: string]: string | undefined;
};

type Connected = {
  readonly companyId: string;
  readonly accountId: string;
  readonly connectionId: string;
  readonly apiUrl: string;
  readonly secretName: string;
  /** Token in the callback address of a new connection, shown once. */
  readonly callbackSecret?: string;
  /** Open work at the former connection of the account, or at the simulated bank if it had none. */
  readonly open: readonly Open[];
};

/**
 * Connects one account of a company to its bank. If the company already has a connection with the same addresses and
 * client id, that connection is updated; otherwise a new one is created. It serves the account from now on. Open work
 * stays at the former connection, and `open` counts it. A callback token is created only for a new connection.
 * @param moved id of an existing connection to update although its addresses changed: a bank on this machine has other
 * ports after each start
 * @throws RequestError 404; 409 for a value that another company or account has claimed, a simulated clock, or a
 * concurrent command; UsageError for an invalid value. The connections are unchanged then. After a concurrent command
 * an existing connection may have the new secret.
 */
export async function connectBank(
  { store, ids, now, bankSecrets, resolve }: BankDependencies & { readonly resolve?: Resolve },
  wanted: Wanted,
  moved?: string,
): Promise<Connected> {
  const { companyId, accountId, environment, dialect = 'EFI', clientId } = wanted;
  const secrets = bankSecrets();
  const settings = settingsOf(dialect, clientId, wanted);
  await requireAddresses(wanted.apiUrl, settings.tokenUrl, secrets.allowLocal, resolve);
  requireLocalControl(wanted, secrets);
  if ((await readAccount(store, companyId, accountId)) === undefined) throw notFound('Account');
  await requireRealClock(store, companyId, secrets);
  const banks = await readBanks(store, companyId);
  const hash = await readOrMakeHash(store);
  const known = liveConnections(banks).find(
    (candidate) => candidate.id === moved || isSame(candidate, addressesOf(wanted, settings)),
  );
  const token = randomBytes(16).toString('hex');
  const connection = known
    ? changed(known, wanted, settings)
    : newConnection({ id: ids.uuid(), environment, at: now(), token }, wanted, settings);
  const claims = claimsOf(connection);
  const owner = await claimedByOther(store, hash, companyId, claims);
  if (owner !== undefined) throw claimed(owner);
  const former = banks.serving.get(accountId);
  const isMoving = former !== connection.id;
  const left = isMoving ? banks.connections.find((candidate) => candidate.id === former) : undefined;
  const isLeft = left !== undefined && [...banks.serving.values()].filter((id) => id === left.id).length === 1;
  await secrets.write(connection.secret, settings.secret);
  const { ok } = await store.write(
    [
      versionPut(companyId, banks),
      ...(known === undefined ? connectionPut(connection) : [changeOf(connection)]),
      servedPut(connection, accountId),
      ...(isLeft ? [connectionUpdate(left, { leftAt: now() })] : []),
      ...claimPuts(hash, companyId, claims),
      ...claimDeletes(hash, companyId, freedClaims(banks, [connection])),
    ],
    ids.uuid(),
  );
  if (!ok) {
    if (known === undefined) await secrets.remove(connection.secret);
    throw changedMeanwhile();
  }
  await beginReceivedPoll(store, connection, now());
  const { id: connectionId, apiUrl, secret: secretName } = connection;
  const facts = { companyId, accountId, connectionId, apiUrl, secretName };
  const open = isMoving ? await openAt(store, companyId, former) : [];
  return { ...facts, ...(known === undefined && { callbackSecret: token }), open };
}

type Settings = ReturnType<typeof settingsOf>;
type Addresses = Pick<BankConnection, 'dialect' | 'apiUrl' | 'tokenUrl' | 'clientId'>;

function addressesOf({ dialect = 'EFI', apiUrl, clientId }: Wanted, settings: Settings): Addresses {
  return { dialect, apiUrl: apiUrl.replace(/\/+$/u, ''), ...pick(settings, 'tokenUrl'), clientId };
}

function isSame(a: Addresses, b: Addresses): boolean {
  return (['dialect', 'apiUrl', 'tokenUrl', 'clientId'] as const).every((name) => a[name] === b[name]);
}

/** @throws UsageError */
function requireLocalControl({ control }: Wanted, { allowLocal }: Pick<BankSecrets, 'allowLocal'>): void {
  if (control !== undefined && !(allowLocal && isOnThisMachine(control)))
    throw new UsageError('--control is only for a local environment, with a bank on this machine.');
}

/**
 * Requires real time, except in a local environment: banks work in real time, and the scheduled workers skip due work
 * of a company with a simulated clock. @throws RequestError 409
 */
async function requireRealClock(store: Store, companyId: string, { allowLocal }: Pick<BankSecrets, 'allowLocal'>) {
  const [clock] = await store.read([keys.companyClock(companyId)]);
  if (clock !== undefined && !allowLocal)
    throw forbiddenByState('company', 'INVALID_VALUE', 'The clock of the company is simulated: reset it first.');
}

function controlOf({ control, clientId }: Wanted): Pick<BankConnection, 'control'> {
  return control === undefined ? {} : { control: { url: control.replace(/\/+$/u, ''), client: clientId } };
}

type New = { readonly id: string; readonly environment: string; readonly at: string; readonly token: string };

function newConnection({ id, environment, at, token }: New, wanted: Wanted, settings: Settings): BankConnection {
  const { companyId, accountId } = wanted;
  return {
    id,
    companyId,
    ...addressesOf(wanted, settings),
    secret: bankSecretName(environment, companyId, id),
    callback: { tokenHash: callbackTokenHash(token), ...subjectOf(settings) },
    accounts: { [accountId]: settings.account },
    ...capabilitiesOf(wanted, {}),
    ...controlOf(wanted),
    createdAt: at,
  };
}

function subjectOf({ callbackSubject: subject }: Settings): { readonly subject?: string } {
  return subject === undefined ? {} : { subject };
}

/**
 * Returns the existing connection with the new addresses, callback subject, control address and data of this account.
 * It serves an account again, so `leftAt` is removed.
 */
function changed(before: BankConnection, wanted: Wanted, settings: Settings): BankConnection {
  const { leftAt: _left, control: _control, capabilities = {}, ...known } = before;
  return {
    ...known,
    ...addressesOf(wanted, settings),
    callback: { ...known.callback, ...subjectOf(settings) },
    accounts: { ...known.accounts, [wanted.accountId]: settings.account },
    ...capabilitiesOf(wanted, capabilities),
    ...controlOf(wanted),
  };
}

/** Returns what the contract excludes: claims as this command says, everything else as before. */
function capabilitiesOf(
  { withoutClaims }: Wanted,
  { claims: _claims, ...others }: NarrowedCapabilities,
): Pick<BankConnection, 'capabilities'> {
  const capabilities = { ...others, ...(withoutClaims !== undefined && { claims: false }) };
  return Object.keys(capabilities).length === 0 ? {} : { capabilities };
}

function changeOf(connection: BankConnection): Update {
  const change = pick(connection, 'apiUrl', 'tokenUrl', 'callback', 'accounts', 'capabilities', 'control');
  const absent = (['capabilities', 'control'] as const).filter((name) => connection[name] === undefined);
  return connectionUpdate(connection, change, ['leftAt', ...absent]);
}

/** Names of claims in error messages for an operator. The messages never contain the claimed value. */
const claimNames = {
  CHAVE: 'PIX key (--chave)',
  CLIENT: 'client (--client-id)',
  ACCOUNT: 'account at the bank',
} as const satisfies Record<Claim['kind'], string>;

function claimed({ kind, by }: NonNullable<Awaited<ReturnType<typeof claimedByOther>>>): Error {
  const owner = by === 'COMPANY' ? 'another company' : 'another account of the company';
  return forbiddenByState('company', 'ALREADY_EXISTS', `The ${claimNames[kind]} belongs to ${owner}.`);
}

/**
 * Requires https addresses of public hosts, or of this machine in a local environment. The address of the API has no
 * path: the dialect adds the paths. @throws UsageError
 */
async function requireAddresses(
  apiUrl: string,
  tokenUrl: string | undefined,
  allowLocal: boolean,
  resolve?: Resolve,
): Promise<void> {
  const urls = { 'api-url': apiUrl, ...(tokenUrl !== undefined && { 'token-url': tokenUrl }) };
  for (const [option, url] of Object.entries(urls)) {
    const isPublic = allowLocal || (await checkTarget(url, { allowLocal }, resolve)) === undefined;
    if (!isAllowedAddress(url, allowLocal) || !isPublic)
      throw new UsageError(
        `--${option} must be an https address of a public host${allowLocal ? ' or of this machine' : ''}.`,
      );
  }
  if (new URL(apiUrl).pathname !== '/') throw new UsageError('--api-url must have no path.');
}
