import type { Instant } from '../domain/brasilia-time.ts';
import type { Delivery } from '../domain/delivery.ts';
import { newDelivery } from '../domain/delivery.ts';
import type { Notification } from '../domain/notification.ts';
import type { WebhookSecret } from '../domain/webhook-secret.ts';
import type { WebhookSettings } from '../domain/webhook-settings.ts';
import { deliveryItem, deliveryWrites, parseDelivery, parseDeliveryBody, sendingItem } from './delivery-items.ts';
import { keys } from './keys.ts';
import type { Put, Store, WriteOutcome } from './store.ts';
import { StoreUnavailable } from './store.ts';
import { parseWebhookSecret, parseWebhookSettings } from './webhook-settings.ts';

/** What one attempt needs, as far as it exists. */
export type AttemptFacts = {
  readonly delivery?: Delivery;
  readonly body?: string;
  readonly settings?: WebhookSettings;
  readonly secret?: WebhookSecret;
};

/** A write of a delivery's next state. `present`: what stood there instead of the state that the decision was made on. */
export type DeliveryWritten = { readonly ok: true } | { readonly ok: false; readonly present: Delivery | undefined };

/** Everything that an attempt needs, in one strongly consistent read. @throws CorruptItem */
export async function readForAttempt(store: Store, companyId: string, id: string): Promise<AttemptFacts> {
  const [delivery, body, settings, secret] = await store.read([
    keys.delivery(companyId, id),
    keys.deliveryBody(companyId, id),
    keys.webhookSettings(companyId),
    keys.webhookSecret(companyId),
  ]);
  return {
    ...(delivery && { delivery: parseDelivery(delivery) }),
    ...(body && { body: parseDeliveryBody(body) }),
    ...(settings && { settings: parseWebhookSettings(settings) }),
    ...(secret && { secret: parseWebhookSecret(secret) }),
  };
}

/** One read. @throws CorruptItem */
export async function readDelivery(store: Store, companyId: string, id: string): Promise<Delivery | undefined> {
  const [item] = await store.read([keys.delivery(companyId, id)]);
  return item && parseDelivery(item);
}

/** A delivery and its bytes, in one read. Undefined when the company has no such delivery. @throws CorruptItem */
export async function readDeliveryWithBody(
  store: Store,
  companyId: string,
  id: string,
): Promise<{ readonly delivery: Delivery; readonly body: string } | undefined> {
  const [delivery, body] = await store.read([keys.delivery(companyId, id), keys.deliveryBody(companyId, id)]);
  return delivery && body && { delivery: parseDelivery(delivery), body: parseDeliveryBody(body) };
}

/** A delivery that no move causes: a repetition by hand, a test. `token` makes a repetition of this very write harmless. */
export async function createDelivery(
  store: Store,
  companyId: string,
  notification: Notification,
  token: string,
): Promise<Delivery> {
  const outcome = await store.write(deliveryWrites(companyId, notification), token);
  if (!outcome.ok) throw new StoreUnavailable('The id of a new delivery is taken.');
  return newDelivery(companyId, notification);
}

/** Writes the next state, if the delivery still is as the decision found it (one version lower). */
export async function writeDelivery(store: Store, next: Delivery): Promise<DeliveryWritten> {
  return written(await store.writeOne(replacing(next)));
}

/**
 * Writes the next state together with the sending that it begins: what the table says and what reaches the queue cannot
 * part.
 *
 * @param at when this happens
 * @param token makes a repetition of this very write harmless (at most 36 characters)
 */
export async function writeSending(
  store: Store,
  { delivery, notBefore, at, token }: { delivery: Delivery; notBefore: Instant; at: Instant; token: string },
): Promise<DeliveryWritten> {
  const sending: Put = { put: sendingItem(delivery, notBefore, at), when: { is: 'absent' } };
  return written(await store.write([replacing(delivery), sending], token));
}

function replacing(next: Delivery): Put {
  return { put: deliveryItem(next), when: { equals: { version: next.version - 1 } } };
}

function written(outcome: WriteOutcome): DeliveryWritten {
  if (outcome.ok) return outcome;
  const present = outcome.failed.find(({ index }) => index === 0)?.item;
  return { ok: false, present: present && parseDelivery(present) };
}
