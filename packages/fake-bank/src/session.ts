import type { IncomingHttpHeaders } from 'node:http';
import type { Drawer } from './archive.ts';
import type { Ids } from './ids.ts';
import type { Client } from './model.ts';
import type { BankResponse } from './refusal.ts';
import type { Instant } from './time.ts';

/** An API call or control action for one client, within one transaction. */
export type Session = {
  readonly client: Client;
  /** The client's documents. */
  readonly drawer: Drawer;
  /** Documents that belong to no client. */
  readonly common: Drawer;
  /** The session of another client of this bank, in the same transaction. */
  readonly peer: (client: string) => Session | undefined;
  readonly now: Instant;
  readonly ids: Ids;
  /** Queues a callback to the client's webhook, if that is registered; it is sent after the transaction's commit. */
  readonly notify: (hook: string, collection: Collection, item: object) => void;
  /** Moves the waiting callbacks of an address to another address and makes them due immediately. */
  readonly readdress: (from: string, to: string) => void;
};

/** Name of the list in a callback's body. */
export type Collection = 'pix' | 'recs' | 'cobsr';

export type Call = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
};

/** Probes an address for callbacks before it is registered. @throws Refusal when the probe fails. */
export type Probe = (url: string, checksCertificate: boolean) => Promise<void>;

/** Operation of the bank at a method and path. */
export type Operation = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Segments that begin with a colon are parameters. */
  readonly path: string;
  readonly scope: string;
  readonly run: (session: Session, call: Call) => BankResponse;
  /** Check that must succeed first: the probe of a webhook. */
  readonly before?: (probe: Probe, call: Call) => Promise<void>;
};

/** The bank's ISPB, as Efí's. */
export const bankIspb = '09089356';
/** Host of the locations; it does not exist. */
export const locationHost = 'pix.banco-local.com.br';
