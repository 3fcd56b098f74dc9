import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/** Runs every minute: finishes commands without a known outcome; the bank is asked first about each. */
export const handler = jobHandler('submit-commands', commandBank, () => [
  ['REFUND_SUBMISSION', 'RECURRENCE_CANCELLATION'],
]);
