import type { Account } from './account.ts';
import type { Instant, LocalDate } from './brasilia-time.ts';
import { brasiliaDate } from './brasilia-time.ts';
import type { KeyRules } from './key-validation.ts';
import { holderTypeOf } from './key-validation.ts';
import { forbiddenByState } from './refusal.ts';

/**
 * What is counted of an account's PIX keys. Whatever changes a count writes it, so that limits hold for calls at once.
 */
export type KeyTally = {
  readonly accountId: string;
  /** Confirmed keys. */
  readonly keys: number;
  /** The day of Brasilia that `codes` counts. */
  readonly day: LocalDate;
  /** Codes promised on that day. */
  readonly codes: number;
  readonly version: number;
};

/** The tally of an account that never had a key: it is not stored yet. */
export function emptyTally(accountId: string, at: Instant): KeyTally {
  return { accountId, keys: 0, day: brasiliaDate(at), codes: 0, version: 0 };
}

/** One code more on the present day. @throws Refusal 409 when the day has had all of its codes. */
export function countCode(tally: KeyTally, at: Instant, { codesPerDay }: KeyRules): KeyTally {
  const day = brasiliaDate(at);
  const codes = tally.day === day ? tally.codes : 0;
  if (codes >= codesPerDay)
    throw forbiddenByState(
      'accountId',
      'LIMIT_EXCEEDED',
      `At most ${codesPerDay} codes a day are sent for an account. The next day begins at 00:00 in Brasilia.`,
    );
  return { ...tally, day, codes: codes + 1, version: tally.version + 1 };
}

/** One key more. @throws Refusal 409 when the account has as many as it can have. */
export function countKey(tally: KeyTally, account: Account, rules: KeyRules): KeyTally {
  requireRoomForKey(tally, account, rules);
  return { ...tally, keys: tally.keys + 1, version: tally.version + 1 };
}

/** @throws Refusal 409 when the account has as many keys as it can have. */
export function requireRoomForKey({ keys }: KeyTally, account: Account, { keysPerAccount }: KeyRules): void {
  const holder = holderTypeOf(account);
  const most = keysPerAccount[holder];
  if (keys < most) return;
  const whose = holder === 'INDIVIDUAL' ? 'a person' : 'an organization';
  throw forbiddenByState(
    'accountId',
    'LIMIT_EXCEEDED',
    `An account of ${whose} can have ${most} PIX keys and has them.`,
  );
}
