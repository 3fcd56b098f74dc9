import type { Clock } from '#shared/core/brasilia-time.ts';
import type { BacklogEvent } from '../dispatch/report.ts';
import type { CircuitRules } from '../health/circuit.ts';
import type { Backlog } from './model.ts';
import type { BacklogName, Delivery } from '#shared/platform/outbox/delivery.ts';
import type { Store, Page } from '#shared/platform/table/store.ts';
import { secondsBetween, plusSeconds } from '#shared/core/brasilia-time.ts';
import { countedFailures, maxCountedFailures, park, holdWaiting } from '../deliveries/states.ts';
import { writeDelivery } from '../deliveries/store.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { backlogPartition } from '#shared/platform/table/keys.ts';
import { changeBacklog, holdBacklog } from './model.ts';
import { typeBacklog } from '#shared/platform/outbox/delivery.ts';
import { deactivateEndpoint } from '../settings.ts';
import { backlogPut, writeBacklog } from './store.ts';
import { readWebhookSettings, webhookSettingsItem } from '../settings-store.ts';

export type ReleaseDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** Hears of what operators should know. */
  readonly onBacklog: (event: BacklogEvent) => void;
};
export type BacklogDeps = ReleaseDeps & { readonly rules: CircuitRules };

/** What was held longer is not sent by itself any more; it can be sent again by hand. */
const releasedSeconds = 7 * 86_400;
const pageSize = 25;
/** How many are looked at to find a probe that has attempts to spare. */
const maxCandidates = 200;

/**
 * The deliveries that wait in a backlog, oldest first. The index is read with a delay: the delivery itself says whether
 * it waits.
 */
export async function* readWaiting(
  store: Store,
  { companyId, name }: Backlog,
  readAtOnce: number,
  behind?: string,
): AsyncGenerator<Delivery, void, void> {
  const partition = backlogPartition(companyId, name);
  let after: Page['next'];
  do {
    const page: Page = await store.query({
      index: 'GSI2',
      partition,
      ascending: true,
      limit: pageSize,
      ...(after && { after }),
    });
    const entries = page.items.filter(
      ({ GSI2SK }) => behind === undefined || (typeof GSI2SK === 'string' && GSI2SK > behind),
    );
    for (let start = 0; start < entries.length; start += readAtOnce) {
      const items = await store.read(entries.slice(start, start + readAtOnce).map(({ PK, SK }) => ({ PK, SK })));
      for (const item of items) {
        const delivery = item && parseDelivery(item);
        if (delivery?.backlog === name) yield delivery;
      }
    }
    after = page.next;
  } while (after !== undefined);
}

/** The oldest that is to go out. What was held for too long is parked on the way. */
export async function readFirst({ store, now }: ReleaseDeps, backlog: Backlog): Promise<Delivery | undefined> {
  for await (const delivery of readWaiting(store, backlog, 1)) {
    if (delivery.heldAt === undefined || secondsBetween(delivery.heldAt, now()) <= releasedSeconds) return delivery;
    const parked = park(delivery);
    if (parked !== undefined) await writeDelivery(store, parked);
  }
  return undefined;
}

/**
 * The delivery that tries whether the endpoint answers again: the oldest of those with the most attempts left. A last
 * attempt is spent only where it may be.
 */
export async function findProbe(
  { store }: ReleaseDeps,
  backlog: Backlog,
  { candidate, mayBeLast }: { readonly candidate: Delivery | undefined; readonly mayBeLast: boolean },
): Promise<Delivery | undefined> {
  let best: Delivery | undefined;
  let seen = 0;
  for await (const delivery of readWaiting(store, backlog, pageSize)) {
    if (best === undefined || countedFailures(delivery) < countedFailures(best)) best = delivery;
    if (countedFailures(best) === 0 || (seen += 1) >= maxCandidates) break;
  }
  if (best === undefined || (candidate !== undefined && countedFailures(candidate) < countedFailures(best)))
    best = candidate ?? best;
  if (best === undefined || (countedFailures(best) >= maxCountedFailures - 1 && !mayBeLast)) return undefined;
  return best;
}

/** A notifier that read the backlog before it changed may add to it until then, and the index shows that late. */
export const settledSeconds = 120;
const markedAtOnce = 25;

/**
 * The endpoint failed for days: the types that go there get the status `INACTIVE`, and the backlog is held, in one
 * transaction. A subscription's address stands in no settings; for it the held backlog is what `INACTIVE` is for a
 * type. Deliveries that wait are marked once none can be added any more.
 */
export async function disableEndpoint(deps: ReleaseDeps, backlog: Backlog): Promise<void> {
  const at = deps.now();
  const settings = await readWebhookSettings(deps.store, backlog.companyId);
  const inactive = backlog.endpoint === undefined ? undefined : deactivateEndpoint(settings, backlog.endpoint, at);
  const next = holdBacklog(backlog, 'CIRCUIT', at, plusSeconds(at, settledSeconds));
  const when = { equals: { version: settings.version } };
  const writes = inactive === undefined ? [] : [{ put: webhookSettingsItem(inactive), when }];
  const outcome = await deps.store.write([backlogPut(next, at), ...writes], deps.newId());
  if (outcome.ok) deps.onBacklog({ kind: 'endpoint-disabled', backlog: next });
}

/**
 * Goes on with marking those who wait in a held backlog `HELD`, a bounded number a call. Those of a type go over to the
 * backlog of their type where it has no active endpoint any more: making it active releases them.
 *
 * @returns whether there is more to mark
 */
export async function markHeld({ store, now }: ReleaseDeps, backlog: Backlog): Promise<boolean> {
  const { held } = backlog;
  if (held === undefined) return false;
  const at = now();
  if (held.isMarked === true || at < plusSeconds(held.at, settledSeconds)) {
    const dueAt = held.isMarked === true ? undefined : plusSeconds(held.at, settledSeconds);
    if (backlog.dueAt !== dueAt || backlog.inFlight !== undefined)
      await writeBacklog(store, changeBacklog(backlog, { dueAt, inFlight: undefined }), at);
    return false;
  }
  const batch: Delivery[] = [];
  for await (const delivery of readWaiting(store, backlog, markedAtOnce, held.upTo)) {
    batch.push(delivery);
    if (batch.length === markedAtOnce) break;
  }
  for (const delivery of batch) {
    const marked = holdWaiting(delivery, backlogOfHeld(delivery, backlog), at);
    if (marked !== undefined) await writeDelivery(store, marked);
  }
  const last = batch.at(-1);
  const isMarked = batch.length < markedAtOnce ? (true as const) : undefined;
  const upTo = last === undefined ? held.upTo : `${last.createdAt}#${last.id}`;
  const progress = { ...held, ...(upTo !== undefined && { upTo }), ...(isMarked && { isMarked }) };
  const written = await writeBacklog(
    store,
    changeBacklog(backlog, { held: progress, dueAt: isMarked ? undefined : at }),
    at,
  );
  return written.ok && isMarked === undefined;
}

/**
 * The operator's hold of an endpoint keeps all in its backlog; a circuit that disabled it made the types inactive.
 */
function backlogOfHeld({ target }: Delivery, { name, held }: Backlog): BacklogName {
  return held?.by === 'CIRCUIT' && 'type' in target ? typeBacklog(target.type) : name;
}
