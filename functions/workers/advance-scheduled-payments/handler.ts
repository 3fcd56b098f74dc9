import { isAfterExecution } from '#shared/scheduled-payments/window.ts';
import { sweepPayments } from '#shared/scheduled-payments/sweep.ts';
import type { DueCount } from '#shared/platform/jobs/work-due.ts';
import { isTimeUp, workDue } from '#shared/platform/jobs/work-due.ts';
import type { ChargeDueDeps } from '#shared/scheduled-payments/run-retries.ts';
import { workResends } from '#shared/scheduled-payments/run-retries.ts';
import { chargeBank } from '#functions/banks.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { settings } from '#shared/platform/settings.ts';
import { finishCommands } from '#shared/scheduled-payments/finish-commands.ts';
import { releasePayment } from '#shared/scheduled-payments/release.ts';

type DoneKind = 'PAYMENT_RELEASE' | 'CHARGE_COMMAND' | 'PAYMENT_SWEEP';
type AdvanceCount = {
  readonly released: number;
  readonly canceled: number;
  readonly untold: number;
  /** Commands that the bank did not get before their hour. */
  readonly tooLate: number;
  /** Resends whose 21:00 had come. */
  readonly missed: number;
  readonly due: Readonly<Record<DoneKind, DueCount>>;
};

/**
 * Does what is due about scheduled payments: opens windows, finishes commands that may not have reached the bank, and
 * cancels open payments of subscriptions that were canceled. After 21:00 it counts the resends that can no longer be
 * made.
 */
export async function advanceScheduledPayments(deps: ChargeDueDeps): Promise<AdvanceCount> {
  const { ids, now } = deps;
  const count = { released: 0, canceled: 0, untold: 0, tooLate: 0 };
  const contextOf = (companyId: string) => ({ ...deps, realNow: now, companyId, requestId: ids.uuid() });
  const missed = isAfterExecution(now()) ? (await workResends(deps)).missed : 0;
  const sweeps = await workDue(deps, { kind: 'PAYMENT_SWEEP' }, async ({ companyId, id }) => {
    const mayGoOn = (): boolean => !isTimeUp(deps);
    const { canceled } = await sweepPayments({ ...contextOf(companyId), mayGoOn }, id);
    count.canceled += canceled;
  });
  const releases = await workDue(deps, { kind: 'PAYMENT_RELEASE' }, async ({ companyId, id }) => {
    const told = await releasePayment(contextOf(companyId), id);
    if (told !== 'NOTHING') count.released += 1;
    if (told === 'MISSED') count.tooLate += 1;
  });
  const commands = await workDue(deps, { kind: 'CHARGE_COMMAND' }, async ({ companyId, id }) => {
    const told = await finishCommands(contextOf(companyId), id);
    if (told === 'OPEN') count.untold += 1;
    if (told === 'MISSED') count.tooLate += 1;
  });
  return {
    ...{ ...count, missed },
    due: { PAYMENT_RELEASE: releases, CHARGE_COMMAND: commands, PAYMENT_SWEEP: sweeps },
  };
}

/** Runs every minute. */
export const handler = dueWorker('advance-scheduled-payments', async (run) => {
  const { released, canceled, untold, tooLate, due } = await advanceScheduledPayments({
    ...{ ...run, bank: chargeBank(), ids: randomIds, ispb: settings().orders.ispb },
  });
  return {
    counts: { PaymentsReleased: released, PaymentsCanceledWithSubscription: canceled, CommandsMissed: tooLate },
    failed: untold,
    due,
  };
});
