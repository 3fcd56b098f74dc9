import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { secondsBetween } from '../core/brasilia-time.ts';
import type { Capabilities } from './capabilities.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Item, Put, Store } from '../platform/table/store.ts';
import { bankAccountTypes } from '../platform/ledger/account.ts';

/** `tipoConta` of the receiver of a cobr (API Pix). */
export const receiverAccountTypes = ['CORRENTE', 'POUPANCA', 'PAGAMENTO'] as const;

/** An account of the company as its bank knows it. */
export type ConnectedAccount = {
  /** The PIX key of the account, at this bank: cobs are opened for it, payouts are paid from it. */
  readonly chave: string;
  readonly agencia: string;
  readonly conta: string;
  readonly tipoConta: (typeof receiverAccountTypes)[number];
  /** Contract of PIX Automático, where the bank has several. */
  readonly convenio?: string;
};

/** What a contract leaves of what the dialect can do. Absent: all of it. */
export type NarrowedCapabilities = Partial<Pick<Capabilities, 'charges' | 'refunds' | 'recurrences' | 'balance'>> & {
  readonly payouts?: Partial<Capabilities['payouts']>;
};

/** Since its bank does not take calls: `failures` are pauses in a row. */
export type Pause = { readonly until: string; readonly cause: string; readonly failures: number };

/** `client`: our OAuth client at the bank, whose things move. */
export type BankControl = { readonly url: string; readonly client: string };

/** How a company's bank is reached: one a company and environment, without secrets. */
export type BankConnection = {
  readonly companyId: string;
  readonly dialect: 'EFI';
  /** Base of the API, without a path: the dialect knows its paths. */
  readonly apiUrl: string;
  readonly tokenUrl: string;
  /** Name in Secrets Manager: client id, client secret, certificate and key. */
  readonly secret: string;
  /** SHA-256 of the token in the address of callbacks, hexadecimal; subject of the bank's certificate. */
  readonly callback: { readonly tokenHash: string; readonly subject: string };
  readonly accounts: Readonly<Record<string, ConnectedAccount>>;
  readonly capabilities?: NarrowedCapabilities;
  /** Of a bank on this machine: where tools have it do what payers and other banks do. */
  readonly control?: BankControl;
  readonly paused?: Pause;
  /** Payouts that the bank refused for a key that nobody has, in the hour since. */
  readonly unknownKeys?: { readonly since: string; readonly count: number };
  readonly createdAt: string;
};

const AccountShape = z.object({
  chave: z.string(),
  agencia: z.string(),
  conta: z.string(),
  tipoConta: z.enum(receiverAccountTypes),
  convenio: z.string().exactOptional(),
} satisfies Members<ConnectedAccount>);

const NarrowedShape = z.object({
  charges: z.boolean().exactOptional(),
  refunds: z.boolean().exactOptional(),
  recurrences: z.boolean().exactOptional(),
  balance: z.boolean().exactOptional(),
  payouts: z
    .object({
      byKey: z.boolean().exactOptional(),
      staticCode: z.boolean().exactOptional(),
      dynamicCode: z.boolean().exactOptional(),
      accountTypes: z.array(z.enum(bankAccountTypes)).exactOptional(),
      ted: z.boolean().exactOptional(),
      cancel: z.boolean().exactOptional(),
    } satisfies Members<Capabilities['payouts']>)
    .exactOptional(),
} satisfies Members<NarrowedCapabilities>);

const ConnectionItem = z.object({
  entity: z.literal('BANK_CONNECTION'),
  companyId: z.string(),
  dialect: z.literal('EFI'),
  apiUrl: z.string(),
  tokenUrl: z.string(),
  secret: z.string(),
  callback: z.object({ tokenHash: z.string(), subject: z.string() }),
  accounts: z.record(z.string(), AccountShape),
  capabilities: NarrowedShape.exactOptional(),
  control: z.object({ url: z.string(), client: z.string() } satisfies Members<BankControl>).exactOptional(),
  paused: z
    .object({ until: z.string(), cause: z.string(), failures: z.int() } satisfies Members<Pause>)
    .exactOptional(),
  /** Of the pause: what conditions compare. */
  pausedUntil: z.string().exactOptional(),
  unknownKeys: z.object({ since: z.string(), count: z.int() }).exactOptional(),
  createdAt: z.string(),
} satisfies ItemMembers<BankConnection & { pausedUntil: unknown }>);
const parseItemOfConnection = parserOf(ConnectionItem, 'bank connection');

function parseConnection(item: Item): BankConnection {
  const { pausedUntil: _pausedUntil, ...connection } = parseItemOfConnection(item);
  return connection;
}

/** One read; undefined for a company without a bank of its own. @throws CorruptItem */
export async function readConnection(store: Store, companyId: string): Promise<BankConnection | undefined> {
  const [item] = await store.read([keys.bankConnection(companyId)]);
  return item && parseConnection(item);
}

/** The connection, and what leads a callback to it. A connection that exists is replaced, its pause with it. */
export function connectionPut(connection: BankConnection): readonly Put[] {
  const { companyId, callback, accounts } = connection;
  const { paused } = connection;
  const item = { ...connection, ...(paused && { pausedUntil: paused.until }), accounts: structuredClone(accounts) };
  return [
    { put: { ...keys.bankConnection(companyId), entity: 'BANK_CONNECTION', ...item } },
    {
      put: { ...keys.bankCallback(callback.tokenHash), entity: 'BANK_CALLBACK', companyId },
      // A token is one company's for ever.
      when: { any: [{ is: 'absent' }, { equals: { companyId } }] },
    },
  ];
}

/** Pauses the connection, or with `next` undefined ends its pause. False when it changed since it was `seen`. */
export async function writePause(
  store: Store,
  companyId: string,
  next: Pause | undefined,
  seen: Pause | undefined,
): Promise<boolean> {
  const unchanged = seen === undefined ? { lacks: 'pausedUntil' } : { equals: { pausedUntil: seen.until } };
  const { ok } = await store.writeOne({
    update: keys.bankConnection(companyId),
    ...(next === undefined
      ? { remove: ['paused', 'pausedUntil'] }
      : { set: { paused: { ...next }, pausedUntil: next.until } }),
    when: { all: [{ is: 'present' }, unchanged] },
  });
  return ok;
}

const hourSeconds = 3600;

/** Payouts to unknown keys that a company may cause within an hour: more would block its lookups (DICT). */
const unknownKeysAnHour = 20;

/** Seconds until the company may pay to keys again; undefined when it may. */
export function unknownKeysWait({ unknownKeys }: BankConnection, at: Instant): number | undefined {
  if (unknownKeys === undefined || unknownKeys.count <= unknownKeysAnHour) return undefined;
  const left = hourSeconds - secondsBetween(unknownKeys.since, at);
  return left > 0 && left <= hourSeconds ? Math.ceil(left) : undefined;
}

/** Counts a payout that the bank refused for its key. Two at once may count as one. */
export async function countUnknownKey(
  store: Store,
  { companyId, unknownKeys }: BankConnection,
  at: Instant,
): Promise<void> {
  const isOver = unknownKeys === undefined || secondsBetween(unknownKeys.since, at) >= hourSeconds;
  const next = isOver ? { since: at, count: 1 } : { ...unknownKeys, count: unknownKeys.count + 1 };
  await store.writeOne({
    update: keys.bankConnection(companyId),
    set: { unknownKeys: next },
    when: { is: 'present' },
  });
}

/** The name of a company's secret in Secrets Manager: functions may read those of their environment alone. */
export function bankSecretName(environment: string, companyId: string): string {
  return `banking-order/${environment}/bank/${companyId}`;
}

/** A token as it is stored. */
export function callbackTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The company whose bank calls by this token, one read; undefined for a token that none has, and for one replaced. */
export async function companyOfCallback(store: Store, token: string): Promise<BankConnection | undefined> {
  const tokenHash = callbackTokenHash(token);
  const [item] = await store.read([keys.bankCallback(tokenHash)]);
  const companyId = item?.['companyId'];
  const connection = typeof companyId === 'string' ? await readConnection(store, companyId) : undefined;
  return connection?.callback.tokenHash === tokenHash ? connection : undefined;
}

/** Whether a bank may have this address: https, and on this machine in the local environment alone. */
export function isAllowedAddress(text: string, allowLocal: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, search, hash } = new URL(text);
  if (protocol !== 'https:' || username !== '' || search !== '' || hash !== '') return false;
  // A bank has a name: addresses are this machine's or a network's of ours.
  const isName = /^(?!.*(?:^|\.)(?:localhost|local|internal)$)(?:[a-z0-9-]+\.)+[a-z]{2,}$/u.test(hostname);
  return isName || (allowLocal && isOnThisMachine(text));
}

/** Whether the address of a connection is one of this machine. */
export function isOnThisMachine(url: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(new URL(url).hostname);
}
