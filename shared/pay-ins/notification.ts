import type { NotifiedPayInStatus, PayIn } from './model.ts';
import type { PayInNotification } from './notification-contract.ts';
import { notificationJson } from '../contract/notification.ts';
import { amountView } from '../core/money.ts';

/** `message` is for the partner's log, `customerMessage` may be shown to the person who pays. */
const messages: Readonly<Record<NotifiedPayInStatus, { message: string; customerMessage: string }>> = {
  PAID: { message: 'The pay-in was paid.', customerMessage: 'Pagamento confirmado.' },
  EXPIRED: { message: 'The pay-in expired without payment.', customerMessage: 'O prazo para pagamento terminou.' },
  CANCELED: { message: 'The pay-in was canceled.', customerMessage: 'A cobrança foi cancelada.' },
  ERROR: { message: 'The pay-in failed.', customerMessage: 'Não foi possível concluir o pagamento.' },
};

/**
 * Returns event and body of `ORDER-PAYIN.*` (6.2). The body always has its nullable fields; optional fields only when
 * known.
 */
export function payInNotification(payIn: PayIn & { readonly status: NotifiedPayInStatus }): {
  event: string;
  body: string;
} {
  const event = `ORDER-PAYIN.${payIn.status}` as const;
  const { message, customerMessage } = messages[payIn.status];
  const body = notificationJson<typeof PayInNotification>({
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
    subscription: payIn.subscription,
  });
  return { event, body };
}
