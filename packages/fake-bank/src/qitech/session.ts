import type { Drawer } from '../archive.ts';
import type { Ids } from '../ids.ts';
import type { BankResponse } from '../refusal.ts';
import type { Instant } from '../time.ts';
import type { Client, Kinds } from './model.ts';
import type { Settings } from './settings.ts';

/** The bank's ISPB. */
export const bankIspb = '32402502';

/** An API call or control action for one client, within one transaction. */
export type Session = {
  readonly client: Client;
  /** The client's documents. */
  readonly drawer: Drawer<Kinds>;
  /** Documents that belong to no client. */
  readonly common: Drawer<Kinds>;
  readonly settings: Settings;
  /** The session of the client that has an account with the Pix key, in the same transaction. */
  readonly ownerOf: (pixKey: string) => Session | undefined;
  readonly now: Instant;
  readonly ids: Ids;
  /** Queues a webhook, if the client has an address; it is sent after the transaction's commit. */
  readonly notify: (type: string, data: object) => void;
};

type Call = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
};

/** Operation of the bank at a method and path. */
export type Operation = {
  readonly method: 'GET' | 'POST';
  /** Segments that begin with a colon are parameters. */
  readonly path: string;
  readonly run: (session: Session, call: Call) => BankResponse;
};
