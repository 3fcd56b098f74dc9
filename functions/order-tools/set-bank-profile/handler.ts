import type { Operation } from '#shared/contract/contract.ts';
import { pick } from '#shared/core/pick.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { profilePut, readProfile } from '#shared/sandbox/profile-store.ts';
import { requireSimulatedBank } from '#shared/sandbox/simulated-bank.ts';
import { SetBankProfile } from './contract.ts';

/** Sets the fields that the request has. Of two concurrent requests none undoes the other. @throws RequestError 409 */
export const setBankProfile: Operation<typeof SetBankProfile, Pick<Dependencies, 'store' | 'realNow'>> = async (
  { caller: { companyId }, body },
  { store, realNow },
) => {
  await requireSimulatedBank(store, companyId, pick(body, 'profile', 'schedule'));
  const set = await commitTransition(
    { store, companyId, realNow },
    () => readProfile(store, companyId),
    (before) => {
      const after = { profile: body.profile ?? before.profile, schedule: body.schedule ?? before.schedule };
      const isSame = after.profile === before.profile && after.schedule === before.schedule;
      return isSame ? { unchanged: after } : { writes: [profilePut(companyId, before, after)], result: after };
    },
  );
  return { status: 200, body: set };
};

export const handler = endpoint(SetBankProfile, setBankProfile, realTimeDependencies);
