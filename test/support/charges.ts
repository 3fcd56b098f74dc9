import { centavos } from '#shared/core/money.ts';
import type { ChargeCancellation, ChargeTerms, ScheduledPayment } from '#shared/scheduled-payments/model.ts';
import type { NewIds } from '#shared/scheduled-payments/states.ts';
import { created, debtor, receiverDocument } from './builders.ts';

/** Scheduled payments as they are right after their creation; what a test cares about it says itself. */

export const paymentId = 'dddddddd-0000-4000-8000-000000000001';
export const newIds: NewIds = {
  orderId: 'bbbbbbbb-0000-4000-8000-000000000000',
  cancellationId: 'cccccccc-0000-4000-8000-0000000000aa',
};

export function aPayment(more: Partial<ScheduledPayment> = {}): ScheduledPayment {
  const status = more.status ?? 'PENDING';
  return {
    id: paymentId,
    externalId: 'charge-1',
    subscriptionId: 'aaaaaaaa-0000-4000-8000-000000000001',
    status,
    statusHistory: (['INITIAL', 'PENDING', status] as const)
      .slice(0, status === 'INITIAL' ? 1 : status === 'PENDING' ? 2 : 3)
      .map((one) => ({ status: one, createdAt: created })),
    amount: centavos(4990),
    dueDate: '2026-03-20',
    settlementDate: '2026-03-20',
    purpose: 'FIRST_ATTEMPT',
    endToEndId: 'E9999900420260310120012345678901',
    createdAt: created,
    updatedAt: created,
    version: 1,
    ...more,
  };
}

export function terms(more: Partial<ChargeTerms> = {}): ChargeTerms {
  return {
    subscription: { id: 'aaaaaaaa-0000-4000-8000-000000000001', code: 'sub-1' },
    recurrenceId: 'RN9999900420260310abcdefghijk',
    webhookUrl: 'https://partner.example/hook',
    accountId: 'account',
    ownerBank: { name: 'Padaria', document: receiverDocument.number, bank: { ispb: '99999004', account: '1234567' } },
    payer: { ...debtor, bank: { ispb: '60701190', branch: '0001', account: '12345678' } },
    receiverDocument: receiverDocument,
    cycle: '2026-03-10',
    firstAttemptId: paymentId,
    allowAdjustToBusinessDay: false,
    ...more,
  };
}

export function aChargeCancellation(more: Partial<ChargeCancellation> = {}): ChargeCancellation {
  return {
    id: 'cccccccc-0000-4000-8000-000000000001',
    status: 'PENDING',
    endToEndId: 'E9999900420260310120012345678901',
    reason: 'REQUESTED_BY_RECEIVER',
    canceledAt: created,
    customer: { document: receiverDocument },
    ...more,
  };
}
