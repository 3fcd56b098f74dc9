import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/** Runs every minute from 00:00 to 20:59 in Brasilia: resends payments that settlement errors canceled today (6.5). */
export const handler = jobHandler('resend-settlement-errors', commandBank, () => [['SETTLEMENT_RESEND']]);
