import * as z from 'zod';
import { epochSeconds, parseInstant } from '#shared/core/brasilia-time.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Attempt, Claim, Delivery, Notification, BacklogName } from './delivery.ts';
import {
  attemptErrors,
  attemptOutcomes,
  deliveryStatuses,
  isOpen,
  newDelivery,
  resourceTypes,
  parseBacklogName,
  webhookTypes,
} from './delivery.ts';
import { dueAttributesAt } from '../table/due-keys.ts';
import {
  deliveryListAttributes,
  keys,
  listAttributes,
  openDeliveryAttributes,
  relayed,
  waitAttributes,
} from '../table/keys.ts';
import { byStatus } from '../table/list-kinds.ts';
import type { Members } from '../table/parse.ts';
import { parseItem } from '../table/parse.ts';
import type { Item, Put, Update, Write, Key } from '../table/store.ts';
import { CorruptItem } from '../table/store.ts';

/** Days for which the table keeps a delivery. */
export const deliveryKeptDays = 90;

export const BacklogNameShape = z.custom<BacklogName>(
  (value) => typeof value === 'string' && parseBacklogName(value) !== undefined,
);

const AttemptShape = z.object({
  number: z.int(),
  claimId: z.string(),
  at: z.string(),
  outcome: z.enum(attemptOutcomes),
  httpStatus: z.int().exactOptional(),
  error: z.enum(attemptErrors).exactOptional(),
  durationMs: z.int().exactOptional(),
  returnCode: z.string().exactOptional(),
} satisfies Members<Attempt>);
const ClaimShape = z.object({
  id: z.string(),
  number: z.int(),
  at: z.string(),
  leaseUntil: z.string(),
} satisfies Members<Claim>);

export const TargetShape = z.union([
  z.strictObject({ type: z.enum(webhookTypes) }),
  z.strictObject({ endpoint: z.string(), subscription: z.string().exactOptional() }),
]);

/** The item without company and id, which are in the key. */
const DeliveryItem = z.object({
  event: z.string(),
  resource: z.object({ type: z.enum(resourceTypes), id: z.string() }),
  target: TargetShape,
  createdAt: z.string(),
  requestId: z.string(),
  resendOf: z.string().exactOptional(),
  status: z.enum(deliveryStatuses),
  version: z.int(),
  dispatch: z.int(),
  messageId: z.string().exactOptional(),
  attempts: z.array(AttemptShape),
  claim: ClaimShape.exactOptional(),
  endpoint: z.string().exactOptional(),
  nextAttemptAt: z.string().exactOptional(),
  dueAt: z.string().exactOptional(),
  heldAt: z.string().exactOptional(),
  backlog: BacklogNameShape.exactOptional(),
  resentAs: z.string().exactOptional(),
  resentAt: z.string().exactOptional(),
  resends: z.array(z.string()).exactOptional(),
  closedAt: z.string().exactOptional(),
} satisfies Members<Omit<Delivery, 'companyId' | 'id'>>);

const BodyItem = z.object({ body: z.string() });

/** The two writes of a new delivery, for the transaction of its transition: neither exists without the other. */
export function deliveryInserts(companyId: string, notification: Notification): readonly Put[] {
  const { id, event, resource, body, createdAt } = notification;
  const bytes: Item = {
    ...keys.deliveryBody(companyId, id),
    ...deliveryListAttributes(companyId, resource.id, createdAt, id, event),
    entity: 'DELIVERY_BODY',
    body,
    expiresAt: expiryOf(createdAt),
  };
  return [deliveryItem(newDelivery(companyId, notification)), bytes].map((put) => ({ put, when: { is: 'absent' } }));
}

/** Ids of the deliveries that these writes create. */
export function deliveriesBegunBy(writes: readonly Write[]): readonly string[] {
  const bytes = writes.flatMap((write) =>
    'put' in write && write.put['entity'] === 'DELIVERY_BODY' ? [write.put] : [],
  );
  return bytes.flatMap(({ PK }) => dispatchOf({ PK, SK: relayed.delivery })?.deliveryId ?? []);
}

/**
 * Returns the item of a delivery, without the body, so that an attempt writes little. While it is not delivered, it is
 * in the due index, in the index of its backlog or in the list of failed and held deliveries. A first delivery is kept
 * as long as its latest resend.
 */
export function deliveryItem(state: Delivery): Item {
  const { companyId, id, ...rest } = state;
  const { createdAt, resentAt = createdAt } = rest;
  return {
    ...keys.delivery(companyId, id),
    entity: 'DELIVERY',
    ...rest,
    ...troubleAttributes(state),
    ...waitingAttributes(state),
    expiresAt: expiryOf(resentAt),
  };
}

/** Keeps the body of a first delivery as long as its latest resend. */
export function keepBody({ companyId, id }: Pick<Delivery, 'companyId' | 'id'>, resentAt: Instant): Update {
  const set = { expiresAt: expiryOf(resentAt) };
  return { update: keys.deliveryBody(companyId, id), set, when: { is: 'present' } };
}

/** A further dispatch, for the transaction that raises the delivery's counter: the stream relays it to the queue. */
export function dispatchItem(state: Delivery, notBefore: Instant, createdAt: Instant): Item {
  const { companyId, id, dispatch } = state;
  return {
    ...keys.deliveryDispatch(companyId, id, dispatch, notBefore),
    entity: 'DELIVERY_DISPATCH',
    createdAt,
    expiresAt: expiryOf(state.createdAt),
  };
}

/** @throws CorruptItem */
export function parseDelivery(item: Item): Delivery {
  const key = dispatchOf(item);
  if (key === undefined) throw new CorruptItem('A delivery has the key of another item.');
  const { companyId, deliveryId: id } = key;
  return { companyId, id, ...parseItem(DeliveryItem, item, 'delivery') };
}

/** @throws CorruptItem */
export function parseDeliveryBody(item: Item): string {
  return parseItem(BodyItem, item, 'delivery body').body;
}

/**
 * Attributes in the list by status: only for deliveries that failed, are held, or are pending after an attempt or in a
 * backlog. The many others are not listed: each would cost three entries.
 */
function troubleAttributes({ companyId, id, status, attempts, backlog, createdAt, event }: Delivery): object {
  const isSmooth = status === 'DELIVERED' || (status === 'PENDING' && attempts.length === 0 && backlog === undefined);
  return isSmooth ? {} : listAttributes(companyId, byStatus('DELIVERY', status), createdAt, id, event);
}

function waitingAttributes(delivery: Delivery): Record<string, string> {
  const { companyId, id, status, backlog, createdAt, dueAt } = delivery;
  const open = isOpen(delivery) ? openDeliveryAttributes(companyId, delivery.status, createdAt, id) : {};
  if (backlog !== undefined) return { ...waitAttributes(companyId, backlog, createdAt, id), ...open };
  if (status === 'FAILED' || status === 'HELD') return open;
  return status === 'PENDING' && dueAt !== undefined ? dueAttributesAt(companyId, 'DELIVERY', dueAt, id) : {};
}

function expiryOf(createdAt: Instant): number {
  return epochSeconds(createdAt) + deliveryKeptDays * 86_400;
}

/** The dispatch of an item. `notBefore`: the first receive of its message. */
type DispatchKey = {
  readonly companyId: string;
  readonly deliveryId: string;
  readonly dispatch: number;
  readonly notBefore?: string;
};

/** Whether the relay sends INSERTs of items with this key. */
export function isRelayed({ SK }: Key): boolean {
  return SK === relayed.delivery || SK.startsWith(relayed.dispatch) || SK.startsWith(relayed.drain);
}

/** The dispatch in the key of a relayed item; a delivery is its own first. Undefined for any other key. */
export function dispatchOf(key: Key): DispatchKey | undefined {
  const [, companyId = '', , deliveryId = ''] = key.PK.split('#');
  const [, number, notBefore = ''] = key.SK.split('#');
  const dispatch = key.SK === relayed.delivery ? 1 : Number(number);
  if (companyId === '' || deliveryId === '' || !(dispatch >= 1)) return undefined;
  const identity = { companyId, deliveryId, dispatch };
  // The parts must build the same key again.
  if (isSame(key, keys.delivery(companyId, deliveryId))) return identity;
  const further = keys.deliveryDispatch(companyId, deliveryId, dispatch, notBefore);
  return isSame(key, further) && parseInstant(notBefore) !== undefined ? { ...identity, notBefore } : undefined;
}

/** The drain in the key of a relayed item; undefined for any other key. */
export function drainOf(
  key: Key,
): { readonly companyId: string; readonly drain: number; readonly notBefore: string } | undefined {
  const [, companyId = ''] = key.PK.split('#');
  const [, number, notBefore = ''] = key.SK.split('#');
  const drain = Number(number);
  if (companyId === '' || !(drain >= 1) || parseInstant(notBefore) === undefined) return undefined;
  return isSame(key, keys.drain(companyId, drain, notBefore)) ? { companyId, drain, notBefore } : undefined;
}

function isSame(a: Key, b: Key): boolean {
  return a.PK === b.PK && a.SK === b.SK;
}
