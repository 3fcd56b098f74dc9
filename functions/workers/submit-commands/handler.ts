import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/**
 * Runs every minute: finishes the commands to the bank whose function died, and those that the bank did not answer. The
 * bank is asked first about each.
 */
export const handler = jobHandler('submit-commands', commandBank, () => [
  ['REFUND_SUBMISSION', 'RECURRENCE_CANCELLATION'],
]);
