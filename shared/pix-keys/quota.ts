import type { Account } from '#shared/accounts/model.ts';
import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { brasiliaDate } from '../core/brasilia-time.ts';
import type { KeyRules } from './model.ts';
import { holderTypeOf } from './model.ts';
import { forbiddenByState } from '../core/errors.ts';

/**
 * The used part of an account's quota. Each change of a count is a conditional write of this item, so that limits hold
 * for concurrent calls.
 */
export type KeyQuota = {
  readonly accountId: string;
  readonly keys: number;
  /** The day of Brasilia that `codes` counts, by the machine's clock: messages are sent in real time. */
  readonly day: LocalDate;
  readonly codes: number;
  readonly version: number;
};

/** Codes requested for one address on one day of Brasilia, by all accounts. */
export type AddressQuota = { readonly day: LocalDate; readonly codes: number };

export type Quotas = { readonly quota: KeyQuota; readonly address: AddressQuota };

/** The quota of an account that never had a key: it is not stored yet. */
export function unusedQuota(accountId: string, realAt: Instant): KeyQuota {
  return { accountId, keys: 0, day: brasiliaDate(realAt), codes: 0, version: 0 };
}

/**
 * Counts one more code of today. Both limits have the same error, which does not reveal that others use the address.
 * @throws RequestError 409
 */
export function countCode({ quota, address }: Quotas, rules: KeyRules): Quotas {
  const { codesPerDay, codesPerAddressAndDay } = rules;
  const { day } = address;
  const codes = quota.day === day ? quota.codes : 0;
  if (codes >= codesPerDay || address.codes >= codesPerAddressAndDay)
    throw forbiddenByState(
      'accountId',
      'LIMIT_EXCEEDED',
      `At most ${codesPerDay} codes a day are sent for an account, and at most ${codesPerAddressAndDay} to an address. The next day begins at 00:00 in Brasilia.`,
    );
  return {
    quota: { ...quota, day, codes: codes + 1, version: quota.version + 1 },
    address: { day, codes: address.codes + 1 },
  };
}

/** Counts one more key. @throws RequestError 409 when the account has as many as it can have. */
export function countKey(quota: KeyQuota, account: Account, rules: KeyRules): KeyQuota {
  requireRoomForKey(quota, account, rules);
  return { ...quota, keys: quota.keys + 1, version: quota.version + 1 };
}

/** Gives back the place of a key that the account does not get, or has no longer. */
export function uncountKey(quota: KeyQuota): KeyQuota {
  return { ...quota, keys: Math.max(0, quota.keys - 1), version: quota.version + 1 };
}

/** @throws RequestError 409 when the account has as many keys as it can have. */
export function requireRoomForKey({ keys }: KeyQuota, account: Account, { keysPerAccount }: KeyRules): void {
  const holder = holderTypeOf(account);
  const most = keysPerAccount[holder];
  if (keys < most) return;
  const holderText = holder === 'INDIVIDUAL' ? 'a person' : 'an organization';
  throw forbiddenByState(
    'accountId',
    'LIMIT_EXCEEDED',
    `An account of ${holderText} can have ${most} PIX keys and has them.`,
  );
}
