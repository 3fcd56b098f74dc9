import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Delivery, Notification } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { WebhookSecret, WebhookSettings } from '../settings.ts';
import {
  deliveryItem,
  deliveryInserts,
  parseDelivery,
  parseDeliveryBody,
  dispatchItem,
} from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Condition, Item, Put, Store, Update, Write, WriteOutcome } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { parseWebhookSecret, parseWebhookSettings } from '../settings-store.ts';

/** What one attempt needs, as far as it exists. */
export type AttemptFacts = {
  readonly delivery?: Delivery;
  readonly body?: string;
  readonly settings?: WebhookSettings;
  readonly secret?: WebhookSecret;
};

/** The result of a conditional write. `present`: the state that it found instead of the expected one. */
export type StateWrite<State> = { readonly ok: true } | { readonly ok: false; readonly present: State | undefined };

/** The result for the first write of the outcome. */
export function stateWrite<State>(outcome: WriteOutcome, parse: (item: Item) => State): StateWrite<State> {
  if (outcome.ok) return outcome;
  const present = outcome.failed.find(({ index }) => index === 0)?.item;
  return { ok: false, present: present && parse(present) };
}

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

/** A delivery that no transition causes: a test. `token` makes a repetition of this very write harmless. */
export async function createDelivery(
  store: Store,
  companyId: string,
  notification: Notification,
  token: string,
): Promise<Delivery> {
  const outcome = await store.write(deliveryInserts(companyId, notification), token);
  if (!outcome.ok) throw new StoreUnavailable('The id of a new delivery is taken.');
  return newDelivery(companyId, notification);
}

/** A delivery, its bytes, and what the new one that repeats it has of its own. */
type Resend = {
  readonly delivery: Delivery;
  readonly body: string;
  readonly again: Pick<Notification, 'id' | 'createdAt' | 'requestId'>;
};

/**
 * A new delivery of the bytes of another one, by hand, as often as the partner asks. A failed one remembers the last.
 */
export async function createResend(store: Store, resend: Resend, token: string): Promise<Delivery> {
  const { delivery } = resend;
  const remember = delivery.status === 'FAILED' ? [{ ...resentUpdate(resend), when: hasFailed }] : [];
  const notification = notificationAgain(resend);
  const writes = [...deliveryInserts(delivery.companyId, notification), ...remember];
  const outcome = await store.write(writes, token);
  if (!outcome.ok) throw new StoreUnavailable('The id of a new delivery is taken.');
  return newDelivery(delivery.companyId, notification);
}

/** The writes that repeat a failed delivery once: refused when it was sent again before, by hand too. */
export function resendOnceWrites(resend: Resend): readonly Write[] {
  const when = { all: [hasFailed, { lacks: 'resentAs' }] };
  return [...deliveryInserts(resend.delivery.companyId, notificationAgain(resend)), { ...resentUpdate(resend), when }];
}

const hasFailed: Condition = { equals: { status: 'FAILED' } };

function notificationAgain({ delivery, body, again }: Resend): Notification {
  const { event, resource, target, id } = delivery;
  return { event, resource, target, body, ...again, resendOf: id };
}

function resentUpdate({ delivery, again }: Resend): Omit<Update, 'when'> {
  const { companyId, id } = delivery;
  return { update: keys.delivery(companyId, id), set: { resentAs: again.id }, add: { version: 1 } };
}

/** Writes the next state, if the delivery still is as the decision found it (one version lower). */
export async function writeDelivery(store: Store, next: Delivery): Promise<StateWrite<Delivery>> {
  return stateWrite(await store.writeOne(deliveryUpdate(next)), parseDelivery);
}

/**
 * Writes the next state together with the dispatch that it begins: what the table says and what reaches the queue
 * cannot part.
 *
 * @param at when this happens
 * @param token makes a repetition of this very write harmless (at most 36 characters)
 */
export async function writeDispatch(
  store: Store,
  { delivery, notBefore, at, token }: { delivery: Delivery; notBefore: Instant; at: Instant; token: string },
): Promise<StateWrite<Delivery>> {
  return stateWrite(await store.write(dispatchWrites({ delivery, notBefore, at }), token), parseDelivery);
}

/** The next state and the dispatch that it begins, for a transaction. */
export function dispatchWrites(of: {
  readonly delivery: Delivery;
  readonly notBefore: Instant;
  readonly at: Instant;
}): readonly Put[] {
  const { delivery, notBefore, at } = of;
  return [deliveryUpdate(delivery), { put: dispatchItem(delivery, notBefore, at), when: { is: 'absent' } }];
}

function deliveryUpdate(next: Delivery): Put {
  return { put: deliveryItem(next), when: { equals: { version: next.version - 1 } } };
}
