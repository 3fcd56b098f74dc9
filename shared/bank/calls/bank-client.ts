import type { Instant } from '#shared/core/brasilia-time.ts';

/** The meaning of a bank's reply to a command (as in `CommandOutcome`) or to a question (a read). */
export type CallOutcome =
  | { readonly is: 'OK'; readonly body: unknown }
  | { readonly is: 'REFUSED'; readonly code: string; readonly reason: string }
  | { readonly is: 'UNKNOWN'; readonly retryAfterSeconds?: number }
  | { readonly is: 'NOT_NOW'; readonly cause: string; readonly retryAfterSeconds?: number };

export type BankRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Path from the base of the API, with its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

export type BankClient = {
  /** Sends a command in one call; returns the meaning of its reply. */
  readonly command: (request: BankRequest) => Promise<CallOutcome>;
  /** Sends a question in one call; `MISSING`: the bank has no such resource. */
  readonly question: (request: BankRequest) => Promise<CallOutcome | { readonly is: 'MISSING' }>;
  /** Sends a question; returns the body, or undefined when the bank has no such resource. @throws BankUnavailable */
  readonly query: (request: BankRequest) => Promise<unknown>;
  /** Requests a new token; returns its scope. @throws BankUnavailable with the cause */
  readonly authorize: () => Promise<{ readonly scope: string }>;
  /** Reports a reply that names another resource than the request, by the names of the fields that differ. */
  readonly misled: (fields: string) => void;
  /** Reports a value of an enumeration that the dialect does not know. */
  readonly notKnown: (field: string, value: string) => void;
  /** Returns the expiry of the certificate by which the bank knows us, if there is one. @throws SecretUnavailable */
  readonly certificateExpiry: () => Promise<Instant | undefined>;
};
