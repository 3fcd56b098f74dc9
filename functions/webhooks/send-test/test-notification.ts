import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import type { Ids } from '../../../shared/domain/identifiers.ts';
import { endToEndId, returnId, transactionId } from '../../../shared/domain/identifiers.ts';
import { centavos } from '../../../shared/domain/money.ts';
import type { WebhookType } from '../../../shared/domain/notification.ts';
import type { PayIn } from '../../../shared/domain/pay-in.ts';
import type { Payout } from '../../../shared/domain/payout.ts';
import { payInNotification, refundNotification } from '../../../shared/notifications/payloads/pay-in.ts';
import { payoutNotification } from '../../../shared/notifications/payloads/payout.ts';

/** Tells a test from the real thing: no order has this event, and no order was ever created with this code. */
const event = 'WEBHOOK.TEST';
const code = 'WEBHOOK-TEST';
const ispb = '00000000';

/** People and accounts of a test. Well formed, so that a partner's own checks let them pass. */
const owner = {
  name: 'Empresa de Teste',
  document: '11222333000181',
  bank: { ispb, branch: '0001', account: '0000001', accountType: 'CHECKING' },
} as const;
const counterpart = {
  name: 'Pessoa de Teste',
  document: { type: 'CPF', number: '52998224725' },
  bank: { ispb, branch: '0001', account: '0000002', accountType: 'CHECKING' },
  pix: { type: 'CPF', key: '52998224725' },
} as const;

/** A notification of the type as the real ones are built, from made-up facts, with an event of its own. */
export function testNotification(
  type: WebhookType,
  { at, ids }: { readonly at: Instant; readonly ids: Ids },
): { readonly event: string; readonly body: string } {
  const { body } = sampleOf(type, at, ids);
  return { event, body: JSON.stringify({ ...(JSON.parse(body) as object), event }) };
}

function sampleOf(type: WebhookType, at: Instant, ids: Ids): { readonly body: string } {
  const order = {
    id: ids.orderId(),
    externalId: code,
    accountId: ids.uuid(),
    status: 'PAID' as const,
    amount: centavos(123),
    description: 'Notificação de teste',
    endToEndId: endToEndId(ispb, at, ids),
    ownerBank: owner,
    createdAt: at,
    updatedAt: at,
    paidAt: at,
    version: 1,
  };
  if (type === 'PAYOUT') {
    const payout: Payout = {
      ...order,
      paymentMethod: 'PIX',
      initiation: 'KEY',
      receiver: counterpart,
      idempotencyKey: code,
      sendAt: at,
    };
    return payoutNotification({ payout, payments: [] });
  }
  const conciliationId = transactionId(ids);
  const payIn = { ...order, conciliationId, qrcodeData: '', expireDateTime: at, payer: counterpart } satisfies PayIn;
  if (type === 'PAYIN') return payInNotification(payIn);
  const refund = {
    id: ids.uuid(),
    orderId: payIn.id,
    amount: payIn.amount,
    status: 'SETTLED' as const,
    endToEndId: returnId(ispb, at, ids),
    createdAt: at,
  };
  return refundNotification({ ...payIn, refundedAt: at }, refund);
}
