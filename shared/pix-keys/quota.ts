import type { Account } from '../platform/ledger/account.ts';
import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { brasiliaDate } from '../core/brasilia-time.ts';
import type { KeyRules } from './model.ts';
import { holderTypeOf } from './model.ts';
import { forbiddenByState } from '../core/errors.ts';

/**
 * What is counted of an account's PIX keys. Whatever changes a count writes it, so that limits hold for calls at once.
 */
export type KeyTally = {
  readonly accountId: string;
  /** Confirmed keys. */
  readonly keys: number;
  /** The day of Brasilia that `codes` counts, by the machine's clock: a message that went out is no simulation. */
  readonly day: LocalDate;
  /** Codes promised on that day. */
  readonly codes: number;
  readonly version: number;
};

/** Codes promised to one address on one day of Brasilia, whoever's accounts asked for them. */
export type AddressTally = { readonly day: LocalDate; readonly codes: number };

/** What one more code is counted in. */
export type Tallies = { readonly tally: KeyTally; readonly address: AddressTally };

/** The tally of an account that never had a key: it is not stored yet. */
export function emptyTally(accountId: string, realAt: Instant): KeyTally {
  return { accountId, keys: 0, day: brasiliaDate(realAt), codes: 0, version: 0 };
}

/**
 * One code more on the day of the address's tally. Both limits have one answer: it does not say that others have used
 * the address.
 * @throws Refusal 409 when account or address have had all of the day's codes.
 */
export function countCode({ tally, address }: Tallies, rules: KeyRules): Tallies {
  const { codesPerDay, codesPerAddressAndDay } = rules;
  const { day } = address;
  const codes = tally.day === day ? tally.codes : 0;
  if (codes >= codesPerDay || address.codes >= codesPerAddressAndDay)
    throw forbiddenByState(
      'accountId',
      'LIMIT_EXCEEDED',
      `At most ${codesPerDay} codes a day are sent for an account, and at most ${codesPerAddressAndDay} to an address. The next day begins at 00:00 in Brasilia.`,
    );
  return {
    tally: { ...tally, day, codes: codes + 1, version: tally.version + 1 },
    address: { day, codes: address.codes + 1 },
  };
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
