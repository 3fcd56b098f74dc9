import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { endToEndId, returnId, transactionId } from '#shared/core/identifiers.ts';
import { centavos } from '#shared/core/money.ts';
import type { Notification, WebhookType } from '#shared/platform/outbox/delivery.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import type { Payout } from '#shared/payouts/model.ts';
import { payInNotification } from '#shared/pay-ins/notification.ts';
import { refundNotification } from '#shared/refunds/notification.ts';
import { payoutNotification } from '#shared/payouts/notification.ts';

/** Marks of a test: no order has this event or this code. */
const event = 'WEBHOOK.TEST';
const code = 'WEBHOOK-TEST';
const ispb = '00000000';

/** People and accounts of a test, well formed, so that they pass a partner's own checks. */
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

type Chance = { readonly at: Instant; readonly ids: Ids };

/** Builds a notification of the type by the code of real notifications, from invented data, with the test's event. */
export function sampleNotification(
  type: WebhookType,
  chance: Chance,
): Pick<Notification, 'event' | 'resource' | 'body'> {
  const sample = JSON.parse(samples[type](chance).body) as { readonly id: string };
  return { event, resource: { type: 'WEBHOOK_TEST', id: sample.id }, body: JSON.stringify({ ...sample, event }) };
}

/** The sample of each type. A type without a sample does not compile. */
const samples: Readonly<Record<WebhookType, (chance: Chance) => { readonly body: string }>> = {
  PAYIN: (chance) => payInNotification(samplePayIn(chance)),
  PAYIN_REFUND: (chance) => {
    const payIn = { ...samplePayIn(chance), refundedAt: chance.at };
    return refundNotification(payIn, sampleRefund(payIn, chance));
  },
  PAYOUT: (chance) => payoutNotification({ payout: samplePayout(chance), payments: [] }),
};

function sampleOrder({ at, ids }: Chance) {
  return {
    id: ids.orderId(),
    externalId: code,
    accountId: ids.uuid(),
    status: 'PAID',
    amount: centavos(123),
    description: 'Notificação de teste',
    endToEndId: endToEndId(ispb, at, ids),
    ownerBank: owner,
    createdAt: at,
    updatedAt: at,
    paidAt: at,
    version: 1,
  } as const;
}

function samplePayIn(chance: Chance) {
  const order = sampleOrder(chance);
  const charge = { conciliationId: transactionId(chance.ids), qrcodeData: '', expireDateTime: chance.at };
  return { ...order, ...charge, payer: counterpart } satisfies PayIn;
}

function sampleRefund({ id: orderId, amount }: PayIn, { at, ids }: Chance) {
  const status = 'SETTLED';
  return { id: ids.uuid(), orderId, amount, status, endToEndId: returnId(ispb, at, ids), createdAt: at } as const;
}

function samplePayout(chance: Chance): Payout {
  const order = sampleOrder(chance);
  const { at: sendAt } = chance;
  return {
    ...order,
    paymentMethod: 'PIX',
    initiation: 'KEY',
    receiver: counterpart,
    paymentData: { pixKey: counterpart.document.number },
    idempotencyKey: code,
    sendAt,
  };
}
