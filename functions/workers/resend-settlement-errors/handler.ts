import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';
import { resendJobs } from '#shared/jobs/jobs.ts';

/** Resends payments that settlement errors canceled today: every minute from 00:00 to 20:59 in Brasilia (6.5). */
export const handler = jobHandler('resend-settlement-errors', 'RESENDS', resendJobs, commandBank);
