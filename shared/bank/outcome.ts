import type { Instant } from '../core/brasilia-time.ts';
import * as z from 'zod';

/** The company that a call to the bank is for, and its time. */
export type RequestContext = { readonly companyId: string; readonly at: Instant };

/**
 * The outcome of a command to the bank. `REFUSED` is definitive: it is not carried out. `UNKNOWN`: not answered in
 * time, or not as promised, so that it may have been carried out; it is not submitted again before the bank was asked
 * for it by its reference.
 */
export type CommandOutcome<Result> =
  | { readonly outcome: 'DONE'; readonly result: Result }
  | { readonly outcome: 'REFUSED'; readonly code?: string; readonly reason: string }
  | { readonly outcome: 'UNKNOWN' };

/**
 * What the bank says of a command when asked by our reference: its outcome, or that it never saw it, after which it may
 * be submitted.
 */
export type FoundCommand<Result> = CommandOutcome<Result> | { readonly outcome: 'NEVER_SEEN' };

/** The bank cannot be asked now. Nothing was written, and the same request with the same key may be repeated. */
export class BankUnavailable extends Error {
  override readonly name = 'BankUnavailable';
}

/** A port whose answers are not checked yet. */
export type UncheckedPort<Port> = {
  readonly [Call in keyof Port]: Port[Call] extends (...call: infer Arguments) => Promise<unknown>
    ? (...call: Arguments) => Promise<unknown>
    : never;
};

/** A call that takes longer has lost its answer, in milliseconds: the caller of the API is waiting behind it. */
export const answerWithinMs = 3000;

/** The bank has the command. What becomes of it follows as a bank event. */
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
const OutcomeShape = z.discriminatedUnion('outcome', [Done, Refused, Unknown]);
const FoundShape = z.discriminatedUnion('outcome', [Done, Refused, Unknown, NeverSeen]);

/**
 * The answer to a question.
 * @throws BankUnavailable when there is none in time, or it is not what the port promises.
 */
export async function checkAnswer<S extends z.ZodType>(schema: S, call: () => Promise<unknown>): Promise<z.output<S>> {
  return checkCall(schema, await limitTime(call));
}

/** The outcome of a command, `UNKNOWN` when none came in time or it is not what the port promises. */
export function checkOutcome<Result>(
  schema: z.ZodType<Result>,
  call: () => Promise<unknown>,
): Promise<CommandOutcome<Result>> {
  return checkResult(OutcomeShape, schema, call);
}

/** What the bank says of a command by its reference; `UNKNOWN` as for `checkOutcome`. */
export function checkFound<Result>(
  schema: z.ZodType<Result>,
  call: () => Promise<unknown>,
): Promise<FoundCommand<Result>> {
  return checkResult(FoundShape, schema, call);
}

type Unchecked = z.output<typeof FoundShape>;

async function checkResult<Response extends Unchecked, Result>(
  shape: z.ZodType<Response>,
  schema: z.ZodType<Result>,
  call: () => Promise<unknown>,
): Promise<Exclude<Response, { outcome: 'DONE' }> | { outcome: 'DONE'; result: Result } | { outcome: 'UNKNOWN' }> {
  try {
    const response = await checkAnswer(shape, call);
    if (response.outcome !== 'DONE') return response as Exclude<Response, { outcome: 'DONE' }>;
    return { outcome: 'DONE', result: checkCall(schema, response.result) };
  } catch (error) {
    if (error instanceof BankUnavailable) return { outcome: 'UNKNOWN' };
    throw error;
  }
}

async function limitTime(call: () => Promise<unknown>): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new BankUnavailable('The bank did not answer in time.'));
  }, answerWithinMs);
  try {
    return await Promise.race([call(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The values of a wrong answer are not repeated: they may be personal. */
function checkCall<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const paths = result.error.issues.map(({ path }) => path.join('.') || '(answer)');
  throw new BankUnavailable(`The bank answered what it must not: ${[...new Set(paths)].join(', ')}.`);
}
