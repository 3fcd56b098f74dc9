import * as z from 'zod';
import type { BankResponse } from './refusal.ts';

/**
 * Faults that can be injected into a call.
 *
 * - `LOSE_REQUEST`: not executed, the connection closes. `LOSE_ANSWER`: executed, the connection closes.
 * - `ERROR_BEFORE`, `ERROR_AFTER`: 5xx, before execution or after it.
 * - `TOO_MANY`: 429. `FORBID`: 403. `UNAUTHORIZED`: 401. Not executed.
 * - `HANG`: executed, without a response. `DELAY`: executed, the response comes `ms` late.
 * - `GARBLE`: executed, and the response is not JSON.
 * - `NEW_VALUE`: executed, and the response gives the resource `id` the status `VALOR_NOVO`, which no bank has yet.
 * - `OTHER_THING`: executed, and the response is about another thing: another id is in the place of `id`, or of all.
 * - `LAG`: `GET` requests read the state of `ms` ago.
 */
const faultNames = [
  ...['LOSE_REQUEST', 'LOSE_ANSWER', 'ERROR_BEFORE', 'ERROR_AFTER', 'TOO_MANY', 'FORBID', 'UNAUTHORIZED'],
  ...['HANG', 'DELAY', 'GARBLE', 'NEW_VALUE', 'OTHER_THING', 'LAG'],
] as const;

export const FaultRequest = z.strictObject({
  fault: z.enum(faultNames),
  /** HTTP method; absent: any. */
  method: z.string().optional(),
  /** Regular expression of paths; absent: any. */
  path: z.string().optional(),
  /** Number of calls that it affects; absent: all until it is cleared. */
  times: z.int().positive().optional(),
  /** Probability that it affects a call, from 0 to 1. */
  share: z.number().min(0).max(1).default(1),
  status: z.int().min(500).max(599).default(503),
  retryAfter: z.int().min(0).optional(),
  ms: z.int().min(0).default(1000),
  /** Any id of the resource that `NEW_VALUE` or `OTHER_THING` affects. */
  id: z.string().optional(),
});

export type Fault = z.output<typeof FaultRequest>;

export type Faults = ReturnType<typeof openFaults>;

/** Creates the list of injected faults, which is kept only in memory. */
export function openFaults(chance: () => number = Math.random) {
  let rules: { rule: Fault; left: number }[] = [];
  return {
    add: (rule: Fault): void => {
      rules.push({ rule, left: rule.times ?? Infinity });
    },
    clear: (): void => {
      rules = [];
    },
    list: () => rules.map(({ rule, left }) => ({ ...rule, ...(Number.isFinite(left) && { left }) })),
    /** Returns the faults of a call: the first one that is not `LAG`, and the longest lag. */
    meet: (method: string, path: string): { fault?: Fault; lagMs: number } => {
      const met = rules.filter(
        ({ rule }) =>
          (rule.method === undefined || rule.method === method) &&
          (rule.path === undefined || new RegExp(rule.path, 'u').test(path)) &&
          (rule.share === 1 || chance() < rule.share),
      );
      const lags = method === 'GET' ? met.filter(({ rule }) => rule.fault === 'LAG') : [];
      const first = met.find(({ rule }) => rule.fault !== 'LAG');
      for (const armed of [...lags, ...(first === undefined ? [] : [first])]) armed.left -= 1;
      rules = rules.filter(({ left }) => left > 0);
      return {
        ...(first !== undefined && { fault: first.rule }),
        lagMs: Math.max(0, ...lags.map(({ rule }) => rule.ms)),
      };
    },
  };
}

/** What a bank says when a fault prevents a call. */
export type FaultResponses = {
  readonly serverError: (status: number) => BankResponse;
  readonly tooMany: BankResponse;
  readonly forbidden: BankResponse;
  readonly unauthorized: BankResponse;
};

/** Returns the response of a fault that prevents execution. */
export function responseBefore(
  { fault, status, retryAfter }: Fault,
  responses: FaultResponses,
): BankResponse | undefined {
  switch (fault) {
    case 'ERROR_BEFORE':
      return responses.serverError(status);
    case 'TOO_MANY':
      return {
        ...responses.tooMany,
        ...(retryAfter !== undefined && { headers: { 'Retry-After': String(retryAfter) } }),
      };
    case 'FORBID':
      return responses.forbidden;
    case 'UNAUTHORIZED':
      return responses.unauthorized;
    case 'LOSE_REQUEST':
    case 'LOSE_ANSWER':
    case 'ERROR_AFTER':
    case 'HANG':
    case 'DELAY':
    case 'GARBLE':
    case 'NEW_VALUE':
    case 'OTHER_THING':
    case 'LAG':
      return undefined;
  }
}

/** Returns a body in which the resource of this id, wherever it is, has a status that no bank has. */
export function withNewValue(body: unknown, id: string | undefined): unknown {
  if (Array.isArray(body)) return body.map((item) => withNewValue(item, id));
  if (typeof body !== 'object' || body === null) return body;
  const members = Object.entries(body).map(([name, value]) => [name, withNewValue(value, id)] as const);
  if (!members.some(([, value]) => value === id)) return Object.fromEntries(members);
  return Object.fromEntries(members.map(([name, value]) => [name, isStatus(name) ? 'VALOR_NOVO' : value]));
}

/** `status`, or a name such as `ted_status`. */
function isStatus(name: string): boolean {
  return name === 'status' || name.endsWith('_status');
}

/** Ids of things: UUIDs, and end-to-end ids with those of returns (SPI). */
const thing = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[DE]\d{20}[0-9A-Za-z]{11})$/u;

/** Returns a body that is about another thing: this id, by default every id of a thing, is another one. */
export function withOtherIds(body: unknown, id: string | undefined): unknown {
  if (Array.isArray(body)) return body.map((item) => withOtherIds(item, id));
  if (typeof body === 'object' && body !== null)
    return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withOtherIds(value, id)]));
  if (typeof body !== 'string' || (id === undefined ? !thing.test(body) : body !== id)) return body;
  return `${body.slice(0, -1)}${body.endsWith('0') ? '1' : '0'}`;
}
