import * as z from 'zod';
import type { Met } from '#shared/bank/calls/bank-calls.ts';
import type { CallOutcome } from '#shared/bank/calls/bank-client.ts';
import type { BankResponse, Exchange } from '#shared/bank/calls/response.ts';
import { judgeExchange } from '#shared/bank/calls/response.ts';
import { firstOf } from '#shared/core/visible.ts';

/** An error: `translation` is in Portuguese. Old pages have it inside `data`. */
const Problem = z.object({
  title: z.string().nullish(),
  description: z.string().nullish(),
  translation: z.string().nullish(),
  code: z.string().min(1),
});
type Problem = z.output<typeof Problem>;
const OldProblem = z.object({ data: Problem });

function problemOf(exchange: Exchange): Problem | undefined {
  const body = 'body' in exchange ? exchange.body : undefined;
  return Problem.safeParse(body).data ?? OldProblem.safeParse(body).data?.data;
}

/** Codes of the bank's gateway, which a request did not pass: our client key, its signature, its rights. */
const gatewayCode = /^GDF\d/u;
const refusingStatuses = [400, 404, 422];
/** Texts that may mean that the bank has the command already. Its pages show none: what is like one counts. */
const usedAlready =
  /already|duplicat|in use|idempoten|conflict|j[áa] (?:foi |est[áa] )?(?:utilizad|usad|exist|cadastrad|realizad|process)|em uso|duplicad|conflito/iu;

/**
 * Returns the reply of a call. A refusal by the gateway is a call that did not reach the bank, and a person must act:
 * it knows our client key or signature no more.
 */
export function behindGateway(exchange: Exchange): Exchange {
  const code = problemOf(exchange)?.code ?? '';
  const isRefused = (exchange.status === 400 || exchange.status === 404) && gatewayCode.test(code);
  if (!isRefused) return exchange;
  return { status: 'NOT_CONNECTED', cause: `The bank refused our client key: ${code.slice(0, 35)}.`, isAccess: true };
}

/** Judges a reply: the only place that decides what a reply means for the command. */
export function judge(exchange: Exchange, kind: 'COMMAND' | 'QUESTION' = 'COMMAND'): CallOutcome {
  return judgeExchange(exchange, (response) => decide(response, kind));
}

function decide(response: BankResponse, kind: 'COMMAND' | 'QUESTION'): CallOutcome {
  const problem = problemOf(response);
  if (problem === undefined || !refusingStatuses.includes(response.status)) return { is: 'UNKNOWN' };
  const { code, title, description, translation } = problem;
  const texts = [title, description, translation].filter((text) => typeof text === 'string' && text.trim() !== '');
  // A question changes nothing, so no earlier try of it can have had an effect.
  if (kind === 'COMMAND' && texts.some((text) => usedAlready.test(text ?? ''))) return { is: 'UNKNOWN' };
  const reason = (translation ?? description ?? title ?? '').replaceAll(/\s+/gu, ' ').trim();
  return { is: 'REFUSED', code: code.slice(0, 35), reason: firstOf(reason === '' ? code : reason, 140) };
}

/**
 * Whether the bank responded that the DICT does not have a key: 404 about a key. Any other 404, as of an account that
 * the bank does not know, shows nothing about what was asked.
 */
export function isMissing(exchange: Exchange): boolean {
  const { description, translation } = problemOf(exchange) ?? {};
  return exchange.status === 404 && /pix[ _]?key|chave pix/iu.test(`${description ?? ''} ${translation ?? ''}`);
}

/** Returns whether the bank refused or allowed the operation; undefined when the response does not show it. */
export function metBy(exchange: Exchange): Met | undefined {
  const { status } = exchange;
  const code = /^\w{1,35}$/u.exec(problemOf(exchange)?.code ?? '')?.[0];
  if (status === 401 || status === 403) return { is: 'REFUSED', status, ...(code !== undefined && { code }) };
  return isMissing(exchange) || (typeof status === 'number' && status < 300) ? { is: 'DONE' } : undefined;
}
