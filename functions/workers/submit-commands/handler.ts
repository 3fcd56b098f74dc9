import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/** Finishes commands without a known outcome, and queries the bank about accepted commands. */
export const handler = jobHandler('submit-commands', 'COMMANDS', commandBank);
