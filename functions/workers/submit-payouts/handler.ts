import type { Clock } from '../../../shared/domain/brasilia-time.ts';
import type { Ids } from '../../../shared/domain/identifiers.ts';
import { connectStore } from '../../../shared/persistence/connect.ts';
import { eachDue } from '../../../shared/persistence/due.ts';
import type { Store } from '../../../shared/persistence/store.ts';
import type { Bank } from '../../../shared/provider/bank.ts';
import { bankOf } from '../../../shared/runtime/bank-dependencies.ts';
import { nowMs, systemClock } from '../../../shared/runtime/clock.ts';
import { env } from '../../../shared/runtime/env.ts';
import { randomIds } from '../../../shared/runtime/ids.ts';
import { errorFields, log } from '../../../shared/runtime/log.ts';
import { emit } from '../../../shared/runtime/metrics.ts';
import { submitDuePayout } from './submit-due-payout.ts';

export type SubmissionDeps = {
  readonly store: Store;
  readonly bank: Bank;
  readonly ids: Ids;
  readonly now: Clock;
  readonly ispb: string;
};
export type SubmissionCount = { submitted: number; postponed: number; failed: number };

/** Submits every payout that is due, company by company. One that fails is tried again by a later run. */
export async function submitPayouts({ store, bank, ids, now, ispb }: SubmissionDeps): Promise<SubmissionCount> {
  const count = { submitted: 0, postponed: 0, failed: 0 };
  await eachDue(store, 'PAYOUT_SUBMISSION', now(), async (companyId, payoutId) => {
    try {
      const context = { store, bank, ids, at: now(), ispb, companyId, requestId: ids.uuid() };
      const result = await submitDuePayout(context, payoutId);
      if (result === 'SUBMITTED') count.submitted += 1;
      if (result === 'POSTPONED') count.postponed += 1;
      if (result === 'UNAVAILABLE') {
        count.failed += 1;
        log('warn', 'payout not submitted: the bank is unavailable', { companyId, payoutId });
      }
    } catch (error) {
      count.failed += 1;
      log('error', 'payout not submitted', { companyId, payoutId, ...errorFields(error) });
    }
  });
  return count;
}

/** Runs every minute. */
export async function handler(): Promise<SubmissionCount> {
  const store = connectStore(env('TABLE_NAME'));
  const bank = bankOf(store, env('PIX_HOST'));
  const deps = { store, bank, ids: randomIds, now: systemClock, ispb: env('SERVICE_ISPB') };
  const count = await submitPayouts(deps);
  if (count.submitted + count.postponed + count.failed > 0) log('info', 'payouts submitted', count);
  emit(nowMs(), { worker: 'submit-payouts' }, [
    { name: 'PayoutsSubmitted', unit: 'Count', value: count.submitted },
    { name: 'WorkFailed', unit: 'Count', value: count.failed },
  ]);
  return count;
}
