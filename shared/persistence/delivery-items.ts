import * as z from 'zod';
import { epochSeconds } from '../domain/brasilia-time.ts';
import type { Instant } from '../domain/brasilia-time.ts';
import type { Delivery } from '../domain/delivery.ts';
import { attemptErrors, attemptOutcomes, deliveryStatuses, newDelivery } from '../domain/delivery.ts';
import type { Notification } from '../domain/notification.ts';
import { webhookTypes } from '../domain/notification.ts';
import { dueAt, heldAs, keys, listed } from './keys.ts';
import { parsed } from './parse.ts';
import type { Item, Put, Value } from './store.ts';

/** What the stream's filter lets through: the birth of one of these is a message to send. */
export const relayedEntities = ['DELIVERY', 'DELIVERY_SENDING'] as const;

const keptSeconds = 90 * 86_400;

const AttemptShape = z.object({
  number: z.int(),
  claimId: z.string(),
  at: z.string(),
  outcome: z.enum(attemptOutcomes),
  httpStatus: z.int().exactOptional(),
  error: z.enum(attemptErrors).exactOptional(),
  durationMs: z.int().exactOptional(),
  returnCode: z.string().exactOptional(),
});

const DeliveryItem = z.object({
  companyId: z.string(),
  id: z.string(),
  event: z.string(),
  target: z.union([z.strictObject({ type: z.enum(webhookTypes) }), z.strictObject({ endpoint: z.string() })]),
  createdAt: z.string(),
  requestId: z.string(),
  resendOf: z.string().exactOptional(),
  status: z.enum(deliveryStatuses),
  version: z.int(),
  sending: z.int(),
  carrier: z.string().exactOptional(),
  attempts: z.array(AttemptShape),
  claim: z.object({ id: z.string(), number: z.int(), at: z.string(), leaseUntil: z.string() }).exactOptional(),
  endpoint: z.string().exactOptional(),
  nextAttemptAt: z.string().exactOptional(),
  dueAt: z.string().exactOptional(),
  heldAt: z.string().exactOptional(),
});

const BodyItem = z.object({ body: z.string() });

/**
 * The two writes by which a notification becomes an obligation. They belong into the transaction of the move that it
 * tells of: then neither can exist without the other.
 */
export function deliveryWrites(companyId: string, notification: Notification): readonly Put[] {
  const { id, body, createdAt } = notification;
  const bytes: Item = {
    ...keys.deliveryBody(companyId, id),
    entity: 'DELIVERY_BODY',
    body,
    expiresAt: expiryOf(createdAt),
  };
  return [
    { put: deliveryItem(newDelivery(companyId, notification)), when: { is: 'absent' } },
    { put: bytes, when: { is: 'absent' } },
  ];
}

/**
 * State without the body, so that an attempt writes little. Listed for 90 days; in the due index while something waits
 * to happen, in the held index while it waits for an endpoint.
 */
export function deliveryItem(state: Delivery): Item {
  const { companyId, id, createdAt } = state;
  return {
    ...keys.delivery(companyId, id),
    entity: 'DELIVERY',
    ...(state as unknown as Record<string, Value>),
    ...listed(companyId, 'DELIVERY', createdAt, id),
    ...waitingIn(state),
    expiresAt: expiryOf(createdAt),
  };
}

/** A further sending, born in the same transaction that raises the delivery's counter: the stream carries it on. */
export function sendingItem(state: Delivery, notBefore: Instant, createdAt: Instant): Item {
  const { companyId, id, sending, requestId } = state;
  return {
    ...keys.deliverySending(companyId, id, sending),
    entity: 'DELIVERY_SENDING',
    companyId,
    id,
    sending,
    requestId,
    notBefore,
    createdAt,
    expiresAt: expiryOf(state.createdAt),
  };
}

/** @throws CorruptItem */
export function parseDelivery(item: Item): Delivery {
  return parsed(DeliveryItem, item, 'delivery');
}

/** @throws CorruptItem */
export function parseDeliveryBody(item: Item): string {
  return parsed(BodyItem, item, 'delivery body').body;
}

function waitingIn({ companyId, id, status, target, dueAt: due, heldAt }: Delivery): Record<string, string> {
  if (status === 'PENDING' && due !== undefined) return dueAt(companyId, 'DELIVERY', due, id);
  if (status === 'HELD' && heldAt !== undefined && 'type' in target) return heldAs(companyId, target.type, heldAt, id);
  return {};
}

function expiryOf(createdAt: Instant): number {
  return epochSeconds(createdAt) + keptSeconds;
}
