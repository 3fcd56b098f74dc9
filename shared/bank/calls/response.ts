import type { Instant } from '#shared/core/brasilia-time.ts';
import { parseHttpDate, secondsBetween } from '#shared/core/brasilia-time.ts';
import { pick } from '#shared/core/pick.ts';
import type { CallOutcome } from './bank-client.ts';

/** The bank's reply to one call. `body` is undefined when it is not JSON. */
export type BankResponse = {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterSeconds?: number;
};

/** The bank surely did not receive the call. */
type NotConnected = {
  readonly status: 'NOT_CONNECTED';
  readonly cause: string;
  /** A person must fix it: the secret, a certificate, an authority or an address. */
  readonly isAccess?: boolean;
  readonly retryAfterSeconds?: number;
};

/** Outcome of a call: a reply; `NOT_CONNECTED`, surely not received; or `NO_ANSWER`, perhaps received. */
export type Exchange = BankResponse | NotConnected | { readonly status: 'NO_ANSWER' };

/**
 * Judges a reply as every bank means it: `UNKNOWN`: the command may have been carried out. `NOT_NOW`: it was surely not
 * carried out, and not refused.
 * @param decide of the dialect: the meaning of any other status, for which only its own errors are a refusal
 */
export function judgeExchange(exchange: Exchange, decide: (response: BankResponse) => CallOutcome): CallOutcome {
  if (exchange.status === 'NOT_CONNECTED') return { is: 'NOT_NOW', ...pick(exchange, 'cause', 'retryAfterSeconds') };
  if (exchange.status === 'NO_ANSWER') return { is: 'UNKNOWN' };
  const { status, body } = exchange;
  if (status >= 200 && status < 300) return body === undefined ? { is: 'UNKNOWN' } : { is: 'OK', body };
  if (status === 401) return { is: 'NOT_NOW', cause: 'The bank rejected the token (401).' };
  if (status === 403)
    return { is: 'NOT_NOW', cause: 'Contract, scope or certificate does not allow the operation (403).' };
  if (status === 429)
    return {
      is: 'NOT_NOW',
      cause: 'The bank limits the number of calls (429).',
      ...pick(exchange, 'retryAfterSeconds'),
    };
  return decide(exchange);
}

/** Returns the access error that a person must fix (401, 403, a bad secret, certificate or address), else undefined. */
export function accessErrorOf(exchange: Exchange): string | undefined {
  const { status } = exchange;
  if (status === 'NOT_CONNECTED') return exchange.isAccess === true ? exchange.cause : undefined;
  return status === 401 || status === 403 ? `status ${status}` : undefined;
}

const longestWaitSeconds = 86_400;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3), whole seconds or a date, as seconds: at most a day. Undefined for other text.
 * @param at time of the bank's response, by its own clock
 */
export function secondsToWait(header: string | undefined, at: Instant): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/u.test(text)) return Math.min(Number(text), longestWaitSeconds);
  const until = parseHttpDate(text);
  if (until === undefined) return undefined;
  return Math.min(Math.max(0, Math.ceil(secondsBetween(at, until))), longestWaitSeconds);
}
