import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/** Runs every minute: submits every payout that is due, and asks about those that the bank accepted. */
export const handler = jobHandler('submit-payouts', commandBank, () => [['PAYOUT_SUBMISSION'], ['PAYOUT_POLL']]);
