import type { PayIn, PayInStatus } from './model.ts';
import type { Refund } from '../refunds/model.ts';
import { amountView } from '#shared/contract/amount-view.ts';

type NotifiedStatus = Exclude<PayInStatus, 'PENDING' | 'REFUNDED'>;

/** `message` is for the partner's log, `customerMessage` may be shown to the person who pays. */
const messages: Readonly<Record<NotifiedStatus, { message: string; customerMessage: string }>> = {
  PAID: { message: 'The pay-in was paid.', customerMessage: 'Pagamento confirmado.' },
  EXPIRED: { message: 'The pay-in expired without payment.', customerMessage: 'O prazo para pagamento terminou.' },
  CANCELED: { message: 'The pay-in was canceled.', customerMessage: 'A cobrança foi cancelada.' },
  ERROR: { message: 'The pay-in failed.', customerMessage: 'Não foi possível concluir o pagamento.' },
};

/** The body of `ORDER-PAYIN.*` (6.2). Nullable fields are always present, optional ones only when they are known. */
export function payInNotification(payIn: PayIn & { readonly status: NotifiedStatus }): { event: string; body: string } {
  const event = `ORDER-PAYIN.${payIn.status}`;
  const { message, customerMessage } = messages[payIn.status];
  const body = {
    id: payIn.id,
    code: payIn.externalId,
    event,
    status: payIn.status,
    paidAt: payIn.paidAt ?? null,
    updatedAt: payIn.updatedAt,
    endToEndId: payIn.endToEndId ?? null,
    controlNumber: null,
    type: 'PAY-IN',
    message: payIn.errorMessage ?? message,
    customerMessage,
    description: payIn.description,
    amount: amountView(payIn.amount),
    ownerBank: payIn.ownerBank,
    payer: payIn.payer,
    ...(payIn.subscription && { subscription: payIn.subscription }),
  };
  return { event, body: JSON.stringify(body) };
}

/**
 * The body of `ORDER-PAYIN.REFUNDED`, or of `ORDER-PAYIN.REFUND_FAILED`, with the reason in `message`, for a refund
 * that the bank did not make (6.3). @throws Error for a refund that is still pending.
 */
export function refundNotification(payIn: PayIn, refund: Refund): { event: string; body: string } {
  if (refund.status === 'PENDING') throw new Error('A refund that is pending causes no notification.');
  const failed = refund.status === 'FAILED';
  const event = failed ? 'ORDER-PAYIN.REFUND_FAILED' : 'ORDER-PAYIN.REFUNDED';
  const body = {
    id: payIn.id,
    code: payIn.externalId,
    event,
    status: failed ? 'FAILED' : 'REFUNDED',
    type: 'REFUND',
    refundId: refund.id,
    paidAt: payIn.paidAt ?? null,
    refundedAt: payIn.refundedAt ?? null,
    updatedAt: payIn.updatedAt,
    endToEndId: refund.endToEndId ?? null,
    message: refund.errorMessage ?? '',
    ...(payIn.subscription && { subscription: payIn.subscription }),
  };
  return { event, body: JSON.stringify(body) };
}
