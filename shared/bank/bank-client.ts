import type { Instant } from '../core/brasilia-time.ts';

/** Meaning of a reply for a command (`CommandOutcome`) or a question. */
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
  /** Makes one call of a command; returns the meaning of its reply. */
  readonly command: (request: BankRequest) => Promise<CallOutcome>;
  /** Makes one call of a question; `MISSING`: the bank has no such thing. */
  readonly question: (request: BankRequest) => Promise<CallOutcome | { readonly is: 'MISSING' }>;
  /** The same: the body, or undefined when the bank has no such thing. @throws BankUnavailable */
  readonly query: (request: BankRequest) => Promise<unknown>;
  /** A new token. @throws BankUnavailable with the cause. */
  readonly authorize: () => Promise<{ readonly scope: string }>;
  /** Reports a reply about another thing than was asked for, by the fields that name it. */
  readonly misled: (fields: string) => void;
  /** Returns the expiry of the certificate that the bank knows us by. @throws SecretUnavailable */
  readonly certificateExpiry: () => Promise<Instant>;
};
