import type { PayIn } from '#shared/pay-ins/model.ts';
import { centavos } from '#shared/core/money.ts';
import type { Notification } from '#shared/platform/outbox/delivery.ts';
import type { Refund } from '#shared/refunds/model.ts';
import type { Cancellation, Subscription } from '#shared/subscriptions/model.ts';

/** Things as they are right after their creation; what a test cares about it says itself. */

export const created = '2026-03-10T12:00:00.000Z';
export const later = '2026-03-10T12:30:00.000Z';
export const debtor = { name: 'Maria Silva', document: { type: 'CPF', number: '52998224725' } } as const;
export const receiverDocument = { type: 'CNPJ', number: '11444777000161' } as const;

export function aSubscription(more: Partial<Subscription> = {}): Subscription {
  const status = more.status ?? 'PENDING_AUTHORIZATION';
  const begun = ['INITIAL', 'PENDING_AUTHORIZATION'] as const;
  const statuses = status === 'PENDING_AUTHORIZATION' ? begun : ([...begun, status] as const);
  return {
    id: 'aaaaaaaa-0000-4000-8000-000000000001',
    providerId: 'RN9999900420260310abcdefghijk',
    type: 'AUTHORIZATION_QRCODE',
    status,
    statusHistory: statuses.map((one) => ({ status: one, createdAt: created })),
    qrcodeData: 'qr',
    allowChargeAfterDueDate: false,
    allowAdjustToBusinessDay: false,
    frequencyType: 'MONTHLY',
    startDate: '2026-03-10',
    debtor: debtor,
    receiver: { id: 'account', fullName: 'Padaria', document: receiverDocument },
    ownerBank: { name: 'Padaria', document: receiverDocument.number, bank: { ispb: '99999004', account: '1234567' } },
    webhookUrl: 'https://partner.example/hook',
    externalId: 'sub-1',
    createdAt: created,
    updatedAt: created,
    cancellationsCount: 0,
    version: 1,
    ...more,
  };
}

export function aCancellation(more: Partial<Cancellation> = {}): Cancellation {
  return {
    id: 'cccccccc-0000-4000-8000-000000000001',
    subscriptionId: 'aaaaaaaa-0000-4000-8000-000000000001',
    sequence: 1,
    idempotencyKey: 'key',
    status: 'PENDING',
    statusHistory: [
      { status: 'INITIAL', createdAt: created },
      { status: 'PENDING', createdAt: created },
    ],
    reason: 'FRAUD_SUSPICION',
    customer: { document: receiverDocument },
    createdAt: created,
    updatedAt: created,
    ...more,
  };
}

export function aPayIn(more: Partial<PayIn> = {}): PayIn {
  return {
    id: 'bbbbbbbb-0000-4000-8000-000000000000',
    externalId: 'pay-in-1',
    accountId: 'account',
    status: 'PENDING',
    qrcodeData: 'qr',
    expireDateTime: '2026-03-11T12:00:00.000Z',
    amount: centavos(2500),
    description: 'Order 42',
    conciliationId: '0123456789abcdef0123456789abcdef',
    createdAt: created,
    updatedAt: created,
    payer: debtor,
    ownerBank: { name: 'Padaria', document: receiverDocument.number, bank: { ispb: '99999004', account: '1234567' } },
    version: 1,
    ...more,
  };
}

export function aRefund(more: Partial<Refund> = {}): Refund {
  return {
    id: 'fedcba9876543210fedcba9876543210',
    orderId: 'bbbbbbbb-0000-4000-8000-000000000000',
    amount: centavos(2500),
    status: 'PENDING',
    createdAt: created,
    ...more,
  };
}

/** That a pay-in was paid, at this time. */
export function aNotification(createdAt: string): Notification {
  const resource = { type: 'PAY_IN', id: 'o-1' } as const;
  const target = { type: 'PAYIN' } as const;
  return { id: 'd-1', event: 'ORDER-PAYIN.PAID', resource, target, body: '{}', createdAt, requestId: 'r-1' };
}
