import type { Instant } from '../core/brasilia-time.ts';

/** What an answer means for a command (`CommandOutcome`) or a question. */
export type Verdict =
  | { readonly is: 'OK'; readonly body: unknown }
  | { readonly is: 'REFUSED'; readonly code: string; readonly reason: string }
  | { readonly is: 'UNKNOWN'; readonly retryAfterSeconds?: number }
  | { readonly is: 'NOT_NOW'; readonly cause: string; readonly retryAfterSeconds?: number };

export type BankRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** With its query, from the base of the API on. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

export type BankClient = {
  /** One call of a command: what its answer means. */
  readonly command: (request: BankRequest) => Promise<Verdict>;
  /** One question; `MISSING`: the bank says that it has no such thing. */
  readonly question: (request: BankRequest) => Promise<Verdict | { readonly is: 'MISSING' }>;
  /** The same: the body, or undefined when the bank has no such thing. @throws BankUnavailable */
  readonly query: (request: BankRequest) => Promise<unknown>;
  /** A new token. @throws BankUnavailable with the cause. */
  readonly authorize: () => Promise<{ readonly scope: string }>;
  /** Told of an answer about another thing than was asked for, by the fields that name it. */
  readonly misled: (fields: string) => void;
  /** When the certificate ends that the bank knows us by. @throws SecretUnavailable */
  readonly certificateExpiry: () => Promise<Instant>;
};
