import type { IncomingHttpHeaders } from 'node:http';
import type { Drawer } from './archive.ts';
import type { Ids } from './ids.ts';
import type { Client } from './model.ts';
import type { BankResponse } from './refusal.ts';
import type { Instant } from './time.ts';

/** A call or move of one client, within one transaction. */
export type Session = {
  readonly client: Client;
  /** The client's documents. */
  readonly drawer: Drawer;
  /** Documents of no client. */
  readonly common: Drawer;
  /** The session of another client of this bank, in the same transaction. */
  readonly peer: (client: string) => Session | undefined;
  readonly now: Instant;
  readonly ids: Ids;
  /** Notifies the client by a webhook, if it has that, once the transaction is committed. */
  readonly notify: (hook: string, collection: Collection, item: object) => void;
  /** Sends the callbacks that wait for an address to another one, immediately. */
  readonly readdress: (from: string, to: string) => void;
};

/** Member of a callback's body. */
export type Collection = 'pix' | 'recs' | 'cobsr';

export type Call = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
};

/** Examines an address of callbacks before it is registered. @throws Refusal */
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
/** Where locations are; no such host exists. */
export const locationHost = 'pix.banco-local.com.br';
