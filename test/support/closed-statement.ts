import { closeMinutes } from '#shared/accounts/chain/close-minutes.ts';
import { notePut } from '#shared/accounts/chain/items.ts';
import { minuteOf } from '#shared/accounts/chain/minutes.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { account, companyOne } from './bank-world.ts';
import { localSigning } from './signing-key.ts';

/** Chains all entries of an account, as the workers do some minutes later, and turns the clock to that time. */
export async function closeStatement(
  { store, clock }: { readonly store: Store; readonly clock: { now: string } },
  accountId = account,
): Promise<void> {
  const close = async (at: string) =>
    closeMinutes({
      ...{ store, now: () => at, remainingMs: () => Infinity, closesAfterSeconds: 180, signing: localSigning() },
      failed: (_where, error) => {
        throw error;
      },
    });
  await store.writeOne(notePut(minuteOf(clock.now), 0, { companyId: companyOne, accountId, late: [] }));
  await close(plusSeconds(clock.now, 180));
  clock.now = plusSeconds(clock.now, 400);
  await close(clock.now);
}
