import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/** Submits every payout that is due, and queries the bank about accepted payouts. */
export const handler = jobHandler('submit-payouts', 'PAYOUTS', commandBank);
