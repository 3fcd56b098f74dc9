import { firstOf } from '#shared/core/visible.ts';
import * as z from 'zod';
import type { Met } from '#shared/bank/bank-calls.ts';
import type { CallOutcome } from '#shared/bank/bank-client.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { parseHttpDate, secondsBetween } from '#shared/core/brasilia-time.ts';
import { pick } from '#shared/core/pick.ts';

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

/** RFC 7807 of the API Pix; `{nome, mensagem}` of Efí's own endpoints. */
const Problem = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  violacoes: z.array(z.object({ razao: z.string().optional(), propriedade: z.string().optional() })).optional(),
  nome: z.string().optional(),
  mensagem: z.string().optional(),
});
type Problem = z.output<typeof Problem>;

/**
 * Messages of errors by which the bank reports that the command, or the resource that it creates, exists already,
 * perhaps from an earlier try.
 */
const usedAlready =
  /j[áa] (?:foi )?(?:est[áa] )?(?:sendo )?(?:utilizad|usad|exist|cadastrad|pag)|em uso|duplicad|n[ãa]o est[áa] ativ|tentativa vigente|tentativa n[ãa]o finalizada|mesmo ciclo|expirada, cancelada ou rejeitada/iu;

const refusingStatuses = [400, 404, 410, 422];

/** The code of a body: the last segment of `type`, or Efí's `nome`. */
function codeOf({ type, nome }: Problem): string | undefined {
  const last = type?.split(/[/#]/u).at(-1);
  return last === undefined || last === '' ? nome : last;
}

/** Returns all messages of an error body, for `usedAlready`. */
function textsOf({ title, detail, violacoes = [], nome, mensagem }: Problem): readonly string[] {
  return [title, detail, nome, mensagem, ...violacoes.map(({ razao }) => razao)].filter((text) => text !== undefined);
}

/**
 * Judges a reply: the only place that decides what a reply means for the command (API Pix: only a definite refusal is a
 * refusal). `UNKNOWN`: the command may have been carried out. `NOT_NOW`: it was surely not carried out, and not
 * refused.
 */
export function judge(exchange: Exchange, kind: 'COMMAND' | 'QUESTION' = 'COMMAND'): CallOutcome {
  if (exchange.status === 'NOT_CONNECTED') return { is: 'NOT_NOW', ...pick(exchange, 'cause', 'retryAfterSeconds') };
  if (exchange.status === 'NO_ANSWER') return { is: 'UNKNOWN' };
  const { status, body, retryAfterSeconds } = exchange;
  const later = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  if (status >= 200 && status < 300) return body === undefined ? { is: 'UNKNOWN' } : { is: 'OK', body };
  if (status === 401) return { is: 'NOT_NOW', cause: 'The bank rejected the token (401).' };
  if (status === 403)
    return { is: 'NOT_NOW', cause: 'Contract, scope or certificate does not allow the operation (403).' };
  if (status === 429) return { is: 'NOT_NOW', cause: 'The bank limits the number of calls (429).', ...later };
  const { data: problem } = Problem.safeParse(body);
  const code = problem && codeOf(problem);
  // Without a code the response is of a gateway or proxy before the bank: the outcome of the command is unknown.
  if (problem === undefined || code === undefined || !refusingStatuses.includes(status))
    return { is: 'UNKNOWN', ...later };
  const messages = textsOf(problem);
  // A question changes nothing, so no earlier try of it can have had an effect.
  if (kind === 'COMMAND' && messages.some((text) => usedAlready.test(text.replaceAll('_', ' '))))
    return { is: 'UNKNOWN' };
  return { is: 'REFUSED', code: code.slice(0, 35), reason: reasonOf(problem, code) };
}

/** Returns the access error that a person must fix (401, 403, a bad secret, certificate or address), else undefined. */
export function accessErrorOf(exchange: Exchange): string | undefined {
  const { status } = exchange;
  if (status === 'NOT_CONNECTED') return exchange.isAccess === true ? exchange.cause : undefined;
  return status === 401 || status === 403 ? `status ${status}` : undefined;
}

/** Returns the bank's code in a response, if it has the form of a code that may be logged. */
function codeIn(exchange: Exchange): string | undefined {
  const { data: problem } = Problem.safeParse('body' in exchange ? exchange.body : undefined);
  return /^[\w.-]{1,35}$/u.exec((problem && codeOf(problem)) ?? '')?.[0];
}

/** Returns whether the bank refused or allowed the operation; undefined when the response does not show it. */
export function metBy(exchange: Exchange): Met | undefined {
  const { status } = exchange;
  const code = codeIn(exchange);
  if (status === 401 || status === 403) return { is: 'REFUSED', status, ...(code !== undefined && { code }) };
  return isMissing(exchange) || (typeof status === 'number' && status < 300) ? { is: 'DONE' } : undefined;
}

/** Whether the bank responded that the resource does not exist: 404 with a code that says so. */
export function isMissing(exchange: Exchange): boolean {
  const { data: problem } = Problem.safeParse('body' in exchange ? exchange.body : undefined);
  const code = (problem && codeOf(problem)) ?? '';
  return exchange.status === 404 && /n[aã]o_?encontrad/iu.test(code);
}

/**
 * Returns the bank's message, cut to the 140 characters that the ports take. It leaves out the offending values, which
 * may be personal.
 */
function reasonOf({ violacoes = [], detail, mensagem, title }: Problem, code: string): string {
  const text = violacoes.find(({ razao }) => razao !== undefined && razao !== '')?.razao ?? detail ?? mensagem ?? title;
  const oneLine = (text ?? code).replaceAll(/\s+/gu, ' ').trim();
  return firstOf(oneLine === '' ? code : oneLine, 140);
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
