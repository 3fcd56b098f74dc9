import type { Instant } from '../core/brasilia-time.ts';
import type { PayIn } from '../pay-ins/model.ts';
import type { ScheduledCharge } from './model.ts';
import { chargeReference } from './model.ts';

/**
 * The order as which a scheduled payment settles: paid from the beginning, without QR code (BCB, Manual de Padrões,
 * 3.3.2), with a code of the service's own (6.3).
 */
export function settledPayIn(
  { payment, terms }: ScheduledCharge,
  made: { readonly orderId: string; readonly externalId: string },
  at: Instant,
): PayIn {
  const { id, externalId, amount, description, endToEndId } = payment;
  return {
    id: made.orderId,
    externalId: made.externalId,
    accountId: terms.accountId,
    status: 'PAID',
    qrcodeData: '',
    expireDateTime: at,
    amount,
    description: description ?? 'Charge of a subscription',
    conciliationId: chargeReference(payment),
    endToEndId,
    createdAt: at,
    updatedAt: at,
    paidAt: at,
    payer: terms.payer,
    ownerBank: terms.ownerBank,
    subscription: { ...terms.subscription, scheduledPayment: { id, externalId } },
    version: 1,
  };
}
