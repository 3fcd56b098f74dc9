import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { sendHeld } from './states.ts';
import type { DeliveryResend, ResendPosition } from './resend.ts';
import { advanceResend, readResend, resendUpdate } from './resend.ts';
import { admit } from '../health/circuit.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf } from '../settings.ts';
import { resendOnceWrites, dispatchWrites } from './store.ts';
import { parseDelivery, parseDeliveryBody } from '#shared/platform/outbox/delivery-items.ts';
import { keys, listPartition } from '#shared/platform/table/keys.ts';
import { endpointBacklog, readBacklogs } from '../backlog/store.ts';
import { entriesOf } from '#shared/platform/table/listing.ts';
import type { Store, Write } from '#shared/platform/table/store.ts';
import { readWebhookSettings } from '../settings-store.ts';

type ResendDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** Whether another page may be begun. */
  readonly mayGoOn: () => boolean;
};

/** Deliveries of one transaction: three writes each. */
const pageSize = 20;
/** Of one resend in one run: the queue is filled at a bounded pace. */
const maxPages = 25;

type Pending = DeliveryResend & { readonly position: ResendPosition };
/** What becomes of one page, and the writes that make it so. */
type PageWork = { readonly writes: readonly Write[]; readonly sent: number; readonly held: number };

/**
 * Goes on with a resend, page by page, oldest first. What was sent again and how far that is are one transaction:
 * the next run goes on after a crash, and two runs at once send each delivery once.
 *
 * - A delivery that `FAILED` gets a new one of the same bytes, once: a second resend passes it over, and sends the new
 *   one again if that failed too.
 * - A delivery that is `HELD` goes out itself, so that no release sends it a second time; it stays where it is while
 *   its type has no active endpoint or the operator holds it.
 *
 * @returns how many were sent again
 */
export async function resendDeliveries(deps: ResendDeps, companyId: string, id: string): Promise<number> {
  let sent = 0;
  for (let page = 0; page < maxPages && deps.mayGoOn(); page += 1) {
    const resend = await readResend(deps.store, companyId, id);
    if (resend === undefined || !isPending(resend)) return sent;
    const sentNow = await resendPage(deps, resend);
    sent += sentNow;
  }
  return sent;
}

function isPending(resend: DeliveryResend): resend is Pending {
  return resend.position !== undefined;
}

/** Nothing when a delivery or the resend changed meanwhile: the page is read again. */
async function resendPage(deps: ResendDeps, resend: Pending): Promise<number> {
  const { store, newId } = deps;
  const { companyId, createdFrom, createdAt, position } = resend;
  const read = entriesOf(store, {
    index: 'GSI1',
    partition: listPartition(companyId, `DELIVERY#${position.status}`),
    ascending: true,
    ...{ from: createdFrom, until: createdAt },
    keyOf: ({ id }) => keys.delivery(companyId, id),
  });
  const { matching, last: behind } = await read(position.behind, pageSize);
  const at = deps.now();
  const ids = matching.map(({ id }) => id);
  const work = await (position.status === 'FAILED' ? resendFailed : sendAllHeld)(deps, resend, ids, at);
  const next = advanceResend(resend, { ...work, behind }, at);
  const outcome = await store.write([...work.writes, resendUpdate(next, at)], newId());
  return outcome.ok ? work.sent : 0;
}

async function resendFailed(
  { store, newId }: ResendDeps,
  { companyId, requestId }: Pending,
  ids: readonly string[],
  at: Instant,
): Promise<PageWork> {
  const [deliveries, bodies] = await readTogether(store, companyId, ids);
  const resent = deliveries.flatMap((delivery, place) => {
    const body = bodies[place];
    // The table forgets a delivery after 90 days, and its two items not at the same moment.
    if (delivery?.status !== 'FAILED' || delivery.resentAs !== undefined || body === undefined) return [];
    const again = { id: newId(), createdAt: at, requestId };
    return [resendOnceWrites({ delivery, body, again })];
  });
  return { writes: resent.flat(), sent: resent.length, held: 0 };
}

async function sendAllHeld(
  { store }: ResendDeps,
  { companyId }: Pending,
  ids: readonly string[],
  at: Instant,
): Promise<PageWork> {
  const items = ids.length === 0 ? [] : await store.read(ids.map((id) => keys.delivery(companyId, id)));
  const present = items.map((item) => item && parseDelivery(item));
  const held = present.filter((delivery): delivery is Delivery => delivery?.status === 'HELD');
  if (held.length === 0) return { writes: [], sent: 0, held: 0 };
  const settings = await readWebhookSettings(store, companyId);
  const mayGo = await readAdmissions(store, settings, held, at);
  const sent = held.flatMap((delivery) => {
    const next = mayGo(delivery) ? sendHeld(delivery, at) : undefined;
    return next === undefined ? [] : [dispatchWrites({ delivery: next, notBefore: at, at })];
  });
  return { writes: sent.flat(), sent: sent.length, held: held.length - sent.length };
}

/** Whether a held delivery would get further than it is: two reads for all of them. */
async function readAdmissions(
  store: Store,
  settings: WebhookSettings,
  held: readonly Delivery[],
  now: Instant,
): Promise<(delivery: Delivery) => boolean> {
  const backlogNameOf = ({ target }: Delivery) => {
    const address = addressOf(target, settings);
    return address === undefined ? undefined : endpointBacklog(address);
  };
  const names = held.map(backlogNameOf).filter((name) => name !== undefined);
  const backlogs = await readBacklogs(store, settings.companyId, names);
  return (delivery) => {
    const name = backlogNameOf(delivery);
    const backlog = name && { name, backlog: backlogs.get(name) };
    return admit(delivery, settings, backlog, now).to !== 'hold';
  };
}

/** Deliveries and their bytes, in one read. */
async function readTogether(
  store: Store,
  companyId: string,
  ids: readonly string[],
): Promise<readonly [readonly (Delivery | undefined)[], readonly (string | undefined)[]]> {
  if (ids.length === 0) return [[], []];
  const items = await store.read([
    ...ids.map((id) => keys.delivery(companyId, id)),
    ...ids.map((id) => keys.deliveryBody(companyId, id)),
  ]);
  return [
    items.slice(0, ids.length).map((item) => item && parseDelivery(item)),
    items.slice(ids.length).map((item) => item && parseDeliveryBody(item)),
  ];
}
