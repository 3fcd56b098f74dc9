import type * as z from 'zod';
import type {
  DeliveryEntry,
  DeliveryRecord,
  EndpointHealthRecord,
  ResendRecord,
  WebhookSettingsRecord,
} from './contract.ts';
import { exampleIds, exampleTimes } from '../contract/examples.ts';

const endpoint = 'https://partner.example.com/webhooks';
const companyId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const times = { createdAt: exampleTimes.opened, updatedAt: exampleTimes.opened };

export const exampleSettings = {
  id: '2d3c4b5a-6978-4869-9a0b-1c2d3e4f5061',
  companyId,
  organizationId: companyId,
  status: 'ACTIVE',
  events: (['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE'] as const).map((type) => ({
    type,
    endpoint,
    status: 'ACTIVE',
    ...times,
  })),
  ...times,
} satisfies z.output<typeof WebhookSettingsRecord>;

export const failingEndpoint = {
  endpoint,
  state: 'OPEN',
  failingSince: exampleTimes.paid,
  reason: 'HTTP 503',
  waiting: 12,
  waitingExact: true,
} satisfies z.output<typeof EndpointHealthRecord>;

/** Acknowledged at its first attempt. */
export const deliveredEntry = {
  id: exampleIds.deliveryId,
  webhookId: exampleIds.deliveryId,
  event: 'ORDER-PAYIN.PAID',
  status: 'DELIVERED',
  resource: { type: 'PAY_IN', id: exampleIds.payInId },
  endpoint,
  attemptsCount: 1,
  createdAt: exampleTimes.paid,
  lastAttemptAt: exampleTimes.attempted,
  nextAttemptAt: null,
} satisfies z.output<typeof DeliveryEntry>;

/** Before its first attempt. */
export function pendingDelivery(
  delivery: Pick<z.output<typeof DeliveryRecord>, 'id' | 'event' | 'resource' | 'payload' | 'resendOf'>,
): z.output<typeof DeliveryRecord> {
  return {
    ...delivery,
    webhookId: delivery.resendOf ?? delivery.id,
    status: 'PENDING',
    endpoint: null,
    attemptsCount: 0,
    createdAt: exampleTimes.refunded,
    lastAttemptAt: null,
    nextAttemptAt: exampleTimes.refunded,
    attempts: [],
  };
}

export const runningResend = {
  id: exampleIds.resendId,
  status: 'RUNNING',
  createdFrom: exampleTimes.created,
  sentCount: 0,
  heldCount: 0,
  createdAt: exampleTimes.refunded,
  completedAt: null,
} satisfies z.output<typeof ResendRecord>;
