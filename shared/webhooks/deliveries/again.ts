import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Delivery, Notification } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { deliveryInserts, keepBody, parseDelivery, parseDeliveryBody } from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item, Store, Write } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { HealthDeps } from '../health/store.ts';
import type { DeliveryWrite } from './store.ts';
import { deliveryUpdate, resultOf } from './store.ts';

/*
 * A notification that is sent again has a first delivery and resends. The first delivery names the latest resends.
 * Every write that creates a resend requires the version of the first delivery that it read. When the partner takes one
 * of these deliveries, the same transaction closes the others: a failed or held delivery is no longer open, and a
 * delivery under way will not be open if it fails.
 */

/** Most resends of a notification that can be open: a further resend closes the oldest. */
const maxResends = 20;
/** Times that a write is decided anew because a delivery of the notification changed meanwhile. */
const maxTries = 5;

/** The id, creation time and request of a new resend. */
type Again = Pick<Notification, 'id' | 'createdAt' | 'requestId'>;

/** A delivery with its body, and the first delivery of its notification if the table still has it. */
type Resendable = {
  readonly delivery: Delivery;
  readonly body: string;
  readonly first?: Delivery;
  /** The oldest resend, which a further resend closes. */
  readonly oldest?: Delivery;
};

/** Deliveries of a company with what their resends need, in at most three reads; without those that have no body. */
export async function readResendable(
  store: Store,
  companyId: string,
  deliveries: readonly Delivery[],
): Promise<readonly Resendable[]> {
  const bodies = await store.read(deliveries.map(({ id }) => keys.deliveryBody(companyId, id)));
  return withFirsts(
    store,
    companyId,
    deliveries.map((delivery, place) => ({ delivery, item: bodies[place] })),
  );
}

async function withFirsts(
  store: Store,
  companyId: string,
  found: readonly { readonly delivery: Delivery; readonly item: Item | undefined }[],
): Promise<readonly Resendable[]> {
  const deliveries = found.map(({ delivery }) => delivery);
  const firstIds = deliveries.flatMap(({ resendOf }) => resendOf ?? []);
  const firsts = new Map(
    [...deliveries, ...(await readAll(store, companyId, firstIds))].map((delivery) => [delivery.id, delivery]),
  );
  const firstOf = ({ id, resendOf = id }: Delivery): Delivery | undefined => firsts.get(resendOf);
  const oldestOf = ({ resends = [] }: Pick<Delivery, 'resends'>): string | undefined =>
    resends.length < maxResends ? undefined : resends[0];
  const oldestIds = deliveries.flatMap((delivery) => oldestOf(firstOf(delivery) ?? delivery) ?? []);
  const oldests = await readAll(store, companyId, oldestIds);
  return found.flatMap(({ delivery, item }) => {
    // The table does not forget the two items of a delivery at the same moment.
    if (item === undefined) return [];
    const first = firstOf(delivery);
    const oldest = oldests.find(({ id }) => id === oldestOf(first ?? delivery));
    return [{ delivery, body: parseDeliveryBody(item), ...(first && { first }), ...(oldest && { oldest }) }];
  });
}

/** Reads the deliveries that the table still has, in one read. */
async function readAll(store: Store, companyId: string, ids: readonly string[]): Promise<readonly Delivery[]> {
  if (ids.length === 0) return [];
  const items = await store.read([...new Set(ids)].map((id) => keys.delivery(companyId, id)));
  return items.flatMap((item) => (item === undefined ? [] : [parseDelivery(item)]));
}

/** Whether a delivery is `FAILED`, not closed, and the latest of its notification. At most one of them is. */
export function isLatestFailure({ delivery, first = delivery }: Omit<Resendable, 'body'>): boolean {
  const { id, status, closedAt } = delivery;
  return status === 'FAILED' && closedAt === undefined && (first.resentAs ?? first.id) === id;
}

/** Returns the writes of a resend, at most five. They fail if the first delivery changed, also by another resend. */
export function resendWrites({ delivery, body, first = delivery, oldest }: Resendable, again: Again): readonly Write[] {
  const { resends = [], resentAs } = first;
  const known = resends.length === 0 && resentAs !== undefined ? [resentAs] : resends;
  const next: Delivery = {
    ...first,
    resentAs: again.id,
    resentAt: again.createdAt,
    resends: [...known, again.id].slice(-maxResends),
    version: first.version + 1,
  };
  return [
    ...deliveryInserts(delivery.companyId, notificationAgain(delivery, body, again)),
    deliveryUpdate(next),
    keepBody(first, again.createdAt),
    ...(oldest !== undefined && oldest.closedAt === undefined && oldest.id !== first.id
      ? [deliveryUpdate(closed(oldest, again.createdAt))]
      : []),
  ];
}

function notificationAgain({ event, resource, target, id, resendOf = id }: Delivery, body: string, again: Again) {
  return { event, resource, target, body, ...again, resendOf };
}

function closed(delivery: Delivery, closedAt: Instant): Delivery {
  return { ...delivery, closedAt, version: delivery.version + 1 };
}

type ResendOptions = {
  readonly newId: () => string;
  /** Counts the request once the delivery is known. @throws RequestError 429 */
  readonly count?: () => Promise<void>;
};

/**
 * Creates a new delivery with the same body and the same `webhook-id`, at the partner's request. Undefined when the
 * table has no such delivery. @throws StoreUnavailable when the notification changed during every try
 */
export async function createResend(
  store: Store,
  { companyId, id }: Pick<Delivery, 'companyId' | 'id'>,
  again: Again,
  { newId, count = () => Promise.resolve() }: ResendOptions,
): Promise<{ readonly delivery: Delivery; readonly body: string } | undefined> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const [current, item] = await store.read([keys.delivery(companyId, id), keys.deliveryBody(companyId, id)]);
    if (current === undefined) return undefined;
    const [found] = await withFirsts(store, companyId, [{ delivery: parseDelivery(current), item }]);
    if (found === undefined) return undefined;
    if (tries === 0) await count();
    const { delivery, body } = found;
    if ((await store.write(resendWrites(found, again), newId())).ok)
      return { delivery: newDelivery(companyId, notificationAgain(delivery, body, again)), body };
  }
  throw new StoreUnavailable('Cannot resend a notification: it changed during every try.');
}

/**
 * Writes that the partner took a delivery, and closes the others of its notification in the same transaction.
 * @param next the delivery after its attempt
 * @param at when the successful call began
 * @throws StoreUnavailable when another delivery of the notification changed during every try
 */
export async function writeTaken(
  next: Delivery,
  at: Instant,
  { store, newId }: Pick<HealthDeps, 'store' | 'newId'>,
): Promise<DeliveryWrite> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const others = await readOthers(store, next);
    const open = others.filter(({ status, closedAt }) => status !== 'DELIVERED' && closedAt === undefined);
    const writes = [deliveryUpdate(next), ...open.map((older) => deliveryUpdate(closed(older, at)))];
    const outcome = await store.write(writes, newId());
    if (outcome.ok || outcome.failed.some(({ index }) => index === 0)) return resultOf(outcome);
  }
  throw new StoreUnavailable('Cannot close the other deliveries of a notification: they changed during every try.');
}

/** Whether a notification has other deliveries than this one. */
export function wasSentAgain({ resendOf, resentAs }: Delivery): boolean {
  return (resendOf ?? resentAs) !== undefined;
}

/** The other deliveries of a notification, while the table has them. */
async function readOthers(store: Store, { companyId, id, ...next }: Delivery): Promise<readonly Delivery[]> {
  const known: Pick<Delivery, 'resentAs' | 'resends'> | undefined =
    next.resendOf === undefined ? next : (await readAll(store, companyId, [next.resendOf]))[0];
  const ids = [next.resendOf ?? [], known?.resentAs ?? [], known?.resends ?? []].flat();
  return readAll(
    store,
    companyId,
    ids.filter((otherId) => otherId !== id),
  );
}
