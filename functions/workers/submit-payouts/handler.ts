import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/** Runs every minute: submits every payout that is due, and queries the bank about accepted payouts. */
export const handler = jobHandler('submit-payouts', commandBank, () => [['PAYOUT_SUBMISSION'], ['PAYOUT_POLL']]);
