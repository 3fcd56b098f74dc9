import * as z from 'zod';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Put, Store } from '../platform/table/store.ts';
import type { BankProfile } from './profile.ts';
import { bankNames, scheduleNames, widest } from './profile.ts';

type StoredProfile = BankProfile & {
  /** 0 before the company has set any. */
  readonly version: number;
};

const BankProfileItem = z.object({
  entity: z.literal('BANK_PROFILE'),
  profile: z.enum(bankNames),
  schedule: z.enum(scheduleNames),
  version: z.int(),
} satisfies ItemMembers<StoredProfile>);

/** Returns a company's profile, the widest one without an item. @throws CorruptItem */
export function parseProfile(item: Item | undefined): StoredProfile {
  if (item === undefined) return { ...widest, version: 0 };
  const { entity: _entity, ...profile } = parseItem(BankProfileItem, item, 'bank profile');
  return profile;
}

/** Reads a company's profile. One read. @throws CorruptItem */
export async function readProfile(store: Store, companyId: string): Promise<StoredProfile> {
  const [item] = await store.read([keys.bankProfile(companyId)]);
  return parseProfile(item);
}

/** Stores a profile, on condition that it is still as it was read. */
export function profilePut(companyId: string, before: StoredProfile, { profile, schedule }: BankProfile): Put {
  const { version } = before;
  return {
    put: { ...keys.bankProfile(companyId), entity: 'BANK_PROFILE', profile, schedule, version: version + 1 },
    when: version === 0 ? { is: 'absent' } : { equals: { version } },
  };
}
