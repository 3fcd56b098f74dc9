import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';
import type { Stages } from '#shared/jobs/job-worker.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { isAfterExecution } from '#shared/scheduled-payments/window.ts';

/**
 * Recurrences and payments of canceled ones end before windows open; commands and questions follow. After 21:00 retries
 * are missed.
 */
export function stagesAt(at: Instant): Stages {
  const missedRetries = isAfterExecution(at) ? (['SETTLEMENT_RESEND'] as const) : [];
  return [missedRetries, ['PAYMENT_SWEEP', 'RECURRENCE_END'], ['PAYMENT_RELEASE'], ['CHARGE_COMMAND'], ['CHARGE_POLL']];
}

export const handler = jobHandler('advance-scheduled-payments', commandBank, stagesAt);
