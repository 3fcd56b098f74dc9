import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';
import { payoutJobs } from '#shared/jobs/jobs.ts';

/** Submits every payout that is due, and queries the bank about accepted payouts. */
export const handler = jobHandler('submit-payouts', 'PAYOUTS', payoutJobs, commandBank);
