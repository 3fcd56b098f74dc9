import type { Ids } from '../core/identifiers.ts';
import type { ScheduledCharge } from './model.ts';
import type { DueWork } from '../platform/jobs/due.ts';
import type { ChargeBank } from '../bank/ports/recurring-charges.ts';
import { nowMs } from '../platform/clock.ts';
import { emit } from '../platform/metrics.ts';
import { settleOwedResend } from './retry-charge.ts';
import { tellBank } from './submit-charge.ts';
import type { DueCount, DueRun } from '../platform/jobs/work-due.ts';
import { workDue } from '../platform/jobs/work-due.ts';

export type ChargeDueDeps = DueRun & { readonly bank: ChargeBank; readonly ids: Ids; readonly ispb: string };
type ResendCount = { readonly resent: number; readonly missed: number; readonly due: DueCount };

/**
 * Settles the debts of all payments that settlement errors canceled; those whose 21:00 has come are counted. Every
 * resend is made before the bank is told of the first, so that a bank that hangs holds up none. What the bank is not
 * told in the time that is left is told with the other commands that it may not have.
 */
export async function workResends(deps: ChargeDueDeps): Promise<ResendCount> {
  const { ids, now, remainingMs } = deps;
  const contextOf = (companyId: string) => ({ ...deps, realNow: now, companyId, requestId: ids.uuid() });
  const made = new Map<string, { readonly work: DueWork; readonly charge: ScheduledCharge }>();
  let missed = 0;
  const due = await workDue(deps, { kind: 'SETTLEMENT_RESEND' }, async (work) => {
    const { outcome, resend } = await settleOwedResend(contextOf(work.companyId), work.id);
    if (outcome === 'MISSED') missed += 1;
    if (resend) made.set(work.id, { work, charge: resend });
  });
  if (missed > 0)
    emit(nowMs(), { kind: 'SETTLEMENT_RESEND' }, [{ name: 'ResendsMissed', unit: 'Count', value: missed }]);
  const found = inTurn([...made.values()].map(({ work }) => work));
  const told = await workDue(deps, { kind: 'SETTLEMENT_RESEND', found }, async ({ companyId, id }) => {
    const charge = made.get(id)?.charge;
    if (charge) await tellBank(contextOf(companyId), charge, { fresh: 'SCHEDULE', remainingMs });
  });
  return { resent: made.size, missed, due: { ...due, failed: due.failed + told.failed } };
}

async function* inTurn<T>(all: readonly T[]): AsyncGenerator<T, void, void> {
  yield* await Promise.resolve(all);
}
