import { openCreditEntry } from '../credits/examples.ts';
import type { CreditNotification, CreditReturnNotification } from '../credits/notification-contract.ts';
import { openDispute } from '../disputes/examples.ts';
import type { DisputeNotification } from '../disputes/notification-contract.ts';
import type * as z from 'zod';
import type {
  ChargeCancellationNotification,
  PayInNotification,
  PayoutNotification,
  RefundNotification,
  ScheduledPaymentNotification,
  SubscriptionNotification,
} from './notification.ts';
import { brl, company, exampleIds, exampleTimes, maria, mariasBank } from '../contract/examples.ts';
import { paidPayIn } from '../pay-ins/examples.ts';
import { pendingPayout } from '../payouts/examples.ts';
import { openChargeCancellation, pendingPayment } from '../scheduled-payments/examples.ts';
import { acceptedSubscription } from '../subscriptions/examples.ts';

const ownerBank = {
  name: company.fullName,
  document: company.document.number,
  bank: { ispb: '12345678', branch: '0001', account: '7654321', accountType: 'PAYMENT_ACCOUNT' },
};
const mariasAccount = {
  ispb: mariasBank.ispb,
  branch: mariasBank.branchNumber,
  account: mariasBank.accountNumber,
  code: '341',
};

export const payInNotification = {
  id: exampleIds.payInId,
  code: paidPayIn.externalId,
  event: 'ORDER-PAYIN.PAID',
  status: 'PAID',
  paidAt: exampleTimes.paid,
  updatedAt: exampleTimes.paid,
  endToEndId: paidPayIn.endToEndId,
  controlNumber: null,
  type: 'PAY-IN',
  message: 'The pay-in was paid.',
  customerMessage: 'Pagamento confirmado.',
  description: paidPayIn.description,
  amount: paidPayIn.amount,
  ownerBank,
  payer: { ...maria, bank: mariasAccount },
} satisfies z.output<typeof PayInNotification>;

export const refundNotification = {
  id: exampleIds.payInId,
  code: paidPayIn.externalId,
  event: 'ORDER-PAYIN.REFUNDED',
  status: 'REFUNDED',
  type: 'REFUND',
  refundId: exampleIds.refundId,
  paidAt: exampleTimes.paid,
  refundedAt: exampleTimes.refunded,
  updatedAt: exampleTimes.refunded,
  endToEndId: 'D12345678202601161000A1b2C3d4E5f',
  message: '',
} satisfies z.output<typeof RefundNotification>;

export const creditNotification = {
  event: 'CREDIT.RECEIVED',
  occurredAt: openCreditEntry.receivedAt,
  data: openCreditEntry,
} satisfies z.output<typeof CreditNotification>;

export const creditReturnNotification = {
  event: 'CREDIT.RETURNED',
  occurredAt: exampleTimes.refunded,
  data: {
    credit: {
      ...openCreditEntry,
      status: 'RETURNED',
      returnedAmount: openCreditEntry.amount,
      updatedAt: exampleTimes.refunded,
    },
    return: {
      returnId: '5f1d2c3b4a594e8f9a0b1c2d3e4f5a00',
      creditId: openCreditEntry.id,
      amount: openCreditEntry.amount,
      createdAt: '2026-01-16T09:58:00.000Z',
      status: 'SETTLED',
      endToEndId: 'D12345678202601161000A1b2C3d4E5f',
    },
  },
} satisfies z.output<typeof CreditReturnNotification>;

export const payoutNotification = {
  id: exampleIds.payoutId,
  code: pendingPayout.externalId,
  event: 'ORDER-PAYOUT.PAID',
  status: 'PAID',
  paidAt: exampleTimes.paid,
  updatedAt: exampleTimes.paid,
  endToEndId: pendingPayout.endToEndId,
  controlNumber: null,
  type: 'PAY-OUT',
  message: 'The payout was paid.',
  description: pendingPayout.description,
  amount: brl('7.25'),
  ownerBank,
  receiver: { ...maria, bank: mariasAccount, pix: { type: 'EMAIL', key: 'maria@example.com' } },
} satisfies z.output<typeof PayoutNotification>;

export const subscriptionNotification = {
  event: 'SUBSCRIPTION.ACCEPTED',
  occurredAt: exampleTimes.authorized,
  data: acceptedSubscription,
} satisfies z.output<typeof SubscriptionNotification>;

export const scheduledPaymentNotification = {
  event: 'SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING',
  occurredAt: pendingPayment.updatedAt,
  data: pendingPayment,
} satisfies z.output<typeof ScheduledPaymentNotification>;

export const chargeCancellationNotification = {
  event: 'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING',
  occurredAt: openChargeCancellation.canceledAt,
  data: {
    id: pendingPayment.id,
    externalId: pendingPayment.externalId,
    subscriptionId: pendingPayment.subscriptionId,
    status: pendingPayment.status,
    purpose: pendingPayment.purpose,
    updatedAt: pendingPayment.updatedAt,
    cancellation: openChargeCancellation,
  },
} satisfies z.output<typeof ChargeCancellationNotification>;

export const disputeNotification = {
  event: 'DISPUTE.OPENED',
  occurredAt: openDispute.createdAt,
  data: openDispute,
} satisfies z.output<typeof DisputeNotification>;
