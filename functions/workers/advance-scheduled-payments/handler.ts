import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';
import { paymentJobs, resendJobs } from '#shared/jobs/jobs.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { DueFamily } from '#shared/platform/jobs/due-kinds.ts';
import { isAfterExecution } from '#shared/scheduled-payments/window.ts';

/** Returns the families of a run. From 21:00 on it also records the resends that are still due as missed. */
function familiesAt(at: Instant): readonly DueFamily[] {
  return isAfterExecution(at) ? ['PAYMENTS', 'RESENDS'] : ['PAYMENTS'];
}

/** Opens windows, finishes commands to the bank, queries their outcome, and ends what its subscription ended. */
export const handler = jobHandler(
  'advance-scheduled-payments',
  'PAYMENTS',
  { ...paymentJobs, ...resendJobs },
  commandBank,
  familiesAt,
);
