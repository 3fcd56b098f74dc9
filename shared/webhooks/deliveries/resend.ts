import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { parseDelivery, parseDeliveryBody } from '#shared/platform/outbox/delivery-items.ts';
import { dueAttributesAt, keys, listPartition } from '#shared/platform/table/keys.ts';
import { byStatus } from '#shared/platform/table/list-kinds.ts';
import { entriesOf } from '#shared/platform/table/listing.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Item, Put, Store, Write } from '#shared/platform/table/store.ts';
import * as z from 'zod';
import { admit } from '../health/circuit.ts';
import { readEndpointHealth } from '../health/endpoint-health.ts';
import { readWebhookSettings } from '../settings-store.ts';
import { sendHeld } from './states.ts';
import { dispatchWrites, resendOnceWrites } from './store.ts';

/** In this order: a held delivery that a release sends meanwhile may fail, and the resend must not meet it again. */
const resentStatuses = ['FAILED', 'HELD'] as const;

const ResendItem = z.object({
  companyId: z.string(),
  id: z.string(),
  /** The resend covers deliveries from this moment on and before `createdAt`. */
  createdFrom: z.string(),
  /** Deliveries sent again so far. */
  sentCount: z.int(),
  /** Deliveries that stay `HELD`: nothing can go to their endpoint. */
  heldCount: z.int(),
  /** The list of a status, and its last entry so far. Absent once the resend is complete. */
  position: z
    .object({
      status: z.enum(resentStatuses),
      cursor: z.object({ sort: z.string(), id: z.string() }).exactOptional(),
    })
    .exactOptional(),
  /** The id of the request; the new deliveries carry it. */
  requestId: z.string(),
  createdAt: z.string(),
  completedAt: z.string().exactOptional(),
  /** Every write raises it. */
  version: z.int(),
});

/** A partner's request to send undelivered notifications again, and its progress. */
export type DeliveryResend = Readonly<z.output<typeof ResendItem>>;
type ResendPosition = NonNullable<DeliveryResend['position']>;

export function newResend({
  companyId,
  id,
  createdFrom,
  requestId,
  createdAt,
}: Pick<DeliveryResend, 'companyId' | 'id' | 'createdFrom' | 'requestId' | 'createdAt'>): DeliveryResend {
  const begun = { sentCount: 0, heldCount: 0, position: { status: 'FAILED' }, version: 1 } as const;
  return { companyId, id, createdFrom, requestId, createdAt, ...begun };
}

/** A resend stays in the table as long as its deliveries. */
const keptSeconds = 90 * 86_400;
/** The index shows a status late: a resend that begins after this misses none. */
const indexSettlesSeconds = 5;

/** A new resend. The sweep continues it until it is complete. */
export function resendInsert(resend: DeliveryResend): Put {
  const dueAt = plusSeconds(resend.createdAt, indexSettlesSeconds);
  return { put: resendItem(resend, dueAt), when: { is: 'absent' } };
}

/** One read. @throws CorruptItem */
export async function readResend(store: Store, companyId: string, id: string): Promise<DeliveryResend | undefined> {
  const [item] = await store.read([keys.deliveryResend(companyId, id)]);
  return item && parseItem(ResendItem, item, 'delivery resend');
}

function resendItem(resend: DeliveryResend, dueAt: Instant): Item {
  const { companyId, id, createdAt, position } = resend;
  return {
    ...keys.deliveryResend(companyId, id),
    entity: 'DELIVERY_RESEND',
    ...resend,
    ...(position !== undefined && dueAttributesAt(companyId, 'DELIVERY_RESEND', dueAt, id)),
    expiresAt: epochSeconds(createdAt) + keptSeconds,
  };
}

type ResendDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** Whether another page may begin. */
  readonly mayGoOn: () => boolean;
};

/** Deliveries of one transaction: three writes each. */
const pageSize = 20;
/** Pages of one resend in one run: they bound the rate into the queue. */
const maxPages = 25;

/** The writes of one page, and its counts. */
type PageWork = { readonly writes: readonly Write[]; readonly sent: number; readonly held: number };

/**
 * Continues a resend page by page, oldest first. One transaction holds the new dispatches and the position: a crash
 * loses nothing, and two runs at once send each delivery once.
 *
 * - A `FAILED` delivery gets a new one of the same bytes, once. A second resend passes it over, and sends the new one
 *   again if that failed too.
 * - A `HELD` delivery goes out itself, so that no release sends it a second time. It stays held while its type has no
 *   active endpoint or the operator holds it.
 * @returns how many deliveries it sent again
 */
export async function resendDeliveries(deps: ResendDeps, companyId: string, id: string): Promise<number> {
  let sent = 0;
  for (let page = 0; page < maxPages && deps.mayGoOn(); page += 1) {
    const resend = await readResend(deps.store, companyId, id);
    if (resend?.position === undefined) return sent;
    const sentNow = await resendPage(deps, resend, resend.position);
    sent += sentNow;
  }
  return sent;
}

/** Returns 0 when a delivery or the resend changed meanwhile: the next call reads the page again. */
async function resendPage(deps: ResendDeps, resend: DeliveryResend, position: ResendPosition): Promise<number> {
  const { store, newId } = deps;
  const { companyId, createdFrom, createdAt } = resend;
  const { status } = position;
  const read = entriesOf(store, {
    index: 'GSI1',
    partition: listPartition(companyId, byStatus('DELIVERY', status)),
    ascending: true,
    ...{ from: createdFrom, until: createdAt },
    keyOf: ({ id }) => keys.delivery(companyId, id),
  });
  const { matching, last: cursor } = await read(position.cursor, pageSize);
  const at = deps.now();
  const ids = matching.map(({ id }) => id);
  const work =
    ids.length === 0 ? nothing : await (status === 'FAILED' ? resendFailed : resendHeld)(deps, resend, ids, at);
  const { position: _, ...rest } = resend;
  const nextStatus = resentStatuses[resentStatuses.indexOf(status) + 1];
  const next: DeliveryResend = {
    ...rest,
    sentCount: resend.sentCount + work.sent,
    heldCount: resend.heldCount + work.held,
    version: resend.version + 1,
    ...(cursor !== undefined
      ? { position: { status, cursor } }
      : nextStatus === undefined
        ? { completedAt: at }
        : { position: { status: nextStatus } }),
  };
  const progress = { put: resendItem(next, at), when: { equals: { version: resend.version } } };
  return (await store.write([...work.writes, progress], newId())).ok ? work.sent : 0;
}

const nothing: PageWork = { writes: [], sent: 0, held: 0 };

async function resendFailed(
  { store, newId }: ResendDeps,
  { companyId, requestId }: DeliveryResend,
  ids: readonly string[],
  at: Instant,
): Promise<PageWork> {
  const items = await store.read(ids.flatMap((id) => [keys.delivery(companyId, id), keys.deliveryBody(companyId, id)]));
  const resent = ids.flatMap((_, place) => {
    const [item, bytes] = items.slice(2 * place);
    // The table forgets a delivery after 90 days, and its two items not at the same moment.
    if (item === undefined || bytes === undefined) return [];
    const delivery = parseDelivery(item);
    if (delivery.status !== 'FAILED' || delivery.resentAs !== undefined) return [];
    const again = { id: newId(), createdAt: at, requestId };
    return [resendOnceWrites({ delivery, body: parseDeliveryBody(bytes), again })];
  });
  return { writes: resent.flat(), sent: resent.length, held: 0 };
}

async function resendHeld(
  { store }: ResendDeps,
  { companyId }: DeliveryResend,
  ids: readonly string[],
  at: Instant,
): Promise<PageWork> {
  const items = await store.read(ids.map((id) => keys.delivery(companyId, id)));
  const deliveries = items.flatMap((item) => (item === undefined ? [] : [parseDelivery(item)]));
  const held = deliveries.filter(({ status }) => status === 'HELD');
  if (held.length === 0) return nothing;
  const settings = await readWebhookSettings(store, companyId);
  const healthOf = await readEndpointHealth(
    store,
    settings,
    held.map(({ target }) => target),
  );
  const sent = held.flatMap((delivery) => {
    const isHeld = admit(delivery, settings, healthOf(delivery.target), at).to === 'hold';
    const next = isHeld ? undefined : sendHeld(delivery, at);
    return next === undefined ? [] : [dispatchWrites({ delivery: next, notBefore: at, at })];
  });
  return { writes: sent.flat(), sent: sent.length, held: held.length - sent.length };
}
