import type * as z from 'zod';
import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Capabilities } from '../capabilities.ts';
import type { BankConnection, ConnectedAccount, Pause } from '../connection.ts';
import type { UncheckedCharges } from '../ports/charges.ts';
import type { BankEvent } from '../ports/bank-events.ts';
import type { UncheckedDefences } from '../ports/defences.ts';
import type { OwnRecords, UncheckedDirectory } from '../ports/directory.ts';
import type { UncheckedKeys } from '../ports/keys.ts';
import type { UncheckedPayouts } from '../ports/payouts.ts';
import type { BankReader } from '../ports/reader.ts';
import type { UncheckedRecurrences } from '../ports/recurrences.ts';
import type { UncheckedRecurringCharges } from '../ports/recurring-charges.ts';
import type { UncheckedRefunds } from '../ports/refunds.ts';
import type { report } from '../report.ts';
import type { FetchSecret } from '../secret.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { Exchanges, Identity } from '../calls/exchange.ts';

/** Dependencies that a client gets from its process. */
export type OpenTools = {
  readonly store: Store;
  readonly now: Clock;
  readonly fetchSecret: FetchSecret;
  /** Whether a bank may be on this machine: only in the local environment. */
  readonly allowLocal: boolean;
  readonly report: typeof report;
  /** The pause of the connection, as the table has it. */
  readonly paused: () => Promise<Pause | undefined>;
  /** Replaces the pause; false when another process changed it since it was `seen`. */
  readonly writePause: (next: Pause | undefined, seen: Pause | undefined) => Promise<boolean>;
  /** Opens the transport to the bank. Default: mTLS. */
  readonly exchangesOf?: (identity: Identity) => Exchanges;
};

/** The callback address at a bank. */
type Webhooks = {
  /** Returns the paths where it is registered. */
  readonly paths: (connection: BankConnection, can: Capabilities) => readonly string[];
  /** Whether the webhook at a path serves this key. */
  readonly isOf: (path: string, key: string) => boolean;
  /** Names a webhook for operators: without the key, which may be a person's. */
  readonly nameOf: (path: string) => string;
};

/** The questions by which an operator's command examines a bank. */
export type Check = {
  /** OAuth scopes that the capabilities need. */
  readonly scopes: (can: Capabilities) => readonly string[];
  /** Returns the paths of the lists to read, without a query. The reader reads the balance. */
  readonly lists: (can: Capabilities, connection: BankConnection) => readonly string[];
  readonly balance: string;
  /** Returns the query of a list for the items created between two times. */
  readonly window: (from: string, to: string) => string;
  /** Absent: the callback address is not registered by the API. */
  readonly webhooks?: Webhooks;
  /** Returns the operation of a call, without ids, keys and query. */
  readonly operation: (call: { readonly method: string; readonly path: string }) => string;
};

/** Our key at a bank (PEM), of a connection's secret, and its certificate where the bank knows us by one. */
export type Identified = { readonly certificate?: string; readonly key: string };

/** Options of `bank:connect` by their names, each a text. */
type Options<Output> = z.ZodObject & z.ZodType<Output>;

/** What `bank:connect` takes for a connection of the dialect. An option of another dialect is refused. */
export type Connecting = {
  /** Facts of the connection. `callbackSubject`: of the certificate with which the bank calls back. */
  readonly connection: Options<{ readonly tokenUrl?: string; readonly callbackSubject?: string }>;
  /** Facts of one account: what the connection stores of it. */
  readonly account: Options<ConnectedAccount>;
  /** Files with members of the secret, of the same names. */
  readonly files: Options<Readonly<Record<string, string | undefined>>>;
  /** Names an account at the bank, the same however an operator writes it: only one account of one company has it. */
  readonly placeOf: (account: ConnectedAccount) => string;
};

/** Members of a dialect; each has a table in dialects.ts. */
export type Manifest = {
  /** Capabilities of the dialect's banks. A connection's contract may exclude some. */
  readonly capabilities: Capabilities;
  readonly connecting: Connecting;
  /** Opens the client of a connection. */
  readonly open: (connection: BankConnection, tools: OpenTools) => Pick<Connected, 'client' | 'recurrences'>;
  /** Absent parts: the capabilities exclude what needs them. */
  readonly charges?: (bank: Connected) => UncheckedCharges;
  readonly defences?: (bank: Connected) => UncheckedDefences;
  readonly directory: (bank: Connected, own: OwnRecords) => UncheckedDirectory;
  readonly keys?: (bank: Connected) => UncheckedKeys;
  readonly payouts: (bank: Connected) => UncheckedPayouts;
  readonly recurrences?: (bank: Connected) => UncheckedRecurrences;
  readonly recurringCharges?: (bank: Connected) => UncheckedRecurringCharges;
  readonly refunds?: (bank: Connected) => UncheckedRefunds;
  readonly reader: (bank: Pick<Connected, 'client' | 'connection'>, now: Clock) => BankReader;
  /**
   * Returns the bank events in the body of a callback; undefined for a malformed body, which the bank sends again.
   * Absent: the bank does not call back.
   */
  readonly parseCallback?: (text: string) => readonly BankEvent[] | undefined;
  /** Parses a secret. @throws SecretUnavailable with the names of the malformed fields, never their values */
  readonly parseSecret: (text: string) => Identified;
  readonly check: Check;
};
