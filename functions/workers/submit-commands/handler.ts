import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';
import { commandJobs } from '#shared/jobs/jobs.ts';

/** Finishes commands without a known outcome, and queries the bank about accepted commands. */
export const handler = jobHandler('submit-commands', 'COMMANDS', commandJobs, commandBank);
