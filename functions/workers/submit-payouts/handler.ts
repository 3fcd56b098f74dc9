import type { Ids } from '#shared/core/identifiers.ts';
import type { DueCount, DueRun } from '#shared/platform/jobs/work-due.ts';
import { workDue } from '#shared/platform/jobs/work-due.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { payoutsPort } from '#shared/bank-wiring/bank-ports.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { log } from '#shared/platform/log.ts';
import { submitDuePayout } from '#shared/payouts/submit.ts';

type SubmissionDeps = DueRun & { readonly bank: Pick<Bank, 'payouts'>; readonly ids: Ids };
type SubmissionCount = { submitted: number; postponed: number; unavailable: number; due: DueCount };

/** Kept for the transitions of refused payments and for the due index before the run ends, milliseconds. */
const reservedMs = 6000;

/** Submits every payout that is due. One that fails is tried again by a later run. */
export async function submitPayouts(deps: SubmissionDeps): Promise<SubmissionCount> {
  const { store, bank, ids, now } = deps;
  const count = { submitted: 0, postponed: 0, unavailable: 0 };
  const due = await workDue(deps, { kind: 'PAYOUT_SUBMISSION' }, async ({ companyId, id: payoutId }) => {
    const context = { store, bank, ids, at: now(), realNow: now, companyId, requestId: ids.uuid() };
    const result = await submitDuePayout(context, payoutId, () => deps.remainingMs() - reservedMs);
    if (result === 'SUBMITTED') count.submitted += 1;
    if (result === 'POSTPONED') count.postponed += 1;
    if (result === 'UNAVAILABLE') {
      count.unavailable += 1;
      log('warn', 'payout not submitted: the bank is unavailable', { companyId, payoutId });
    }
  });
  return { ...count, due };
}

/** Runs every minute. */
export const handler = dueWorker('submit-payouts', async (run) => {
  const count = await submitPayouts({ ...run, bank: { payouts: payoutsPort() }, ids: randomIds });
  const { submitted, postponed, unavailable, due } = count;
  return {
    counts: { PayoutsSubmitted: submitted, PayoutsPostponed: postponed },
    failed: unavailable,
    due: { PAYOUT_SUBMISSION: due },
  };
});
