import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readAccount } from '#shared/accounts/store.ts';
import { beginReceivedPoll } from '#shared/bank-events/received-poll.ts';
import type { Dialect } from '#shared/bank/dialects/dialect.ts';
import { parseSecret } from '#shared/bank/dialects/dialects.ts';
import { SecretUnavailable } from '#shared/bank/secret.ts';
import { readBankCalls, refusalText } from '#shared/bank/calls/bank-calls.ts';
import type { Claim } from '#shared/bank/claims.ts';
import { claimDeletes, claimedByOther, claimPuts, claimsOf, freedClaims } from '#shared/bank/claims.ts';
import type { BankConnection, ConnectedAccount, NarrowedCapabilities } from '#shared/bank/connection.ts';
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
  writePause,
} from '#shared/bank/connection.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { pick } from '#shared/core/pick.ts';
import { companyIds } from '#shared/platform/company.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Resolve } from '#shared/platform/target-guard.ts';
import { checkTarget } from '#shared/platform/target-guard.ts';
import type { Store, Update } from '#shared/platform/table/store.ts';
import type { Open } from './bank-unanswered.ts';
import { openAt } from './bank-unanswered.ts';
import type { BankSecrets } from './bank-secrets.ts';
import type { Which } from './bank-client.ts';
import { changedMeanwhile, oneConnection } from './bank-client.ts';
import { lookAtBank } from './status/bank-state.ts';
import type { BankDependencies, OnboardingDependencies } from './target.ts';
import { UsageError } from './values.ts';

type Wanted = Omit<ConnectedAccount, 'convenio'> & {
  readonly companyId: string;
  readonly accountId: string;
  readonly environment: string;
  readonly apiUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  /** This and the next three are paths of files: a command line must not contain secrets. */
  readonly clientSecret: string;
  readonly certificate: string;
  readonly key: string;
  readonly authorities?: string | undefined;
  readonly callbackSubject: string;
  readonly convenio?: string | undefined;
  readonly withoutClaims?: string | undefined;
  readonly control?: string | undefined;
};
/** Dialect of every connection that `bank:connect` creates: the options of the command belong to it. */
const dialect: Dialect = 'EFI';

type Facts = Readonly<Record<string, string | null>>;
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
  const { companyId, accountId, environment, apiUrl: api, tokenUrl: tokens } = wanted;
  const secrets = bankSecrets();
  await requireAddresses({ 'api-url': api, 'token-url': tokens }, secrets.allowLocal, resolve);
  requireLocalControl(wanted, secrets);
  if ((await readAccount(store, companyId, accountId)) === undefined) throw notFound('Account');
  await requireRealClock(store, companyId, secrets);
  const text = secretOf(wanted);
  const banks = await readBanks(store, companyId);
  const hash = await readOrMakeHash(store);
  const known = liveConnections(banks).find(
    (candidate) => candidate.id === moved || isSame(candidate, addressesOf(wanted)),
  );
  const token = randomBytes(16).toString('hex');
  const connection = known
    ? changed(known, wanted)
    : newConnection({ id: ids.uuid(), environment, at: now(), token }, wanted);
  const claims = claimsOf(connection);
  const owner = await claimedByOther(store, hash, companyId, claims);
  if (owner !== undefined) throw claimed(owner);
  const former = banks.serving.get(accountId);
  const isMoving = former !== connection.id;
  const left = isMoving ? banks.connections.find((candidate) => candidate.id === former) : undefined;
  const isLeft = left !== undefined && [...banks.serving.values()].filter((id) => id === left.id).length === 1;
  await secrets.write(connection.secret, text);
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

type Addresses = Pick<BankConnection, 'apiUrl' | 'tokenUrl' | 'clientId'>;

function addressesOf({ apiUrl, tokenUrl, clientId }: Wanted): Addresses {
  return { apiUrl: apiUrl.replace(/\/+$/u, ''), tokenUrl, clientId };
}

function isSame(a: Addresses, b: Addresses): boolean {
  return a.apiUrl === b.apiUrl && a.tokenUrl === b.tokenUrl && a.clientId === b.clientId;
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

function accountOf({ chave, agencia, conta, tipoConta, convenio }: Wanted): ConnectedAccount {
  return { chave, agencia, conta, tipoConta, ...(convenio !== undefined && { convenio }) };
}

function controlOf({ control, clientId }: Wanted): Pick<BankConnection, 'control'> {
  return control === undefined ? {} : { control: { url: control.replace(/\/+$/u, ''), client: clientId } };
}

type New = { readonly id: string; readonly environment: string; readonly at: string; readonly token: string };

function newConnection({ id, environment, at, token }: New, wanted: Wanted): BankConnection {
  const { companyId, accountId } = wanted;
  return {
    id,
    companyId,
    dialect,
    ...addressesOf(wanted),
    secret: bankSecretName(environment, companyId, id),
    callback: { tokenHash: callbackTokenHash(token), subject: wanted.callbackSubject },
    accounts: { [accountId]: accountOf(wanted) },
    ...capabilitiesOf(wanted, {}),
    ...controlOf(wanted),
    createdAt: at,
  };
}

/**
 * Returns the existing connection with the new addresses, callback subject, control address and data of this account.
 * It serves an account again, so `leftAt` is removed.
 */
function changed(before: BankConnection, wanted: Wanted): BankConnection {
  const { leftAt: _left, control: _control, capabilities = {}, ...known } = before;
  return {
    ...known,
    ...addressesOf(wanted),
    callback: { ...known.callback, subject: wanted.callbackSubject },
    accounts: { ...known.accounts, [wanted.accountId]: accountOf(wanted) },
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
  ACCOUNT: 'account at the bank (--agencia, --conta)',
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
  urls: Readonly<Record<'api-url' | 'token-url', string>>,
  allowLocal: boolean,
  resolve?: Resolve,
): Promise<void> {
  for (const [option, url] of Object.entries(urls)) {
    const isPublic = allowLocal || (await checkTarget(url, { allowLocal }, resolve)) === undefined;
    if (!isAllowedAddress(url, allowLocal) || !isPublic)
      throw new UsageError(
        `--${option} must be an https address of a public host${allowLocal ? ' or of this machine' : ''}.`,
      );
  }
  if (new URL(urls['api-url']).pathname !== '/') throw new UsageError('--api-url must have no path.');
}

/**
 * Returns the secret in the format that the functions read. @throws UsageError that names the invalid option or member,
 * never a value
 */
function secretOf({ clientId, clientSecret, certificate, key, authorities }: Wanted): string {
  const read = (option: string, path: string): string => {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch {
      throw new UsageError(`--${option} must be a readable file.`);
    }
  };
  const text = JSON.stringify({
    clientId,
    clientSecret: read('client-secret', clientSecret),
    certificate: read('certificate', certificate),
    key: read('key', key),
    ...(authorities !== undefined && { authorities: read('authorities', authorities) }),
  });
  try {
    const secret = parseSecret[dialect](text);
    if (!new X509Certificate(secret.certificate).checkPrivateKey(createPrivateKey(secret.key)))
      throw new UsageError('--key does not belong to --certificate.');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(error instanceof SecretUnavailable ? error.message : '--certificate and --key must be PEM.');
  }
  return text;
}

/** Lists every connection of every company with its state, also those that ended. */
export async function listBanks({
  store,
  now,
}: Pick<OnboardingDependencies, 'store' | 'now'>): Promise<readonly Facts[]> {
  const found: Facts[] = [];
  for await (const companyId of companyIds(store)) {
    const { connections, serving } = await readBanks(store, companyId);
    for (const connection of connections) {
      const { id, dialect, apiUrl, accounts, paused, createdAt, leftAt, endedAt } = connection;
      const { bank } = await lookAtBank(store, connection, now());
      const served = Object.keys(accounts).filter((accountId) => serving.get(accountId) === id);
      found.push({
        companyId,
        connectionId: id,
        dialect,
        apiUrl,
        accounts: served.join(' '),
        state: endedAt === undefined ? bank.state : 'ENDED',
        since: bank.since,
        readTo: bank.readTo,
        connectedAt: createdAt,
        pausedUntil: paused?.until ?? null,
        pausedBecause: paused?.cause ?? null,
        refused: await refusedAt(store, connection),
        leftAt: leftAt ?? null,
        endedAt: endedAt ?? null,
      });
    }
  }
  return found;
}

/** The operations that the bank refuses, with the status of each; null for none. */
async function refusedAt(store: OnboardingDependencies['store'], connection: BankConnection): Promise<string | null> {
  const { refusals = {} } = (await readBankCalls(store, connection)) ?? {};
  const lines = Object.entries(refusals).map(([operation, refusal]) => `${operation} ${refusalText(refusal)}`);
  return lines.length === 0 ? null : lines.join('; ');
}

/** `until` of an operator's pause. It does not expire: an operator resumes the connection. */
const forever = '9999-12-31T23:59:59.999Z';

/**
 * Stops every call to the bank of a connection: commands wait, queries get 503.
 * @throws RequestError 404, 409; UsageError where the company has several connections and none is named
 */
export function pauseBank(dependencies: Pick<OnboardingDependencies, 'store' | 'now'>, which: Which) {
  const [cause, since] = ['an operator paused the connection', dependencies.now()];
  return replacePause(dependencies, which, { until: forever, cause, failures: 0, since });
}

/**
 * Ends a pause of a connection that an operator or the service itself began.
 * @throws RequestError 404, 409; UsageError where the company has several connections and none is named
 */
export function resumeBank(dependencies: Pick<OnboardingDependencies, 'store'>, which: Which) {
  return replacePause(dependencies, which, undefined);
}

async function replacePause(
  dependencies: Pick<OnboardingDependencies, 'store'>,
  which: Which,
  next: BankConnection['paused'],
): Promise<Facts> {
  const connection = await oneConnection(dependencies, which);
  const { companyId, id: connectionId } = connection;
  if (!(await writePause(dependencies.store, connection, next, connection.paused)))
    throw forbiddenByState('company', 'INVALID_VALUE', 'The connection changed meanwhile: repeat the command.');
  return { companyId, connectionId, pausedUntil: next?.until ?? null };
}
