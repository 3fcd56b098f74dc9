import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/** Expires every pay-in whose time has passed. */
export const handler = jobHandler('expire-pay-ins', 'PAY_INS', commandBank);
