import type { Instant } from '../core/brasilia-time.ts';
import * as z from 'zod';

/** For whom and at what time the bank is asked. */
export type Asking = { readonly companyId: string; readonly at: Instant };

/**
 * How a command to the bank ended. `REFUSED` is definitive: it is not carried out. `UNKNOWN`: not answered in time, or
 * not as promised, so that it may have been carried out; it is not given again before the bank was asked for it by its
 * reference.
 */
export type CommandEnd<Facts> =
  | { readonly end: 'DONE'; readonly facts: Facts }
  | { readonly end: 'REFUSED'; readonly code?: string; readonly reason: string }
  | { readonly end: 'UNKNOWN' };

/**
 * What the bank says of a command when asked by our reference: the end it had, or that it never saw it, after which it
 * may be given.
 */
export type FoundCommand<Facts> = CommandEnd<Facts> | { readonly end: 'NEVER_SEEN' };

/** The bank cannot be asked now. Nothing was written, and the same request with the same key may be repeated. */
export class BankUnavailable extends Error {
  override readonly name = 'BankUnavailable';
}

/** A port whose answers nobody has looked at yet. */
export type Unchecked<Port> = {
  readonly [Call in keyof Port]: Port[Call] extends (...asked: infer Asked) => Promise<unknown>
    ? (...asked: Asked) => Promise<unknown>
    : never;
};

/** A call that takes longer has lost its answer, in milliseconds: the caller of the API is waiting behind it. */
export const answerWithinMs = 3000;

const Done = z.object({ end: z.literal('DONE'), facts: z.unknown() });
const Refused = z.object({
  end: z.literal('REFUSED'),
  code: z.string().min(1).max(35).exactOptional(),
  reason: z.string().min(1).max(140),
});
const Unknown = z.object({ end: z.literal('UNKNOWN') });
const NeverSeen = z.object({ end: z.literal('NEVER_SEEN') });
const End = z.discriminatedUnion('end', [Done, Refused, Unknown]);
const Found = z.discriminatedUnion('end', [Done, Refused, Unknown, NeverSeen]);

/**
 * The answer to a question.
 * @throws BankUnavailable when there is none in time, or it is not what the port promises.
 */
export async function checkAnswer<S extends z.ZodType>(schema: S, call: () => Promise<unknown>): Promise<z.output<S>> {
  return checkCall(schema, await limitTime(call));
}

/** The end of a command, `UNKNOWN` when none came in time or it is not what the port promises. */
export async function checkEnd<Facts>(
  facts: z.ZodType<Facts>,
  call: () => Promise<unknown>,
): Promise<CommandEnd<Facts>> {
  return unknownWithoutAnswer(async () => {
    const end = await checkAnswer(End, call);
    return end.end === 'DONE' ? { end: 'DONE', facts: checkCall(facts, end.facts) } : end;
  });
}

/** What the bank says of a command by its reference; `UNKNOWN` as for `checkEnd`. */
export async function checkFound<Facts>(
  facts: z.ZodType<Facts>,
  call: () => Promise<unknown>,
): Promise<FoundCommand<Facts>> {
  return unknownWithoutAnswer(async () => {
    const end = await checkAnswer(Found, call);
    return end.end === 'DONE' ? { end: 'DONE', facts: checkCall(facts, end.facts) } : end;
  });
}

async function unknownWithoutAnswer<T>(ask: () => Promise<T>): Promise<T | { readonly end: 'UNKNOWN' }> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof BankUnavailable) return { end: 'UNKNOWN' };
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
