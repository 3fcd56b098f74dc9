import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';
import type { Stages } from '#shared/jobs/job-worker.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { isAfterExecution } from '#shared/scheduled-payments/window.ts';

/**
 * Returns the stages of a run. Recurrences, and payments of canceled subscriptions, end before windows open; commands
 * and queries follow. From 21:00 on, the first stage records the resends that are still due as missed.
 */
export function stagesAt(at: Instant): Stages {
  const missedRetries = isAfterExecution(at) ? (['SETTLEMENT_RESEND'] as const) : [];
  return [missedRetries, ['PAYMENT_SWEEP', 'RECURRENCE_END'], ['PAYMENT_RELEASE'], ['CHARGE_COMMAND'], ['CHARGE_POLL']];
}

export const handler = jobHandler('advance-scheduled-payments', commandBank, stagesAt);
