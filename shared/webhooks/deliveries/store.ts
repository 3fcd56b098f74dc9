import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { parseWebhookUrl } from '#shared/subscriptions/store.ts';
import type { Delivery, Notification, NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { WebhookSecret, WebhookSettings } from '../settings.ts';
import {
  deliveryItem,
  deliveryInserts,
  parseDelivery,
  parseDeliveryBody,
  dispatchItem,
  TargetShape,
} from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item, Key, Put, Store, WriteOutcome } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { CompanyHealth } from '../health/health.ts';
import type { HealthDeps } from '../health/store.ts';
import { parseHealth } from '../health/store.ts';
import { parseWebhookSecret, parseWebhookSettings } from '../settings-store.ts';

/** The items of one attempt, if they exist. Without an item of its health all endpoints of the company are healthy. */
export type AttemptFacts = {
  readonly delivery?: Delivery;
  readonly body?: string;
  readonly settings?: WebhookSettings;
  readonly secret?: WebhookSecret;
  readonly health: CompanyHealth;
};

const TargetItem = z.object({ target: TargetShape });

type DeliveryId = { readonly companyId: string; readonly deliveryId: string };
/** @throws CorruptItem */
export type FactsOf = (id: DeliveryId) => AttemptFacts;

/**
 * Reads the facts for the attempts of some deliveries, of any companies, in one strongly consistent read. For
 * deliveries of subscriptions a second read gets the subscriptions' current addresses.
 */
export async function readForAttempts(store: Store, deliveries: readonly DeliveryId[]): Promise<FactsOf> {
  const keysOf = ({ companyId, deliveryId }: DeliveryId) => [
    keys.delivery(companyId, deliveryId),
    keys.deliveryBody(companyId, deliveryId),
    ...[keys.webhookSettings(companyId), keys.webhookSecret(companyId), keys.webhookHealth(companyId)],
  ];
  const found = await readEach(store, deliveries.flatMap(keysOf));
  const targets = deliveries.flatMap(({ companyId, deliveryId }) => {
    const target = TargetItem.safeParse(found(keys.delivery(companyId, deliveryId))).data?.target;
    return target === undefined ? [] : [{ companyId, target }];
  });
  const currentTarget = await readAddresses(store, targets);
  return (id) => {
    const [item, body, settings, secret, health] = keysOf(id).map(found);
    const delivery = item && parseDelivery(item);
    return {
      ...(delivery && { delivery: { ...delivery, target: currentTarget(delivery) } }),
      ...(body && { body: parseDeliveryBody(body) }),
      ...(settings && { settings: parseWebhookSettings(settings) }),
      ...(secret && { secret: parseWebhookSecret(secret) }),
      health: parseHealth(id.companyId, health),
    };
  };
}

/** The target of a delivery, or of a notification that becomes one. */
type Addressed = { readonly companyId: string; readonly target: NotificationTarget };

/**
 * Reads the current targets, of any companies, in one read. The target of a subscription gets the subscription's
 * current address. It keeps the known address if the table does not have the subscription.
 */
export async function readAddresses(
  store: Store,
  wanted: readonly Addressed[],
): Promise<(addressed: Addressed) => NotificationTarget> {
  const keyOf = ({ companyId, target }: Addressed): Key | undefined =>
    'endpoint' in target && target.subscription !== undefined
      ? keys.subscription(companyId, target.subscription)
      : undefined;
  const found = await readEach(
    store,
    wanted.flatMap((addressed) => keyOf(addressed) ?? []),
  );
  return (addressed) => {
    const key = keyOf(addressed);
    const subscription = key && found(key);
    return subscription === undefined
      ? addressed.target
      : { ...addressed.target, endpoint: parseWebhookUrl(subscription) };
  };
}

/** Reads the items of these keys, each key once, in one read. Without keys it reads nothing. */
async function readEach(store: Store, wanted: readonly Key[]): Promise<(key: Key) => Item | undefined> {
  const place = ({ PK, SK }: Key): string => `${PK}\n${SK}`;
  const distinct = new Map(wanted.map((key) => [place(key), key]));
  const items = distinct.size === 0 ? [] : await store.read([...distinct.values()]);
  const found = new Map([...distinct.keys()].map((name, at) => [name, items[at]]));
  return (key) => found.get(place(key));
}

/** One read. @throws CorruptItem */
export async function readDelivery(store: Store, companyId: string, id: string): Promise<Delivery | undefined> {
  const [item] = await store.read([keys.delivery(companyId, id)]);
  return item && parseDelivery(item);
}

/** At most 100 deliveries, of any company, by their ids in one read. @throws CorruptItem */
export async function readDeliveries(
  store: Store,
  names: readonly { readonly companyId: string; readonly deliveryId: string }[],
): Promise<ReadonlyMap<string, Delivery>> {
  // Two messages may name the same delivery; a read may name it only once.
  const wanted = new Map(names.map(({ companyId, deliveryId }) => [deliveryId, keys.delivery(companyId, deliveryId)]));
  const items = await store.read([...wanted.values()]);
  const found = items.flatMap((item) => (item === undefined ? [] : [parseDelivery(item)]));
  return new Map(found.map((delivery) => [delivery.id, delivery]));
}

/** A delivery of the company and its bytes, in one read. @throws CorruptItem */
export async function readDeliveryWithBody(
  store: Store,
  companyId: string,
  id: string,
): Promise<{ readonly delivery: Delivery; readonly body: string } | undefined> {
  const [delivery, body] = await store.read([keys.delivery(companyId, id), keys.deliveryBody(companyId, id)]);
  return delivery && body && { delivery: parseDelivery(delivery), body: parseDeliveryBody(body) };
}

/** Creates a delivery without a transition: a test. `token`: idempotency token of the transaction. */
export async function createDelivery(
  store: Store,
  companyId: string,
  notification: Notification,
  token: string,
): Promise<Delivery> {
  const outcome = await store.write(deliveryInserts(companyId, notification), token);
  if (!outcome.ok) throw new StoreUnavailable('The id of a new delivery is in use already.');
  return newDelivery(companyId, notification);
}

/** The result of a conditional write. `current`: the state in the table instead of the expected one. */
export type DeliveryWrite = { readonly ok: boolean; readonly current?: Delivery | undefined };

/** Returns the result of a transaction whose first item is the delivery. */
export function resultOf(outcome: WriteOutcome): DeliveryWrite {
  if (outcome.ok) return outcome;
  const current = outcome.failed.find(({ index }) => index === 0)?.item;
  return { ok: false, current: current && parseDelivery(current) };
}

/** Writes the next state, if the table still has the one before (one version lower). */
export async function writeDelivery(store: Store, next: Delivery): Promise<DeliveryWrite> {
  return resultOf(await store.writeOne(deliveryUpdate(next)));
}

type Dispatch = { readonly delivery: Delivery; readonly notBefore: Instant; readonly at: Instant };

/** Writes the next state and its dispatch in one transaction: the table and the queue cannot differ. */
export async function writeDispatch(
  store: Store,
  { token, ...dispatch }: Dispatch & { readonly token: string },
): Promise<DeliveryWrite> {
  return resultOf(await store.write(dispatchWrites(dispatch), token));
}

/** Writes the state of a decision; for `re-enqueue` with its dispatch, in one transaction. */
export async function writeNext(
  next: { readonly do: string; readonly delivery: Delivery; readonly notBefore?: Instant },
  { store, now, newId }: HealthDeps,
): Promise<DeliveryWrite> {
  const { delivery, notBefore } = next;
  if (next.do !== 're-enqueue' || notBefore === undefined) return writeDelivery(store, delivery);
  return writeDispatch(store, { delivery, notBefore, at: now(), token: newId() });
}

/** The next state and its dispatch. */
export function dispatchWrites({ delivery, notBefore, at }: Dispatch): readonly Put[] {
  return [deliveryUpdate(delivery), { put: dispatchItem(delivery, notBefore, at), when: { is: 'absent' } }];
}

/** Returns the write of the next state, which requires that the table still has the previous one. */
export function deliveryUpdate(next: Delivery): Put {
  return { put: deliveryItem(next), when: { equals: { version: next.version - 1 } } };
}
