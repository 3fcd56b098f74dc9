import { pick } from '../core/pick.ts';
import type { Capabilities, Repetition } from './capabilities.ts';
import type { Command, CommandOutcome, FoundCommand, RefusedCommand, RequestContext } from './outcome.ts';
import { BankUnavailable, responseTimeoutMs } from './outcome.ts';
import type { Charges } from './ports/charges.ts';
import type { Defences } from './ports/defences.ts';
import type { Directory } from './ports/directory.ts';
import type { Keys } from './ports/keys.ts';
import type { Payouts } from './ports/payouts.ts';
import type { Recurrences } from './ports/recurrences.ts';
import type { RecurringCharges } from './ports/recurring-charges.ts';
import type { Refunds } from './ports/refunds.ts';

/**
 * The bank, with one port for each kind of operation. Queries return a result or throw `BankUnavailable`. Commands
 * carry our reference, which never changes, and return an outcome (`CommandOutcome`).
 */
export type Bank = {
  /**
   * The connection that serves an account now: a new command keeps it. Undefined for the simulated bank.
   * @throws RequestError 409 on `accountId` for an account that no connection of its company names
   */
  readonly connectionOf: (companyId: string, accountId: string) => Promise<string | undefined>;
  /**
   * Returns the capabilities of a connection's bank, or of the simulated one for `undefined`.
   * @throws RequestError 409 on `accountId` for a connection that has ended
   */
  readonly capabilities: (companyId: string, connection: string | undefined) => Promise<Capabilities>;
  readonly directory: Directory;
  readonly payouts: Payouts;
  readonly charges: Charges;
  readonly recurrences: Recurrences;
  readonly recurringCharges: RecurringCharges;
  readonly refunds: Refunds;
  readonly defences: Defences;
  readonly keys: Keys;
};

/** The ports of recurring charges, for small bundles. */
export type ChargeBank = Pick<Bank, 'recurringCharges' | 'capabilities'>;

/** How to repeat a command that the bank may have already. */
export type Again = {
  /** The bank's treatment of a repetition. */
  readonly repetition: Repetition;
  /** Returns whether an operator allowed the repetition. Called only if the bank would carry the command out again. */
  readonly mayRepeat: () => Promise<boolean>;
};

type SubmitOptions = {
  /**
   * For a command that the bank may have already: it is submitted only if a lookup does not find it. `false`: first
   * try.
   */
  readonly again: false | Again;
  /**
   * After an unknown outcome: `ASK` looks the command up immediately, for a waiting caller; `LEAVE` leaves it to the
   * worker.
   */
  readonly whenUnknown: 'ASK' | 'LEAVE';
  /** Milliseconds left of the caller's time. No call begins when its timeout would exceed them. */
  readonly remainingMs?: () => number;
};

const unknown = { outcome: 'UNKNOWN' } as const;

/**
 * Submits a command so that the bank never executes it twice. A refusal counts only when a lookup does not find the
 * command: many banks refuse a repetition, and the lookup before a repetition comes minutes after the try before it,
 * later than any bank's reads lag behind its writes. `UNKNOWN`: look it up later. `NOT_NOW`: no try of it was carried
 * out.
 */
export async function submitOnce<Order, State>(
  { submit, find }: Command<Order, State>,
  order: Order,
  context: RequestContext,
  { again, whenUnknown, remainingMs = () => Infinity }: SubmitOptions,
): Promise<CommandOutcome<State>> {
  const isLate = (): boolean => remainingMs() < responseTimeoutMs;
  if (isLate()) return unknown;
  if (again !== false) {
    const earlier = await find(order, context);
    if (earlier.outcome !== 'NEVER_SEEN') return treatNotSentAsUnknown(earlier);
    if (isLate()) return unknown;
    if (again.repetition === 'CARRIED_OUT_AGAIN' && !(await again.mayRepeat())) return unknown;
  }
  const response = await submit(order, context);
  const { outcome } = response;
  if (outcome === 'DONE') return response;
  if (outcome === 'NOT_NOW') return again === false ? response : treatNotSentAsUnknown(response);
  if ((outcome === 'UNKNOWN' && whenUnknown === 'LEAVE') || isLate()) return unknown;
  const found = await find(order, context);
  return found.outcome === 'NEVER_SEEN' ? response : treatNotSentAsUnknown(found);
}

/** Turns `NOT_NOW` into `UNKNOWN`: a call that was not carried out does not show the outcome of an earlier try. */
function treatNotSentAsUnknown<State>(
  response: Exclude<FoundCommand<State>, { outcome: 'NEVER_SEEN' }>,
): CommandOutcome<State> {
  return response.outcome === 'NOT_NOW' ? { ...pick(response, 'retryAfterSeconds'), ...unknown } : response;
}

/** Returns the outcome of a command for which a caller waits. @throws BankUnavailable while it is not known */
export function requireOutcome<State>(
  response: CommandOutcome<State>,
): Extract<CommandOutcome<State>, { readonly outcome: 'DONE' }> | RefusedCommand {
  if (response.outcome === 'DONE' || response.outcome === 'REFUSED') return response;
  const { retryAfterSeconds } = response;
  if (response.outcome === 'UNKNOWN')
    throw new BankUnavailable('The outcome of the bank command is unknown.', retryAfterSeconds);
  throw new BankUnavailable(`The bank does not accept the command now: ${response.cause}`, retryAfterSeconds);
}
