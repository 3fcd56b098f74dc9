import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { secondsBetween } from '../core/brasilia-time.ts';
import type { Capabilities } from './capabilities.ts';
import type { Dialect } from './dialects/dialect.ts';
import { dialectNames } from './dialects/dialect.ts';
import { keys, prefixes } from '../platform/table/keys.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { parseItem, parserOf } from '../platform/table/parse.ts';
import type { Condition, Delete, Item, Put, Store, Update } from '../platform/table/store.ts';
import { queryAll } from '../platform/table/store.ts';
import { bankAccountTypes } from '#shared/accounts/model.ts';

/**
 * An account of the company as its bank knows it, by the names of its dialect (`Connecting.account`). `chave`: its PIX
 * key at this bank, where the dialect names one.
 */
export type ConnectedAccount = Readonly<Record<string, string>>;

/** The dialect's capabilities that a company's contract with the bank includes. An absent one is included. */
export type NarrowedCapabilities = Partial<
  Pick<Capabilities, 'charges' | 'refunds' | 'claims' | 'recurrences' | 'balance'>
> & {
  readonly payouts?: Partial<Capabilities['payouts']>;
};

/** Pause of calls to the bank; `failures`: pauses in a row, the first of them at `since`. */
export type Pause = {
  readonly until: string;
  readonly cause: string;
  readonly failures: number;
  /** Absent in pauses of earlier releases. */
  readonly since?: string;
};

/** Shape of a stored pause. */
export const PauseShape = z.object({
  until: z.string(),
  cause: z.string(),
  failures: z.int(),
  since: z.string().exactOptional(),
} satisfies Members<Pause>);

/** Control surface of a bank on this machine. `client`: our OAuth client there, for which the tools act. */
export type BankControl = { readonly url: string; readonly client: string };

/**
 * Registered callback. `tokenHash`: SHA-256, hexadecimal, of the token in the address. `former`: hashes of earlier
 * tokens, which are accepted until an operator confirms that the bank has the new address. `subject`: of the bank's
 * certificate.
 */
type BankCallback = {
  readonly tokenHash: string;
  readonly former?: readonly string[];
  readonly subject?: string;
};

/**
 * One client of a company at one bank, without secrets. Id, company, dialect, addresses and client never change. A
 * command keeps its connection on every repetition.
 */
export type BankConnection = {
  readonly id: string;
  readonly companyId: string;
  readonly dialect: Dialect;
  /** Base of the API, without a path: the dialect knows its paths. */
  readonly apiUrl: string;
  /** Where the dialect gets tokens. */
  readonly tokenUrl?: string;
  readonly clientId: string;
  /** Name in Secrets Manager: what the dialect's `parseSecret` reads. */
  readonly secret: string;
  readonly callback: BankCallback;
  /** Accounts by id, including those that another connection serves now. */
  readonly accounts: Readonly<Record<string, ConnectedAccount>>;
  readonly capabilities?: NarrowedCapabilities;
  /** Control surface of a bank on this machine: tools act there as payers and other banks. */
  readonly control?: BankControl;
  readonly paused?: Pause;
  /** Payouts refused for an unknown key in the hour from `unknownKeysSince`. Workers count concurrently. */
  readonly unknownKeys?: number;
  readonly unknownKeysSince?: string;
  readonly createdAt: string;
  /** Time since which the connection serves no account. Its earlier commands go on. */
  readonly leftAt?: string;
  /** Time at which the connection ended. Its bank is not called any more. */
  readonly endedAt?: string;
};

/** The connections of a company, oldest first, including ended ones. */
export type CompanyBanks = {
  readonly connections: readonly BankConnection[];
  /** Id of the connection that serves an account now, by account id. */
  readonly serving: ReadonlyMap<string, string>;
  /** Raised by each command of an operator. */
  readonly version: number;
};

const NarrowedShape = z.object({
  charges: z.boolean().exactOptional(),
  refunds: z.boolean().exactOptional(),
  claims: z.boolean().exactOptional(),
  recurrences: z.boolean().exactOptional(),
  balance: z.boolean().exactOptional(),
  payouts: z
    .object({
      byKey: z.boolean().exactOptional(),
      staticCode: z.boolean().exactOptional(),
      dynamicCode: z.boolean().exactOptional(),
      dynamicCodeInParts: z.boolean().exactOptional(),
      accountTypes: z.array(z.enum(bankAccountTypes)).exactOptional(),
      ted: z.boolean().exactOptional(),
      tedAccountTypes: z.array(z.enum(bankAccountTypes)).exactOptional(),
      cancel: z.boolean().exactOptional(),
    } satisfies Members<Capabilities['payouts']>)
    .exactOptional(),
} satisfies Members<NarrowedCapabilities>);

const ConnectionItem = z.object({
  entity: z.literal('BANK_CONNECTION'),
  id: z.string(),
  companyId: z.string(),
  dialect: z.enum(dialectNames),
  apiUrl: z.string(),
  tokenUrl: z.string().exactOptional(),
  clientId: z.string(),
  secret: z.string(),
  callback: z.object({
    tokenHash: z.string(),
    former: z.array(z.string()).exactOptional(),
    subject: z.string().exactOptional(),
  } satisfies Members<BankCallback>),
  accounts: z.record(z.string(), z.record(z.string(), z.string())),
  capabilities: NarrowedShape.exactOptional(),
  control: z.object({ url: z.string(), client: z.string() } satisfies Members<BankControl>).exactOptional(),
  paused: PauseShape.exactOptional(),
  /** Copy of `paused.until` for the conditions of writes. */
  pausedUntil: z.string().exactOptional(),
  unknownKeys: z.int().exactOptional(),
  unknownKeysSince: z.string().exactOptional(),
  createdAt: z.string(),
  leftAt: z.string().exactOptional(),
  endedAt: z.string().exactOptional(),
} satisfies ItemMembers<BankConnection & { pausedUntil: unknown }>);
const parseItemOfConnection = parserOf(ConnectionItem, 'bank connection');

function parseConnection(item: Item): BankConnection {
  const { pausedUntil: _pausedUntil, ...connection } = parseItemOfConnection(item);
  return connection;
}

const ServedItem = z.object({ accountId: z.string(), connectionId: z.string() });
const VersionItem = z.object({ version: z.int() });

/**
 * Reads the connections of a company in one query; empty for a company without a bank of its own. @throws CorruptItem
 */
export async function readBanks(store: Pick<Store, 'query'>, companyId: string): Promise<CompanyBanks> {
  const { PK: partition } = keys.bankVersion(companyId);
  const connections: BankConnection[] = [];
  const serving = new Map<string, string>();
  let version = 0;
  for await (const item of queryAll(store, { partition })) {
    if (item.SK.startsWith(prefixes.bankConnection)) connections.push(parseConnection(item));
    else if (item.SK.startsWith(prefixes.bankAccount)) {
      const { accountId, connectionId } = parseItem(ServedItem, item, 'connected account');
      serving.set(accountId, connectionId);
    } else ({ version } = parseItem(VersionItem, item, 'connection version'));
  }
  const age = ({ createdAt, id }: BankConnection): string => `${createdAt} ${id}`;
  connections.sort((a, b) => (age(a) < age(b) ? -1 : 1));
  return { connections, serving, version };
}

/** Reads one connection. @throws CorruptItem */
export async function readConnection(
  store: Pick<Store, 'read'>,
  companyId: string,
  id: string,
): Promise<BankConnection | undefined> {
  const [item] = await store.read([keys.bankConnection(companyId, id)]);
  return item && parseConnection(item);
}

/**
 * Returns the connections whose banks are called, oldest first: those that serve an account now and those that only
 * finish their earlier commands.
 */
export function liveConnections({ connections }: CompanyBanks): readonly BankConnection[] {
  return connections.filter(({ endedAt }) => endedAt === undefined);
}

/** Returns the writes of a new connection and of the item by which a callback's token finds it. */
export function connectionPut(connection: BankConnection): readonly Put[] {
  const { companyId, id, callback, paused, ...rest } = connection;
  const shown = structuredClone({ ...rest, callback, ...(paused && { paused }) });
  const item = { ...shown, ...(paused && { pausedUntil: paused.until }) };
  return [
    {
      put: { ...keys.bankConnection(companyId, id), entity: 'BANK_CONNECTION', id, companyId, ...item },
      when: { is: 'absent' },
    },
    callbackPut(connection, callback.tokenHash),
  ];
}

/** Returns the write by which a callback's token finds a connection. A token belongs to one connection permanently. */
export function callbackPut(
  { companyId, id: connectionId }: Pick<BankConnection, 'companyId' | 'id'>,
  hash: string,
): Put {
  return {
    put: { ...keys.bankCallback(hash), entity: 'BANK_CALLBACK', companyId, connectionId },
    when: { any: [{ is: 'absent' }, { equals: { companyId, connectionId } }] },
  };
}

/** Returns the update of fields that an operator may change; pause and counts stay as they are. */
export function connectionUpdate(
  { companyId, id }: BankConnection,
  change: Partial<
    Pick<BankConnection, 'apiUrl' | 'tokenUrl' | 'callback' | 'accounts' | 'control' | 'leftAt' | 'endedAt'>
  >,
  remove: readonly ('leftAt' | 'capabilities' | 'control')[] = [],
): Update {
  const when = { all: [{ is: 'present' }, { lacks: 'endedAt' }] } as const;
  return { update: keys.bankConnection(companyId, id), set: structuredClone(change), remove, when };
}

/** The connection serves the account from now on. */
export function servedPut({ companyId, id: connectionId }: BankConnection, accountId: string): Put {
  return { put: { ...keys.bankAccount(companyId, accountId), entity: 'BANK_ACCOUNT', accountId, connectionId } };
}

/** Returns the delete by which the connection no longer serves the account. */
export function servedDelete({ companyId, id: connectionId }: BankConnection, accountId: string): Delete {
  return { delete: keys.bankAccount(companyId, accountId), when: { equals: { connectionId } } };
}

/**
 * Returns the write that raises the version. It belongs in every command of an operator that changes connections: of
 * two concurrent commands one fails.
 */
export function versionPut(companyId: string, { version }: Pick<CompanyBanks, 'version'>): Put {
  const put = { ...keys.bankVersion(companyId), entity: 'BANK_VERSION', version: version + 1 };
  return { put, when: version === 0 ? { is: 'absent' } : { equals: { version } } };
}

/**
 * Pauses the connection, or ends its pause if `next` is undefined. Returns false when the pause is no longer `seen`.
 */
export async function writePause(
  store: Store,
  { companyId, id }: Pick<BankConnection, 'companyId' | 'id'>,
  next: Pause | undefined,
  seen: Pause | undefined,
): Promise<boolean> {
  const unchanged = seen === undefined ? { lacks: 'pausedUntil' } : { equals: { pausedUntil: seen.until } };
  const { ok } = await store.writeOne({
    update: keys.bankConnection(companyId, id),
    ...(next === undefined
      ? { remove: ['paused', 'pausedUntil'] }
      : { set: { paused: { ...next }, pausedUntil: next.until } }),
    when: { all: [{ is: 'present' }, unchanged] },
  });
  return ok;
}

const hourSeconds = 3600;

/**
 * Refused payouts to unknown keys that a company may cause within an hour. More could block its lookups in the DICT.
 */
const unknownKeysAnHour = 20;

/** Seconds until the company may pay to keys again; undefined when it may. */
export function unknownKeysWait(
  { unknownKeys = 0, unknownKeysSince }: BankConnection,
  at: Instant,
): number | undefined {
  if (unknownKeysSince === undefined || unknownKeys <= unknownKeysAnHour) return undefined;
  const left = hourSeconds - secondsBetween(unknownKeysSince, at);
  return left > 0 && left <= hourSeconds ? Math.ceil(left) : undefined;
}

/** Attempts to write the count: a concurrent write can begin a new hour between two attempts. */
const tries = 4;

/** Counts a payout that the bank refused for an unknown key, even if the connection changed since it was read. */
export async function countUnknownKey(
  store: Store,
  { companyId, id, unknownKeysSince: known }: BankConnection,
  at: Instant,
): Promise<void> {
  const update = keys.bankConnection(companyId, id);
  let since = known;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const isOver = since === undefined || secondsBetween(since, at) >= hourSeconds;
    const isSame: Condition =
      since === undefined ? { lacks: 'unknownKeysSince' } : { equals: { unknownKeysSince: since } };
    const change = isOver ? { set: { unknownKeys: 1, unknownKeysSince: at } } : { add: { unknownKeys: 1 } };
    const counted = await store.writeOne({ update, ...change, when: { all: [{ is: 'present' }, isSame] } });
    const current = counted.ok ? undefined : counted.failed[0]?.item;
    if (current === undefined) return;
    since = parseItemOfConnection(current).unknownKeysSince;
  }
}

/**
 * Returns the name of a connection's secret in Secrets Manager. Functions may read only secrets of their environment.
 */
export function bankSecretName(environment: string, companyId: string, connectionId: string): string {
  return `${bankSecretsOf(environment)}${companyId}/${connectionId}`;
}

/** The beginning of the names of an environment's secrets of banks. */
export function bankSecretsOf(environment: string): string {
  return `banking-order/${environment}/bank/`;
}

/** Returns the hash of a token, which is stored in its place. */
export function callbackTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const CallbackItem = z.object({ companyId: z.string(), connectionId: z.string() });

/**
 * Returns the connection to which a callback's token belongs (two reads); undefined for a token that was replaced or a
 * connection that has ended.
 */
export async function connectionOfCallback(store: Store, token: string): Promise<BankConnection | undefined> {
  const tokenHash = callbackTokenHash(token);
  const [item] = await store.read([keys.bankCallback(tokenHash)]);
  if (item === undefined) return undefined;
  const { companyId, connectionId } = parseItem(CallbackItem, item, 'bank callback');
  const connection = await readConnection(store, companyId, connectionId);
  if (connection === undefined || connection.endedAt !== undefined) return undefined;
  const { callback } = connection;
  return [callback.tokenHash, ...(callback.former ?? [])].includes(tokenHash) ? connection : undefined;
}

/**
 * Whether a bank may have this address: https with a host name, or https on this machine if `allowLocal` (only in the
 * local environment).
 */
export function isAllowedAddress(text: string, allowLocal: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, search, hash } = new URL(text);
  if (protocol !== 'https:' || username !== '' || search !== '' || hash !== '') return false;
  // A bank has a public host name. An IP address may be this machine's or one of our network.
  const isName = /^(?!.*(?:^|\.)(?:localhost|local|internal)$)(?:[a-z0-9-]+\.)+[a-z]{2,}$/u.test(hostname);
  return isName || (allowLocal && isOnThisMachine(text));
}

/** Whether the address of a connection is on this machine. */
export function isOnThisMachine(url: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(new URL(url).hostname);
}
