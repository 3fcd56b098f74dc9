import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Capabilities } from './capabilities.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Put, Store } from '../platform/table/store.ts';
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
  readonly paused?: Pause;
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
  paused: z
    .object({ until: z.string(), cause: z.string(), failures: z.int() } satisfies Members<Pause>)
    .exactOptional(),
  createdAt: z.string(),
} satisfies ItemMembers<BankConnection>);
const parseConnection = parserOf(ConnectionItem, 'bank connection');

/** One read; undefined for a company without a bank of its own. @throws CorruptItem */
export async function readConnection(store: Store, companyId: string): Promise<BankConnection | undefined> {
  const [item] = await store.read([keys.bankConnection(companyId)]);
  return item && parseConnection(item);
}

/** The connection, and what leads a callback to it. A connection that exists is replaced, its pause with it. */
export function connectionPut(connection: BankConnection): readonly Put[] {
  const { companyId, callback, accounts } = connection;
  const item = { ...connection, accounts: structuredClone(accounts) };
  return [
    { put: { ...keys.bankConnection(companyId), entity: 'BANK_CONNECTION', ...item } },
    {
      put: { ...keys.bankCallback(callback.tokenHash), entity: 'BANK_CALLBACK', companyId },
      // A token is one company's for ever.
      when: { any: [{ is: 'absent' }, { equals: { companyId } }] },
    },
  ];
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
