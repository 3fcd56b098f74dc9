import type { Ids } from '../domain/identifiers.ts';
import type { ChargeBank } from '../provider/ports/recurring-charges.ts';
import { nowMs } from '../runtime/clock.ts';
import { emit } from '../runtime/metrics.ts';
import { payOwedResend } from './pay-owed-resend.ts';
import type { DueCount, DueRun } from './work-due.ts';
import { workDue } from './work-due.ts';

export type ChargeDueDeps = DueRun & { readonly bank: ChargeBank; readonly ids: Ids; readonly ispb: string };
type ResendCount = { readonly resent: number; readonly missed: number; readonly due: DueCount };

/** Settles the debts of all payments that settlement errors canceled; those whose 21:00 has come are counted. */
export async function workResends(deps: ChargeDueDeps): Promise<ResendCount> {
  const { ids, now } = deps;
  const count = { resent: 0, missed: 0 };
  const due = await workDue(deps, { kind: 'SETTLEMENT_RESEND' }, async ({ companyId, id }) => {
    const outcome = await payOwedResend({ ...deps, realNow: now, companyId, requestId: ids.uuid() }, id);
    if (outcome === 'MISSED') count.missed += 1;
    if (outcome === 'RESENT') count.resent += 1;
  });
  if (count.missed > 0)
    emit(nowMs(), { kind: 'SETTLEMENT_RESEND' }, [{ name: 'ResendsMissed', unit: 'Count', value: count.missed }]);
  return { ...count, due };
}
