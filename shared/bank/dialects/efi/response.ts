import * as z from 'zod';
import type { Met } from '#shared/bank/calls/bank-calls.ts';
import type { CallOutcome } from '#shared/bank/calls/bank-client.ts';
import type { BankResponse, Exchange } from '#shared/bank/calls/response.ts';
import { judgeExchange } from '#shared/bank/calls/response.ts';
import { firstOf } from '#shared/core/visible.ts';

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
  return judgeExchange(exchange, (response) => decide(response, kind));
}

function decide({ status, body, retryAfterSeconds }: BankResponse, kind: 'COMMAND' | 'QUESTION'): CallOutcome {
  const later = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
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
