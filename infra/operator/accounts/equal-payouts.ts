import { notFound } from '#shared/core/errors.ts';
import { equalPayoutsUpdate } from '#shared/accounts/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { OnboardingDependencies } from '../target.ts';
import { listAccounts } from './accounts.ts';

/**
 * Lets all accounts of a company, and those that it gets later, refuse or allow a payout like another one of the last
 * ten minutes. A repetition ends what a failure left undone.
 * @throws RequestError 404
 */
export async function setEqualPayouts(
  dependencies: Pick<OnboardingDependencies, 'store'>,
  { companyId, policy }: { readonly companyId: string; readonly policy: 'refuse' | 'allow' },
): Promise<{ readonly companyId: string; readonly policy: string; readonly accounts: number }> {
  const { store } = dependencies;
  const areRefused = policy === 'refuse';
  const change = areRefused ? { set: { equalPayouts: 'REFUSED' } } : { remove: ['equalPayouts'] };
  // The company first: an account that is created meanwhile is in the list, or has it from the company.
  const { ok } = await store.writeOne({ update: keys.company(companyId), ...change, when: { is: 'present' } });
  if (!ok) throw notFound('Company');
  const accounts = await listAccounts(dependencies, companyId);
  for (const { id } of accounts) await store.writeOne(equalPayoutsUpdate(companyId, id, areRefused));
  return { companyId, policy, accounts: accounts.length };
}
