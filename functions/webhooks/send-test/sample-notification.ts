import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { endToEndId, returnId, transactionId } from '#shared/core/identifiers.ts';
import { centavos } from '#shared/core/money.ts';
import { openCredit } from '#shared/credits/book.ts';
import { disputeNotification } from '#shared/disputes/notification.ts';
import { openDispute } from '#shared/disputes/states.ts';
import { creditNotification } from '#shared/credits/notification.ts';
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
  const { id, body } = samples[type](chance);
  const sample = JSON.parse(body) as object;
  return { event, resource: { type: 'WEBHOOK_TEST', id }, body: JSON.stringify({ ...sample, event }) };
}

/** The sample of each type. A type without a sample does not compile. */
const samples: Readonly<Record<WebhookType, (chance: Chance) => { readonly id: string; readonly body: string }>> = {
  PAYIN: (chance) => {
    const payIn = samplePayIn(chance);
    return { id: payIn.id, ...payInNotification(payIn) };
  },
  PAYIN_REFUND: (chance) => {
    const payIn = { ...samplePayIn(chance), refundedAt: chance.at };
    return { id: payIn.id, ...refundNotification(payIn, sampleRefund(payIn, chance)) };
  },
  PAYOUT: (chance) => {
    const payout = samplePayout(chance);
    return { id: payout.id, ...payoutNotification({ payout, payments: [] }) };
  },
  CREDIT: (chance) => {
    const { accountId, amount, endToEndId } = sampleOrder(chance);
    const credit = openCredit(chance, { accountId, amount, endToEndId, reason: 'NO_CHARGE', payer: counterpart });
    return { id: credit.id, ...creditNotification(credit) };
  },
  DISPUTE: ({ at, ids }) => {
    const { id: orderId, accountId, amount, endToEndId } = sampleOrder({ at, ids });
    const payment = { accountId, orderId, endToEndId, payer: counterpart, left: amount };
    const claim = { kind: 'FRAUD', reason: 'Contestação de teste', dueAt: plusSeconds(at, 7 * 86_400) } as const;
    const { dispute } = openDispute(payment, claim, { id: ids.uuid(), at, available: amount });
    return { id: dispute.id, ...disputeNotification({ dispute, defences: [] }, 'DISPUTE.OPENED', at) };
  },
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
