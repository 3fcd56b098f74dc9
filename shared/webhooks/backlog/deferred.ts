import type { Clock } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { typeBacklog } from '#shared/platform/outbox/delivery.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { backlogPartition } from '#shared/platform/table/keys.ts';
import type { Page, Store } from '#shared/platform/table/store.ts';
import { countedFailures, holdWaiting, maxCountedFailures, park } from '../deliveries/states.ts';
import { writeDelivery } from '../deliveries/store.ts';
import type { BacklogEvent } from '../dispatch/report.ts';
import type { CircuitRules } from '../health/circuit.ts';
import { deactivateEndpoint } from '../settings.ts';
import { readWebhookSettings, webhookSettingsItem } from '../settings-store.ts';
import type { Backlog } from './model.ts';
import { changeBacklog, holdBacklog } from './model.ts';
import { backlogPut, writeBacklog } from './store.ts';

export type ReleaseDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** Receives the events for log and metrics. */
  readonly onBacklog: (event: BacklogEvent) => void;
};
export type BacklogDeps = ReleaseDeps & { readonly rules: CircuitRules };

/** A release sends no delivery that was held longer; the partner can resend it. */
const releasedSeconds = 7 * 86_400;
const pageSize = 25;
/** The search for a probe with attempts to spare ends after so many deliveries. */
const maxCandidates = 200;

/**
 * The deferred and held deliveries of a backlog, oldest first, after a sort key. The index lags: only the delivery
 * itself says whether it waits.
 */
export async function* readWaiting(
  store: Store,
  { companyId, name }: Backlog,
  readAtOnce: number,
  cursor = '',
): AsyncGenerator<Delivery, void, void> {
  const partition = backlogPartition(companyId, name);
  let after: Page['next'];
  do {
    const query = { index: 'GSI2', partition, ascending: true, limit: pageSize, ...(after && { after }) } as const;
    const page: Page = await store.query(query);
    const entries = page.items.filter(({ GSI2SK }) => typeof GSI2SK === 'string' && GSI2SK > cursor);
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

/** The oldest delivery that a release may send. Parks those before it that were held too long. */
export async function readFirst({ store, now }: ReleaseDeps, backlog: Backlog): Promise<Delivery | undefined> {
  for await (const delivery of readWaiting(store, backlog, 1)) {
    if (delivery.heldAt === undefined || secondsBetween(delivery.heldAt, now()) <= releasedSeconds) return delivery;
    const parked = park(delivery);
    if (parked !== undefined) await writeDelivery(store, parked);
  }
  return undefined;
}

/** The probe: the oldest delivery with the most attempts left. `mayBeLast`: its last attempt may be spent. */
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
  const isLast = best !== undefined && countedFailures(best) >= maxCountedFailures - 1;
  return isLast && !mayBeLast ? undefined : best;
}

/** Seconds. A notifier that read the backlog before may still add a delivery, and the index shows it late. */
export const settledSeconds = 120;
const markedAtOnce = 25;

/**
 * Disables an endpoint that failed for days: in one transaction its types become `INACTIVE` and its backlog is held.
 * The address of a subscription is in no settings: its held backlog alone disables it. `markHeld` does the rest.
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
 * Marks one page of a held backlog `HELD`, once no worker can add to it. After the circuit disabled the endpoint, the
 * deliveries of a type go to the backlog of the type: an active endpoint releases them.
 * @returns whether another page follows
 */
export async function markHeld({ store, now }: ReleaseDeps, backlog: Backlog): Promise<boolean> {
  const { held } = backlog;
  if (held === undefined) return false;
  const at = now();
  const settledAt = plusSeconds(held.at, settledSeconds);
  if (held.isMarked === true || at < settledAt) {
    const dueAt = held.isMarked === true ? undefined : settledAt;
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
    const { target } = delivery;
    const name = held.by === 'CIRCUIT' && 'type' in target ? typeBacklog(target.type) : backlog.name;
    const marked = holdWaiting(delivery, name, at);
    if (marked !== undefined) await writeDelivery(store, marked);
  }
  const last = batch.at(-1);
  const hasMore = batch.length === markedAtOnce;
  const progress = {
    ...held,
    ...(last !== undefined && { upTo: `${last.createdAt}#${last.id}` }),
    ...(!hasMore && { isMarked: true as const }),
  };
  const next = changeBacklog(backlog, { held: progress, dueAt: hasMore ? at : undefined });
  return (await writeBacklog(store, next, at)).ok && hasMore;
}
