import { log } from '../runtime/log.ts';
import type { ResendContext, Settled } from './resend-payment.ts';
import { settleOwedResend } from './resend-payment.ts';
import type { ChargeBankContext } from './tell-bank.ts';
import { tellBank } from './tell-bank.ts';
import type { DueRun } from './work-due.ts';

/**
 * Sends a payment again that a settlement error canceled, or writes its debt off when its 21:00 has come. What the bank
 * is not told here is told with the other commands that it may not have.
 */
export async function payOwedResend(
  context: ResendContext & ChargeBankContext & Pick<DueRun, 'remainingMs'>,
  id: string,
): Promise<Settled['outcome']> {
  const { companyId, remainingMs } = context;
  const settled = await settleOwedResend(context, id);
  if (settled.outcome === 'MISSED') log('warn', 'resend missed', { companyId, paymentId: id });
  if (settled.outcome === 'RESENT') await tellBank(context, settled.resend, { fresh: 'SCHEDULE', remainingMs });
  return settled.outcome;
}
