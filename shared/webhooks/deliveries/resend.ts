import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { pick } from '#shared/core/pick.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { isOpen } from '#shared/platform/outbox/delivery.ts';
import { deliveryKeptDays, parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { dueAttributesAt } from '#shared/platform/table/due-keys.ts';
import { keys, listPartition } from '#shared/platform/table/keys.ts';
import { byStatus } from '#shared/platform/table/list-kinds.ts';
import { entriesOf } from '#shared/platform/table/listing.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Item, Put, Store, Write } from '#shared/platform/table/store.ts';
import * as z from 'zod';
import { admit } from '../health/health.ts';
import { hurryProbes, readEndpoints } from '../health/operations.ts';
import type { HealthDeps } from '../health/store.ts';
import { changeHealth, readHealth } from '../health/store.ts';
import { sendHeld } from './states.ts';
import { isLatestFailure, readResendable, resendWrites } from './again.ts';
import { dispatchWrites } from './store.ts';

/** Statuses in the order of the resend. `HELD` is last: a held delivery that is sent and fails is not sent again. */
const resentStatuses = ['FAILED', 'HELD'] as const;
type ResentStatus = (typeof resentStatuses)[number];

const Cursor = z.object({ sort: z.string(), id: z.string() });
const ResendItem = z.object({
  companyId: z.string(),
  id: z.string(),
  /** The resend covers deliveries from this moment on and before `createdAt`. */
  createdFrom: z.string(),
  /** Deliveries sent again so far, and deliveries that stay `HELD` because nothing may be sent to their endpoint. */
  sentCount: z.int(),
  heldCount: z.int(),
  /** The status whose list is read, and the last entry that was read. Absent once the resend is complete. */
  position: z.object({ status: z.enum(resentStatuses), cursor: Cursor.exactOptional() }).exactOptional(),
  /** The id of the request; the new deliveries carry it. */
  requestId: z.string(),
  createdAt: z.string(),
  /** The client whose request it is. */
  createdBy: z.string().exactOptional(),
  completedAt: z.string().exactOptional(),
  /** Every write raises it. */
  version: z.int(),
});

/** A partner's request to send undelivered notifications again, and its progress. */
export type DeliveryResend = Readonly<z.output<typeof ResendItem>>;

type ResendRequest = Pick<DeliveryResend, 'companyId' | 'id' | 'createdFrom' | 'requestId' | 'createdAt' | 'createdBy'>;

/** Returns a resend that has sent nothing yet. */
export function newResend(request: ResendRequest): DeliveryResend {
  const begun = { sentCount: 0, heldCount: 0, position: { status: 'FAILED' }, version: 1 } as const;
  return { ...pick(request, 'companyId', 'id', 'createdFrom', 'requestId', 'createdAt', 'createdBy'), ...begun };
}

/** Seconds. The index shows a status late: a resend that begins this long after its request misses no delivery. */
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
    // It stays in the table as long as its deliveries.
    expiresAt: epochSeconds(createdAt) + deliveryKeptDays * 86_400,
  };
}

type ResendDeps = HealthDeps & {
  /** Whether another page may begin. */
  readonly mayGoOn: () => boolean;
};

/** Deliveries of one transaction: five writes each at most. */
const pageSize = 19;
/** Pages of one resend in one run: they bound the rate into the queue. */
const maxPages = 26;

/**
 * Continues a resend page by page, oldest first. One transaction holds the new dispatches and the position: a crash
 * loses nothing, and two concurrent runs send each delivery once.
 *
 * - For a `FAILED` delivery it creates one new delivery with the same bytes and the same `webhook-id`. A second resend
 *   skips the old delivery. It sends the new one again if that failed too and the partner acknowledged neither.
 * - A `HELD` delivery is sent itself, so that no release sends it a second time. It stays held while its type has no
 *   active endpoint, the operator holds it, or its endpoint was given up.
 * @returns how many deliveries it sent again
 */
export async function resendDeliveries(deps: ResendDeps, companyId: string, id: string): Promise<number> {
  let sent = 0;
  for (let page = 0; page < maxPages && deps.mayGoOn(); page += 1) {
    const resend = await readResend(deps.store, companyId, id);
    if (resend?.position === undefined) break;
    const sentNow = await resendPage(deps, resend, resend.position);
    sent += sentNow;
  }
  return sent;
}

/** Resends one page. Returns 0 when a delivery or the resend changed meanwhile: the next call reads the page again. */
async function resendPage(
  deps: ResendDeps,
  { position: _, ...resend }: DeliveryResend,
  { status, cursor }: NonNullable<DeliveryResend['position']>,
): Promise<number> {
  const { store } = deps;
  const { companyId, createdFrom: from, createdAt: until } = resend;
  // At the beginning of a resend the endpoints that failed are probed immediately: deliveries may be waiting for them.
  if (status === 'FAILED' && cursor === undefined)
    await changeHealth(deps, await readHealth(store, companyId), hurryProbes);
  const partition = listPartition(companyId, byStatus('DELIVERY', status));
  const keyOf = ({ id }: { readonly id: string }) => keys.delivery(companyId, id);
  const read = entriesOf(store, { index: 'GSI1', partition, keyOf, ascending: true, from, until });
  const { matching, last } = await read(cursor, pageSize);
  const at = deps.now();
  const items = await store.read(matching.map(keyOf));
  // The index lags, and the table forgets a delivery after 90 days.
  const found = items.flatMap((item) => (item === undefined ? [] : [parseDelivery(item)]));
  const selected = found.filter((delivery) => delivery.status === status && isOpen(delivery));
  const sent = selected.length === 0 ? [] : await writesAgain(deps, resend, status, selected, at);
  const afterList = status === 'FAILED' ? ({ status: 'HELD' } as const) : undefined;
  const position = last === undefined ? afterList : { status, cursor: last };
  const next: DeliveryResend = {
    ...resend,
    sentCount: resend.sentCount + sent.length,
    heldCount: resend.heldCount + (status === 'HELD' ? selected.length - sent.length : 0),
    version: resend.version + 1,
    ...(position === undefined ? { completedAt: at } : { position }),
  };
  const progress = { put: resendItem(next, at), when: { equals: { version: resend.version } } };
  return (await store.write([...sent.flat(), progress], deps.newId())).ok ? sent.length : 0;
}

/** The writes of each delivery that goes out again. */
async function writesAgain(
  { store, newId }: ResendDeps,
  { companyId, requestId }: Pick<DeliveryResend, 'companyId' | 'requestId'>,
  status: ResentStatus,
  deliveries: readonly Delivery[],
  at: Instant,
): Promise<readonly (readonly Write[])[]> {
  if (status === 'HELD') {
    const { settings, health } = await readEndpoints(store, companyId);
    const free = deliveries.filter((delivery) => admit(delivery, settings, health, at).to !== 'hold');
    const sent = free.flatMap((delivery) => sendHeld(delivery, at) ?? []);
    return sent.map((delivery) => dispatchWrites({ delivery, notBefore: at, at }));
  }
  const latest = (await readResendable(store, companyId, deliveries)).filter(isLatestFailure);
  return latest.map((resendable) => resendWrites(resendable, { id: newId(), createdAt: at, requestId }));
}
