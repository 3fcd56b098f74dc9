import type { Dialect } from '../bank/dialects/dialect.ts';
import { parseCallback } from '../bank/dialects/dialects.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';

/** Largest body of a callback, bytes. */
export const maxCallbackBytes = 256 * 1024;

/** The connection that a token belongs to, its company and dialect, and the subject of its bank's certificate. */
type Callee = {
  readonly companyId: string;
  readonly connectionId: string;
  readonly dialect: Dialect;
  /** Absent: the bank does not call back. */
  readonly subject?: string;
};

export type CallbackRequest = {
  readonly token: string;
  /** Distinguished name of the client certificate that the gateway checked; undefined without one. */
  readonly subject: string | undefined;
  readonly body: Buffer;
};

/** Events by queue: a flood of unknown ids does not delay the company's own. */
export type Lanes = { readonly own: readonly BankEvent[]; readonly unknown: readonly BankEvent[] };

export type CallbackDependencies = {
  /** The connection with this token. @throws StoreUnavailable */
  readonly findCallee: (token: string) => Promise<Callee | undefined>;
  /** Uses the company's capacity of ids for this minute; false when none is left. @throws StoreUnavailable */
  readonly takeQuota: (companyId: string, ids: number) => Promise<boolean>;
  /** Returns the events whose ids name a resource of the company. @throws StoreUnavailable */
  readonly findOwn: (companyId: string, events: readonly BankEvent[]) => Promise<ReadonlySet<BankEvent>>;
  /** Puts each on the queue of its lane, in any order; true once the queues have all of them. */
  readonly enqueue: (callee: Callee, lanes: Lanes) => Promise<boolean>;
};

/** Outcome of a callback; `ids`: number of ids in it. */
export type CallbackOutcome = {
  readonly status: 200 | 400 | 403 | 404 | 413 | 429 | 503;
  readonly outcome: 'TAKEN' | 'NO_CERTIFICATE' | 'UNKNOWN_TOKEN' | 'OTHER_SUBJECT' | 'TOO_LARGE' | 'NO_JSON' | Failed;
  readonly ids: number;
  readonly companyId?: string;
};
/** `FAILED`: an error of the service itself. */
type Failed = 'TOO_MANY' | 'NOT_QUEUED' | 'FAILED';

/** At least 128 bits, in base64url. */
const tokenGrammar = /^[A-Za-z0-9_-]{22,86}$/u;

/**
 * Receives a callback of a bank: only its ids go to the queues. A caller without the certificate of the connection's
 * bank, or without the token, costs one read at most. 200 means that the queues have every id. After any other status
 * the bank sends the callback again; the lists find the events that it does not send again.
 */
export async function receiveCallback(
  { token, subject, body }: CallbackRequest,
  { findCallee, takeQuota, findOwn, enqueue }: CallbackDependencies,
): Promise<CallbackOutcome> {
  if (subject === undefined || subject === '') return { status: 403, outcome: 'NO_CERTIFICATE', ids: 0 };
  if (body.byteLength > maxCallbackBytes) return { status: 413, outcome: 'TOO_LARGE', ids: 0 };
  const callee = tokenGrammar.test(token) ? await findCallee(token) : undefined;
  if (callee === undefined) return { status: 404, outcome: 'UNKNOWN_TOKEN', ids: 0 };
  const { companyId } = callee;
  if (callee.subject === undefined || !isSubject(subject, callee.subject))
    return { status: 403, outcome: 'OTHER_SUBJECT', ids: 0, companyId };
  const events = parseCallback[callee.dialect]?.(body.toString('utf8'));
  if (events === undefined) return { status: 400, outcome: 'NO_JSON', ids: 0, companyId };
  const ids = events.length;
  if (ids === 0) return { status: 200, outcome: 'TAKEN', ids, companyId };
  if (!(await takeQuota(companyId, ids))) return { status: 429, outcome: 'TOO_MANY', ids, companyId };
  const own = await findOwn(companyId, events);
  const lanes = { own: events.filter((event) => own.has(event)), unknown: events.filter((event) => !own.has(event)) };
  if (!(await enqueue(callee, lanes))) return { status: 503, outcome: 'NOT_QUEUED', ids, companyId };
  return { status: 200, outcome: 'TAKEN', ids, companyId };
}

/**
 * Whether two strings are the same distinguished name (RFC 4514): programs write its parts in other orders and with
 * other blanks around them.
 */
function isSubject(subject: string, expected: string): boolean {
  return partsOf(subject) === partsOf(expected);
}

function partsOf(name: string): string {
  const parts = name.split(/(?<!\\)[,\n]/u).map((part) => {
    const [type = '', ...value] = part.split('=');
    return `${type.trim().toUpperCase()}=${value.join('=').trim()}`;
  });
  return parts.toSorted().join('\n');
}
