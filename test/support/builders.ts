import type { PayIn, PayInCallback } from '../../shared/domain/pay-in.ts';
import { centavos } from '../../shared/domain/money.ts';
import type { Refund } from '../../shared/domain/refund.ts';
import type { Cancellation, Subscription, SubscriptionCallback } from '../../shared/domain/subscription.ts';

/** Things as they are right after their creation; what a test cares about it says itself. */

export const CREATED = '2026-03-10T12:00:00.000Z';
export const LATER = '2026-03-10T12:30:00.000Z';
export const DEBTOR = { name: 'Maria Silva', document: { type: 'CPF', number: '52998224725' } } as const;
export const RECEIVER_DOCUMENT = { type: 'CNPJ', number: '11444777000161' } as const;

export function aSubscription(more: Partial<Subscription> = {}): Subscription {
  const status = more.status ?? 'PENDING_AUTHORIZATION';
  const statuses = status === 'PENDING_AUTHORIZATION' ? [status] : (['PENDING_AUTHORIZATION', status] as const);
  return {
    id: 'aaaaaaaa-0000-4000-8000-000000000001',
    providerId: 'RN9999900420260310abcdefghijk',
    type: 'AUTHORIZATION_QRCODE',
    status,
    statusHistory: statuses.map((one) => ({ status: one, createdAt: CREATED })),
    qrcodeData: 'qr',
    allowChargeAfterDueDate: false,
    allowAdjustToBusinessDay: false,
    frequencyType: 'MONTHLY',
    startDate: '2026-03-10',
    debtor: DEBTOR,
    receiver: { id: 'account', fullName: 'Padaria', document: RECEIVER_DOCUMENT },
    webhookUrl: 'https://partner.example/hook',
    externalId: 'sub-1',
    createdAt: CREATED,
    updatedAt: CREATED,
    version: 1,
    ...more,
  };
}

export function aCancellation(more: Partial<Cancellation> = {}): Cancellation {
  return {
    id: 'cccccccc-0000-4000-8000-000000000001',
    subscriptionId: 'aaaaaaaa-0000-4000-8000-000000000001',
    idempotencyKey: 'key',
    status: 'PENDING',
    statusHistory: [
      { status: 'INITIAL', createdAt: CREATED },
      { status: 'PENDING', createdAt: CREATED },
    ],
    reason: 'FRAUD_SUSPICION',
    customer: { document: RECEIVER_DOCUMENT },
    createdAt: CREATED,
    updatedAt: CREATED,
    ...more,
  };
}

export function aSubscriptionCallback(more: Partial<SubscriptionCallback> = {}): SubscriptionCallback {
  const payerAccount = { ispb: '60701190', branchNumber: '0001', accountNumber: '12345678' };
  return { at: LATER, payerAccount, cancellationId: 'cccccccc-0000-4000-8000-00000000000f', ...more };
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
    createdAt: CREATED,
    updatedAt: CREATED,
    payer: DEBTOR,
    ownerBank: { name: 'Padaria', document: RECEIVER_DOCUMENT.number, bank: { ispb: '99999004', account: '1234567' } },
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
    createdAt: CREATED,
    ...more,
  };
}

export function aPayInCallback(more: Partial<PayInCallback> = {}): PayInCallback {
  return {
    at: LATER,
    endToEndId: 'E6070119020260310123012345678901',
    payerBank: { ispb: '60701190', account: '12345678' },
    refund: { id: '11111111111111111111111111111111', endToEndId: 'D9999900420260310123012345678901' },
    ...more,
  };
}
