import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/** Runs every minute: finishes commands without a known outcome, and queries the bank about accepted commands. */
export const handler = jobHandler('submit-commands', commandBank, () => [
  ['REFUND_SUBMISSION', 'RECURRENCE_CANCELLATION'],
  ['REFUND_POLL', 'CREDIT_RETURN', 'CANCELLATION_POLL', 'RECURRENCE_POLL'],
]);
