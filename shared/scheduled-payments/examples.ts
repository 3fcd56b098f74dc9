import type * as z from 'zod';
import type { ChargeCancellationRecord, ScheduledPaymentRecord } from './contract.ts';
import { brl, company, exampleIds, exampleTimes } from '../contract/examples.ts';

const endToEndId = 'E60701190203001101200A1b2C3d4E5f';

export const pendingPayment = {
  id: exampleIds.paymentId,
  externalId: 'contract-77-2030-01',
  subscriptionId: exampleIds.subscriptionId,
  status: 'PENDING',
  statusHistory: [
    { status: 'INITIAL', createdAt: exampleTimes.refunded },
    { status: 'PENDING', createdAt: exampleTimes.refunded },
  ],
  amount: brl('49.90'),
  dueDate: '2030-01-10',
  settlementDate: '2030-01-10',
  purpose: 'FIRST_ATTEMPT',
  endToEndId,
  createdAt: exampleTimes.refunded,
  updatedAt: exampleTimes.refunded,
} satisfies z.output<typeof ScheduledPaymentRecord>;

export const openChargeCancellation = {
  id: '1f2e3d4c-5b6a-4798-8a9b-0c1d2e3f4a5b',
  status: 'PENDING',
  endToEndId,
  reason: 'REQUESTED_BY_RECEIVER',
  canceledAt: exampleTimes.refunded,
  customer: { document: company.document },
} satisfies z.output<typeof ChargeCancellationRecord>;
