import type { Instant } from '../core/brasilia-time.ts';
import * as z from 'zod';

/** The company and time of a call to the bank. */
export type RequestContext = { readonly companyId: string; readonly at: Instant };

/**
 * The outcome of a command. `REFUSED` is final: the bank does not execute it. `UNKNOWN`: no valid response in time, so
 * it may be executed; a lookup by its reference goes before any repetition.
 */
export type CommandOutcome<Result> =
  | { readonly outcome: 'DONE'; readonly result: Result }
  | { readonly outcome: 'REFUSED'; readonly code?: string; readonly reason: string }
  | { readonly outcome: 'UNKNOWN' };

/** The result of a lookup by our reference. `NEVER_SEEN`: the command may be submitted. */
export type FoundCommand<Result> = CommandOutcome<Result> | { readonly outcome: 'NEVER_SEEN' };

/** The bank does not respond. Nothing was written; the same request with the same key may be repeated. */
export class BankUnavailable extends Error {
  override readonly name = 'BankUnavailable';
}

/** A port with unchecked responses. */
export type UncheckedPort<Port> = {
  readonly [Call in keyof Port]: Port[Call] extends (...call: infer Arguments) => Promise<unknown>
    ? (...call: Arguments) => Promise<unknown>
    : never;
};

/** Timeout of a call, milliseconds: the API's caller is waiting. */
export const responseTimeoutMs = 3000;

/** The bank has the command. A bank event tells its result. */
export const AcceptanceShape = z.object({});
export type Acceptance = z.output<typeof AcceptanceShape>;

const Done = z.object({ outcome: z.literal('DONE'), result: z.unknown() });
const Refused = z.object({
  outcome: z.literal('REFUSED'),
  code: z.string().min(1).max(35).exactOptional(),
  reason: z.string().min(1).max(140),
});
const Unknown = z.object({ outcome: z.literal('UNKNOWN') });
const NeverSeen = z.object({ outcome: z.literal('NEVER_SEEN') });
const FoundShape = z.discriminatedUnion('outcome', [Done, Refused, Unknown, NeverSeen]);

/** The result of a query. @throws BankUnavailable without one in time, or when it is not what the port promises */
export async function checkResponse<S extends z.ZodType>(
  schema: S,
  call: () => Promise<unknown>,
): Promise<z.output<S>> {
  return checkCall(schema, await limitTime(call));
}

/** The outcome of a command: `UNKNOWN` without a response in time, or when it is not what the port promises. */
export async function checkOutcome<Result>(
  schema: z.ZodType<Result>,
  call: () => Promise<unknown>,
): Promise<CommandOutcome<Result>> {
  const found = await checkFound(schema, call);
  // Not what the port promises: the command was just submitted.
  return found.outcome === 'NEVER_SEEN' ? { outcome: 'UNKNOWN' } : found;
}

/** The result of a lookup; `UNKNOWN` as for `checkOutcome`. */
export async function checkFound<Result>(
  schema: z.ZodType<Result>,
  call: () => Promise<unknown>,
): Promise<FoundCommand<Result>> {
  try {
    const response = await checkResponse(FoundShape, call);
    return response.outcome === 'DONE' ? { outcome: 'DONE', result: checkCall(schema, response.result) } : response;
  } catch (error) {
    if (error instanceof BankUnavailable) return { outcome: 'UNKNOWN' };
    throw error;
  }
}

async function limitTime(call: () => Promise<unknown>): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new BankUnavailable('The bank did not answer in time.'));
  }, responseTimeoutMs);
  try {
    return await Promise.race([call(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Values of an invalid response are not repeated: they may be personal. */
function checkCall<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const paths = result.error.issues.map(({ path }) => path.join('.') || '(answer)');
  throw new BankUnavailable(`The bank answered what it must not: ${[...new Set(paths)].join(', ')}.`);
}
