import type { Charges } from './ports/charges.ts';
import type { Directory } from './ports/directory.ts';
import type { Payouts } from './ports/payouts.ts';
import type { Recurrences } from './ports/recurrences.ts';
import type { Refunds } from './ports/refunds.ts';
import type { CommandEnd, FoundCommand } from './outcome.ts';
import { answerWithinMs, BankUnavailable } from './outcome.ts';

/**
 * The bank behind the service, a port for each thing it can do. Questions have an answer or throw `BankUnavailable`.
 * Commands carry a reference of ours, stable for ever, and have an end (`CommandEnd`).
 */
export type Bank = {
  readonly directory: Directory;
  readonly payouts: Payouts;
  readonly charges: Charges;
  readonly recurrences: Recurrences;
  readonly refunds: Refunds;
};

type Command<Facts> = {
  readonly give: () => Promise<CommandEnd<Facts>>;
  /** Asks the bank for the command, by its reference. */
  readonly find: () => Promise<FoundCommand<Facts>>;
};

type Giving = {
  /** It may have been given before: the bank is asked for it first, and it is given only if the bank never saw it. */
  readonly again: boolean;
  /**
   * What follows when the bank does not say how it ended. `ASK`: the bank is asked at once, for a caller who waits for
   * the end, and for banks that call a repetition an error. `LEAVE`: whoever finds it due asks later.
   */
  readonly whenUnknown: 'ASK' | 'LEAVE';
  /**
   * What is left of the caller's time, milliseconds: no call is begun that could outlast it. Without it time has no
   * end.
   */
  readonly remainingMs?: () => number;
};

/**
 * Gives the bank a command so that it is never carried out twice: THE rule for every command. Many banks refuse a
 * repetition as a duplicate, so a refusal is believed only when the bank, asked by the reference, has no such command.
 * `UNKNOWN` means: ask again later.
 */
export async function giveCommand<Facts>(
  { give, find }: Command<Facts>,
  { again, whenUnknown, remainingMs = () => Infinity }: Giving,
): Promise<CommandEnd<Facts>> {
  const isLate = (): boolean => remainingMs() < answerWithinMs;
  if (isLate()) return { end: 'UNKNOWN' };
  if (again) {
    const earlier = await find();
    if (earlier.end !== 'NEVER_SEEN') return earlier;
    if (isLate()) return { end: 'UNKNOWN' };
  }
  const end = await give();
  if (end.end === 'DONE' || (end.end === 'UNKNOWN' && whenUnknown === 'LEAVE')) return end;
  if (isLate()) return { end: 'UNKNOWN' };
  const known = await find();
  return known.end === 'NEVER_SEEN' ? end : known;
}

/** The end of a command for which a caller waits. @throws BankUnavailable when it is not known. */
export function knownEnd<Facts>(end: CommandEnd<Facts>): Exclude<CommandEnd<Facts>, { readonly end: 'UNKNOWN' }> {
  if (end.end === 'UNKNOWN') throw new BankUnavailable('It is not known whether the bank carried out the command.');
  return end;
}
