import type { Instant } from '../core/brasilia-time.ts';
import * as z from 'zod';

/**
 * The company of a call to the bank, and the time by the company's clock. `connection`: the connection that the command
 * keeps, undefined for the simulated bank. Lookups and repetitions use only this connection.
 */
export type RequestContext = {
  readonly companyId: string;
  readonly connection: string | undefined;
  readonly at: Instant;
};
/** The context of a call in an adapter. The signal aborts the call at its timeout. */
export type CallContext = RequestContext & { readonly signal: AbortSignal };

/**
 * The outcome of a command.
 *
 * - `DONE`: the bank has the command; `state` is everything that the bank reports about it now.
 * - `REFUSED`: final, the bank does not execute it. Any "used already" is `UNKNOWN`: an earlier try may have been
 *   carried out.
 * - `UNKNOWN`: no valid response in time, so the command may be executed. A lookup goes before any repetition.
 * - `NOT_NOW`: surely not carried out, and not refused: no connection, a certificate error, 401, 403 or 429.
 */
export type CommandOutcome<State> =
  | { readonly outcome: 'DONE'; readonly state: State }
  | { readonly outcome: 'REFUSED'; readonly code?: string; readonly reason: string }
  | { readonly outcome: 'UNKNOWN'; readonly retryAfterSeconds?: number }
  | { readonly outcome: 'NOT_NOW'; readonly cause: string; readonly retryAfterSeconds?: number };
export type RefusedCommand = Extract<CommandOutcome<unknown>, { readonly outcome: 'REFUSED' }>;

/** The result of a lookup of a command. `NEVER_SEEN`: the bank has no such command. */
export type FoundCommand<State> = CommandOutcome<State> | { readonly outcome: 'NEVER_SEEN' };

/**
 * A command to the bank. Its order has our reference, the same on every repetition, and all data that a lookup needs.
 */
export type Command<Order, State> = {
  readonly submit: (order: Order, context: RequestContext) => Promise<CommandOutcome<State>>;
  readonly find: (order: Order, context: RequestContext) => Promise<FoundCommand<State>>;
};

/** A command as an adapter has it: its responses are not checked yet. */
export type UncheckedCommand<Order> = Readonly<
  Record<'submit' | 'find', (order: Order, context: CallContext) => Promise<unknown>>
>;

/** The bank does not respond. Nothing was written; the same request with the same key may be repeated. */
export class BankUnavailable extends Error {
  override readonly name = 'BankUnavailable';
  /** Seconds until the bank takes the request again, if the bank gives them. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The bank responded with a value that the service does not know: a repetition gets the same. */
export class UnknownBankValue extends BankUnavailable {}

/** Timeout of a call, milliseconds: the API's caller is waiting. */
export const responseTimeoutMs = 3000;
/**
 * Timeout for a recurrence, which a bank opens in several steps. The functions that wait for it have a longer timeout.
 */
export const recurrenceTimeoutMs = 8000;

const Done = z.object({ outcome: z.literal('DONE'), state: z.unknown() });
const Refused = z.object({
  outcome: z.literal('REFUSED'),
  code: z.string().min(1).max(35).exactOptional(),
  reason: z.string().min(1).max(140),
});
const RetryAfter = { retryAfterSeconds: z.int().min(0).max(86_400).exactOptional() };
const Unknown = z.object({ outcome: z.literal('UNKNOWN'), ...RetryAfter });
const NotSent = z.object({
  outcome: z.literal('NOT_NOW'),
  cause: z.string().min(1).max(140),
  ...RetryAfter,
});
const NeverSeen = z.object({ outcome: z.literal('NEVER_SEEN') });
const FoundShape = z.discriminatedUnion('outcome', [Done, Refused, Unknown, NotSent, NeverSeen]);

/** Checks the responses of a command. A late response, or one that does not have the port's shape, is `UNKNOWN`. */
export function checkedCommand<Order, State>(
  shape: z.ZodType<State>,
  command: UncheckedCommand<Order>,
  timeoutMs: number = responseTimeoutMs,
): Command<Order, State> {
  const check = async (call: 'submit' | 'find', order: Order, context: RequestContext) => {
    try {
      const response = await checkResponse(FoundShape, context, (within) => command[call](order, within), timeoutMs);
      return response.outcome === 'DONE' ? { ...response, state: checkShape(shape, response.state) } : response;
    } catch (error) {
      if (error instanceof BankUnavailable) return { outcome: 'UNKNOWN' } as const;
      throw error;
    }
  };
  return {
    submit: async (order, context) => {
      const response = await check('submit', order, context);
      // `NEVER_SEEN` is no valid response to a submission.
      return response.outcome === 'NEVER_SEEN' ? { outcome: 'UNKNOWN' } : response;
    },
    find: (order, context) => check('find', order, context),
  };
}

/** Returns the checked result of a query. @throws BankUnavailable for a late response or one of another shape */
export async function checkResponse<S extends z.ZodType>(
  shape: S,
  context: RequestContext,
  call: (context: CallContext) => Promise<unknown>,
  timeoutMs: number = responseTimeoutMs,
): Promise<z.output<S>> {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const late = new BankUnavailable('The bank did not respond in time.');
    controller.abort(late);
    reject(late);
  }, timeoutMs);
  try {
    return checkShape(shape, await Promise.race([call({ ...context, signal: controller.signal }), promise]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns a response in the port's shape. The error names only paths: values may be personal. @throws BankUnavailable
 */
function checkShape<S extends z.ZodType>(shape: S, response: unknown): z.output<S> {
  const result = shape.safeParse(response);
  if (result.success) return result.data;
  const paths = result.error.issues.map(({ path }) => path.join('.') || '(answer)');
  throw new BankUnavailable(`The bank response is invalid: ${[...new Set(paths)].join(', ')}.`);
}
