import type { Charges } from './ports/charges.ts';
import type { Directory } from './ports/directory.ts';
import type { Payouts } from './ports/payouts.ts';
import type { Recurrences } from './ports/recurrences.ts';
import type { Refunds } from './ports/refunds.ts';
import type { CommandOutcome, FoundCommand } from './outcome.ts';
import { responseTimeoutMs, BankUnavailable } from './outcome.ts';

/**
 * The bank, a port for each thing it does. Queries have a result or throw `BankUnavailable`. Commands carry our
 * reference, which never changes, and have an outcome (`CommandOutcome`).
 */
export type Bank = {
  readonly directory: Directory;
  readonly payouts: Payouts;
  readonly charges: Charges;
  readonly recurrences: Recurrences;
  readonly refunds: Refunds;
};

type Command<Result> = {
  readonly submit: () => Promise<CommandOutcome<Result>>;
  /** Looks the command up at the bank by its reference. */
  readonly find: () => Promise<FoundCommand<Result>>;
};

type SubmitOptions = {
  /** A retry: the bank gets the command only if a lookup does not find it. */
  readonly again: boolean;
  /**
   * After an unknown outcome: `ASK` looks the command up at once, for a waiting caller; `LEAVE` leaves it to the
   * worker.
   */
  readonly whenUnknown: 'ASK' | 'LEAVE';
  /** Milliseconds left of the caller's time: no call begins that could outlast it. */
  readonly remainingMs?: () => number;
};

/**
 * Submits a command so that the bank never executes it twice. Many banks reject a repetition as a duplicate, so a
 * rejection counts only when a lookup by the reference does not find the command. `UNKNOWN`: look it up later.
 */
export async function submitOnce<Result>(
  { submit, find }: Command<Result>,
  { again, whenUnknown, remainingMs = () => Infinity }: SubmitOptions,
): Promise<CommandOutcome<Result>> {
  const isLate = (): boolean => remainingMs() < responseTimeoutMs;
  if (isLate()) return { outcome: 'UNKNOWN' };
  if (again) {
    const earlier = await find();
    if (earlier.outcome !== 'NEVER_SEEN') return earlier;
    if (isLate()) return { outcome: 'UNKNOWN' };
  }
  const response = await submit();
  if (response.outcome === 'DONE' || (response.outcome === 'UNKNOWN' && whenUnknown === 'LEAVE')) return response;
  if (isLate()) return { outcome: 'UNKNOWN' };
  const found = await find();
  return found.outcome === 'NEVER_SEEN' ? response : found;
}

/** The known outcome of a command. @throws BankUnavailable when it is unknown */
export function requireOutcome<Result>(
  response: CommandOutcome<Result>,
): Exclude<CommandOutcome<Result>, { readonly outcome: 'UNKNOWN' }> {
  if (response.outcome === 'UNKNOWN')
    throw new BankUnavailable('It is not known whether the bank carried out the command.');
  return response;
}
