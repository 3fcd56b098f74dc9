import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';
import { payInJobs } from '#shared/jobs/jobs.ts';

/** Expires every pay-in whose time has passed. */
export const handler = jobHandler('expire-pay-ins', 'PAY_INS', payInJobs, commandBank);
