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

/** The items of one attempt, if they exist. */
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

/** One strongly consistent read. @throws CorruptItem */
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

/** A delivery of the company and its bytes, in one read. @throws CorruptItem */
export async function readDeliveryWithBody(
  store: Store,
  companyId: string,
  id: string,
): Promise<{ readonly delivery: Delivery; readonly body: string } | undefined> {
  const [delivery, body] = await store.read([keys.delivery(companyId, id), keys.deliveryBody(companyId, id)]);
  return delivery && body && { delivery: parseDelivery(delivery), body: parseDeliveryBody(body) };
}

/** A delivery without a transition: a test. `token`: of the transaction. */
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

/** A delivery with its bytes, and the new one that repeats it. */
type Resend = {
  readonly delivery: Delivery;
  readonly body: string;
  readonly again: Pick<Notification, 'id' | 'createdAt' | 'requestId'>;
};

/** A new delivery of the same bytes, at a request of the partner. A `FAILED` delivery remembers the last one. */
export async function createResend(store: Store, resend: Resend, token: string): Promise<Delivery> {
  const { delivery } = resend;
  const remember = delivery.status === 'FAILED' ? [{ ...resentUpdate(resend), when: hasFailed }] : [];
  const notification = notificationAgain(resend);
  const writes = [...deliveryInserts(delivery.companyId, notification), ...remember];
  const outcome = await store.write(writes, token);
  if (!outcome.ok) throw new StoreUnavailable('The id of a new delivery is taken.');
  return newDelivery(delivery.companyId, notification);
}

/** The writes that repeat a `FAILED` delivery once: they fail if it was resent before, by request too. */
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

/** Writes the next state, if the table still has the one before (one version lower). */
export async function writeDelivery(store: Store, next: Delivery): Promise<StateWrite<Delivery>> {
  return stateWrite(await store.writeOne(deliveryUpdate(next)), parseDelivery);
}

type Dispatch = { readonly delivery: Delivery; readonly notBefore: Instant; readonly at: Instant };

/** Writes the next state and its dispatch in one transaction: the table and the queue cannot differ. */
export async function writeDispatch(
  store: Store,
  { token, ...dispatch }: Dispatch & { readonly token: string },
): Promise<StateWrite<Delivery>> {
  return stateWrite(await store.write(dispatchWrites(dispatch), token), parseDelivery);
}

/** The next state and its dispatch. */
export function dispatchWrites({ delivery, notBefore, at }: Dispatch): readonly Put[] {
  return [deliveryUpdate(delivery), { put: dispatchItem(delivery, notBefore, at), when: { is: 'absent' } }];
}

function deliveryUpdate(next: Delivery): Put {
  return { put: deliveryItem(next), when: { equals: { version: next.version - 1 } } };
}
