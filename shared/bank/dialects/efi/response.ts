import * as z from 'zod';
import type { Met } from '#shared/bank/bank-calls.ts';
import type { CallOutcome } from '#shared/bank/bank-client.ts';
import { pick } from '#shared/core/pick.ts';

/** The bank's reply to one call. Absent `body`: not JSON. */
export type BankResponse = {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterSeconds?: number;
};

/** The bank surely did not have the call. */
type NotConnected = {
  readonly status: 'NOT_CONNECTED';
  readonly cause: string;
  /** A person must fix it: the secret, a certificate, an authority or an address. */
  readonly isAccess?: boolean;
  readonly retryAfterSeconds?: number;
};

/** Outcome of a call: a reply, surely not received by the bank, or neither. */
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
 * Messages of errors that report the command, or the thing that it creates, as existing already, perhaps by an earlier
 * try.
 */
const usedAlready =
  /j[áa] (?:foi )?(?:est[áa] )?(?:sendo )?(?:utilizad|usad|exist|cadastrad|pag)|em uso|duplicad|n[ãa]o est[áa] ativ|tentativa vigente|tentativa n[ãa]o finalizada|mesmo ciclo|expirada, cancelada ou rejeitada/iu;

const refusingStatuses = [400, 404, 410, 422];

/** The code of a body: the last segment of `type`, or Efí's `nome`. */
function codeOf({ type, nome }: Problem): string | undefined {
  const last = type?.split(/[/#]/u).at(-1);
  return last === undefined || last === '' ? nome : last;
}

/** Everything that a body says, for `usedAlready`. */
function textsOf({ title, detail, violacoes = [], nome, mensagem }: Problem): readonly string[] {
  return [title, detail, nome, mensagem, ...violacoes.map(({ razao }) => razao)].filter((text) => text !== undefined);
}

/**
 * Judges a reply: THE table of its meaning for the command (api-pix: a refusal is definite or it is none). `UNKNOWN`:
 * it may have been carried out. `NOT_NOW`: it surely was not, and was not refused.
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
  // No earlier try of a question did anything.
  if (kind === 'COMMAND' && messages.some((text) => usedAlready.test(text.replaceAll('_', ' '))))
    return { is: 'UNKNOWN' };
  return { is: 'REFUSED', code: code.slice(0, 35), reason: reasonOf(problem, code) };
}

/** Returns the access error that a person must fix: access was refused, or could not be requested. Else undefined. */
export function accessErrorOf(exchange: Exchange): string | undefined {
  const { status } = exchange;
  if (status === 'NOT_CONNECTED') return exchange.isAccess === true ? exchange.cause : undefined;
  return status === 401 || status === 403 ? `status ${status}` : undefined;
}

/** The bank's code in an answer, if it is one that a log may hold. */
function codeIn(exchange: Exchange): string | undefined {
  const { data: problem } = Problem.safeParse('body' in exchange ? exchange.body : undefined);
  return /^[\w.-]{1,35}$/u.exec((problem && codeOf(problem)) ?? '')?.[0];
}

/** How the bank answered a call; undefined when that says nothing about whether it lets us in. */
export function metBy(exchange: Exchange): Met | undefined {
  const { status } = exchange;
  const code = codeIn(exchange);
  if (status === 401 || status === 403) return { is: 'REFUSED', status, ...(code !== undefined && { code }) };
  return isMissing(exchange) || (typeof status === 'number' && status < 300) ? { is: 'DONE' } : undefined;
}

/** Whether a question was answered by "there is none": 404 with a code that says so. */
export function isMissing(exchange: Exchange): boolean {
  const { data: problem } = Problem.safeParse('body' in exchange ? exchange.body : undefined);
  const code = (problem && codeOf(problem)) ?? '';
  return exchange.status === 404 && /n[aã]o_?encontrad/iu.test(code);
}

/** The bank's messages exceed the 140 characters that the ports take. Values are not repeated: they may be personal. */
function reasonOf({ violacoes = [], detail, mensagem, title }: Problem, code: string): string {
  const text = violacoes.find(({ razao }) => razao !== undefined && razao !== '')?.razao ?? detail ?? mensagem ?? title;
  const oneLine = (text ?? code).replaceAll(/\s+/gu, ' ').trim();
  return (oneLine === '' ? code : oneLine).slice(0, 140);
}
