import type { Operation } from '#shared/contract/contract.ts';
import { pick } from '#shared/core/pick.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { readProfile } from '#shared/sandbox/profile-store.ts';
import { GetBankProfile } from './contract.ts';

/** Returns the company's bank profile. */
export const getBankProfile: Operation<typeof GetBankProfile, Reading> = async ({ caller }, { store }) => {
  const profile = await readProfile(store, caller.companyId);
  return { status: 200, body: pick(profile, 'profile', 'schedule') };
};

export const handler = endpoint(GetBankProfile, getBankProfile, realTimeDependencies);
