import type { Charges } from './ports/charges.ts';
import type { Directory } from './ports/directory.ts';
import type { Payouts } from './ports/payouts.ts';
import type { Recurrences } from './ports/recurrences.ts';
import type { Refunds } from './ports/refunds.ts';
import type { CommandOutcome, FoundCommand } from './outcome.ts';
import { answerWithinMs, BankUnavailable } from './outcome.ts';

/**
 * The bank behind the service, a port for each thing it can do. Questions have an answer or throw `BankUnavailable`.
 * Commands carry a reference of ours, stable for ever, and have an outcome (`CommandOutcome`).
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
  /** Asks the bank for the command, by its reference. */
  readonly find: () => Promise<FoundCommand<Result>>;
};

type SubmitOptions = {
  /** A retry: the bank is asked for the command first, and gets it only if it never saw it. */
  readonly again: boolean;
  /**
   * What follows an unknown outcome. `ASK`: the bank is asked at once, for a caller who waits for the outcome, and for
   * banks that call a repetition an error. `LEAVE`: the worker that finds it due asks later.
   */
  readonly whenUnknown: 'ASK' | 'LEAVE';
  /**
   * What is left of the caller's time, milliseconds: no call begins that could outlast it. Without it there is no
   * limit.
   */
  readonly remainingMs?: () => number;
};

/**
 * Submits a command so that the bank never carries it out twice: THE rule for every command. Many banks refuse a
 * repetition as a duplicate, so a refusal is believed only when the bank, asked by the reference, has no such command.
 * `UNKNOWN` means: ask again later.
 */
export async function submitOnce<Result>(
  { submit, find }: Command<Result>,
  { again, whenUnknown, remainingMs = () => Infinity }: SubmitOptions,
): Promise<CommandOutcome<Result>> {
  const isLate = (): boolean => remainingMs() < answerWithinMs;
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

/** The outcome of a command for which a caller waits. @throws BankUnavailable when it is not known. */
export function requireOutcome<Result>(
  response: CommandOutcome<Result>,
): Exclude<CommandOutcome<Result>, { readonly outcome: 'UNKNOWN' }> {
  if (response.outcome === 'UNKNOWN')
    throw new BankUnavailable('It is not known whether the bank carried out the command.');
  return response;
}
