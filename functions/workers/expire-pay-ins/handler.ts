import { commandBank } from '#functions/banks.ts';
import { jobHandler } from '#shared/jobs/job-worker.ts';

/** Runs every minute: expires every pay-in whose time has passed. */
export const handler = jobHandler('expire-pay-ins', commandBank, () => [['PAY_IN_EXPIRY']]);
