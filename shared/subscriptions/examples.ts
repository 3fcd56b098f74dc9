import type * as z from 'zod';
import type { CancellationRecord, CreatedSubscription, SubscriptionEventData } from './contract.ts';
import {
  brl,
  company,
  compositeCode,
  exampleIds,
  exampleImage,
  exampleTimes,
  maria,
  mariasBank,
} from '../contract/examples.ts';

const providerId = 'RN1234567820260115a1B2c3D4e5F';
const externalId = 'contract-77';
const initialCharge = {
  orderId: exampleIds.payInId,
  amount: brl('29.90'),
  conciliationId: '6f1d2c3b4a594e8f9a0b1c2d3e4f5a00',
  expireDateTime: '2026-01-16T12:00:00.000Z',
};

export const requestedSubscription = {
  accountId: exampleIds.accountId,
  type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
  externalId,
  description: 'Plano Família',
  webhookUrl: 'https://partner.example.com/subscriptions',
  frequencyType: 'MONTHLY',
  startDate: '2030-01-10',
  debtor: maria,
  initialCharge: { amount: brl('29.90') },
} as const;

export const createdSubscription = {
  id: exampleIds.subscriptionId,
  status: 'PENDING_AUTHORIZATION',
  qrcodeImageBase64: exampleImage,
  qrcodeData: compositeCode,
  providerId,
  externalId,
  initialCharge,
} satisfies z.output<typeof CreatedSubscription>;

export const acceptedSubscription = {
  id: exampleIds.subscriptionId,
  providerId,
  type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
  status: 'ACCEPTED',
  statusHistory: [
    { status: 'INITIAL', createdAt: exampleTimes.created },
    { status: 'PENDING_AUTHORIZATION', createdAt: exampleTimes.created },
    { status: 'ACCEPTED', createdAt: exampleTimes.authorized },
  ],
  initialCharge,
  allowChargeAfterDueDate: false,
  allowAdjustToBusinessDay: false,
  frequencyType: 'MONTHLY',
  startDate: '2030-01-10',
  debtor: maria,
  receiver: { id: exampleIds.accountId, ...company },
  payer: { ...maria, bankData: mariasBank },
  description: 'Plano Família',
  webhookUrl: 'https://partner.example.com/subscriptions',
  externalId,
  createdAt: exampleTimes.created,
  updatedAt: exampleTimes.authorized,
  cancellations: [],
  qrcodeDetail: { qrcodeData: compositeCode },
} satisfies z.output<typeof SubscriptionEventData>;

export const openCancellation = {
  id: '8d7c6b5a-4938-4271-a605-f4e3d2c1b0a9',
  idempotencyKey: 'b3c1e6a0-6f0b-4b57-9f3b-2f7a1c9d8e10',
  status: 'PENDING',
  statusHistory: [
    { status: 'INITIAL', createdAt: exampleTimes.refunded },
    { status: 'PENDING', createdAt: exampleTimes.refunded },
  ],
  reason: 'REQUESTED_BY_RECEIVER',
  customer: { document: company.document },
  createdAt: exampleTimes.refunded,
  updatedAt: exampleTimes.refunded,
} satisfies z.output<typeof CancellationRecord>;
