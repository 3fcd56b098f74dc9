import { workResends } from '#shared/scheduled-payments/run-retries.ts';
import { chargeBank } from '#functions/banks.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { settings } from '#shared/platform/settings.ts';

/** Runs every minute from 00:00 to 20:59 in Brasilia: sends again what settlement errors canceled today (6.5). */
export const handler = dueWorker('resend-settlement-errors', async (run) => {
  const { ispb } = settings().orders;
  const { resent, due } = await workResends({ ...run, bank: chargeBank(), ids: randomIds, ispb });
  return { counts: { PaymentsResent: resent }, due: { SETTLEMENT_RESEND: due } };
});
