import { workResends } from '#shared/scheduled-payments/run-retries.ts';
import { chargeBank } from '#shared/bank-wiring/bank-ports.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { env } from '#shared/platform/env.ts';
import { randomIds } from '#shared/platform/ids.ts';

/** Runs every minute from 00:00 to 20:59 in Brasilia: sends again what settlement errors canceled today (6.5). */
export const handler = dueWorker('resend-settlement-errors', async (run) => {
  const { resent, due } = await workResends({ ...run, bank: chargeBank(), ids: randomIds, ispb: env('SERVICE_ISPB') });
  return { counts: { PaymentsResent: resent }, due: { SETTLEMENT_RESEND: due } };
});
