import type { Clock } from '#shared/core/brasilia-time.ts';
import type { LineEvent } from '../dispatch/report.ts';
import type { CircuitRules } from '../endpoint-health.ts';
import type { Line, LineName } from '#shared/platform/outbox/backlog.ts';
import type { Store, Page } from '#shared/platform/table/store.ts';
import { env } from '#shared/platform/env.ts';
import { secondsBetween, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { countedFailures, maxCountedFailures, shelve, holdWaiting } from '../deliveries/states.ts';
import { writeDelivery } from '../deliveries/store.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { linePartition } from '#shared/platform/table/keys.ts';
import { changeLine, holdLine, typeLine } from '#shared/platform/outbox/backlog.ts';
import { deactivateEndpoint } from '../settings.ts';
import { linePut, writeLine } from './store.ts';
import { readWebhookSettings, webhookSettingsItem } from '../settings-store.ts';

export type ReleaseDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** Told of what operators should know. */
  readonly onLine: (event: LineEvent) => void;
};
export type LineDeps = ReleaseDeps & { readonly rules: CircuitRules };

/** When an endpoint of this environment counts as failing. */
export function circuitRules(): CircuitRules {
  return {
    failures: env('CIRCUIT_FAILURES'),
    deliveries: env('CIRCUIT_DELIVERIES'),
    windowSeconds: env('CIRCUIT_WINDOW_SECONDS'),
    timeouts: env('CIRCUIT_TIMEOUTS'),
    giveUpSeconds: env('CIRCUIT_GIVE_UP_SECONDS'),
    probeDelaysSeconds: env('PROBE_DELAYS_SECONDS'),
  };
}

/** What was held longer is not sent by itself any more; it can be sent again by hand. */
const releasedSeconds = 7 * 86_400;
const pageSize = 25;
/** How many are looked at to find a probe that has attempts to spare. */
const maxCandidates = 200;

/**
 * The deliveries that wait in a line, oldest first. The index is read with a delay: the delivery itself says whether it
 * waits.
 */
export async function* readWaiting(
  store: Store,
  { companyId, name }: Line,
  readAtOnce: number,
  behind?: string,
): AsyncGenerator<Delivery, void, void> {
  const partition = linePartition(companyId, name);
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
        if (delivery?.line === name) yield delivery;
      }
    }
    after = page.next;
  } while (after !== undefined);
}

/** The oldest that is to go out. What was held for too long is shelved on the way. */
export async function readFirst({ store, now }: ReleaseDeps, line: Line): Promise<Delivery | undefined> {
  for await (const delivery of readWaiting(store, line, 1)) {
    if (delivery.heldAt === undefined || secondsBetween(delivery.heldAt, now()) <= releasedSeconds) return delivery;
    const shelved = shelve(delivery);
    if (shelved !== undefined) await writeDelivery(store, shelved);
  }
  return undefined;
}

/**
 * The delivery that tries whether the endpoint answers again: the oldest of those with the most attempts left. A last
 * attempt is spent only where it may be.
 */
export async function findProbe(
  { store }: ReleaseDeps,
  line: Line,
  { newcomer, mayBeLast }: { readonly newcomer: Delivery | undefined; readonly mayBeLast: boolean },
): Promise<Delivery | undefined> {
  let best: Delivery | undefined;
  let seen = 0;
  for await (const delivery of readWaiting(store, line, pageSize)) {
    if (best === undefined || countedFailures(delivery) < countedFailures(best)) best = delivery;
    if (countedFailures(best) === 0 || (seen += 1) >= maxCandidates) break;
  }
  if (best === undefined || (newcomer !== undefined && countedFailures(newcomer) < countedFailures(best)))
    best = newcomer ?? best;
  if (best === undefined || (countedFailures(best) >= maxCountedFailures - 1 && !mayBeLast)) return undefined;
  return best;
}

/** A notifier that read the line before it changed may add to it until then, and the index shows that late. */
export const settledSeconds = 120;
const markedAtOnce = 25;

/**
 * The endpoint failed for days: the types that go there get the status `INACTIVE`, and the line is held, in one
 * transaction. A subscription's address stands in no settings; for it the held line is what `INACTIVE` is for a type.
 * Whoever waits is marked once nobody can be added any more.
 */
export async function giveUpEndpoint(deps: ReleaseDeps, line: Line): Promise<void> {
  const at = deps.now();
  const settings = await readWebhookSettings(deps.store, line.companyId);
  const inactive = line.endpoint === undefined ? undefined : deactivateEndpoint(settings, line.endpoint, at);
  const next = holdLine(line, 'CIRCUIT', at, plusSeconds(at, settledSeconds));
  const when = { equals: { version: settings.version } };
  const writes = inactive === undefined ? [] : [{ put: webhookSettingsItem(inactive), when }];
  const outcome = await deps.store.write([linePut(next, at), ...writes], deps.newId());
  if (outcome.ok) deps.onLine({ kind: 'endpoint-given-up', line: next });
}

/**
 * Goes on with marking those who wait in a held line `HELD`, a bounded number a call. Those of a type go over to the
 * line of their type where it has no active endpoint any more: making it active releases them.
 *
 * @returns whether there is more to mark
 */
export async function markHeld({ store, now }: ReleaseDeps, line: Line): Promise<boolean> {
  const { held } = line;
  if (held === undefined) return false;
  const at = now();
  if (held.isMarked === true || at < plusSeconds(held.at, settledSeconds)) {
    const dueAt = held.isMarked === true ? undefined : plusSeconds(held.at, settledSeconds);
    if (line.dueAt !== dueAt || line.turn !== undefined)
      await writeLine(store, changeLine(line, { dueAt, turn: undefined }), at);
    return false;
  }
  const batch: Delivery[] = [];
  for await (const delivery of readWaiting(store, line, markedAtOnce, held.upTo)) {
    batch.push(delivery);
    if (batch.length === markedAtOnce) break;
  }
  for (const delivery of batch) {
    const marked = holdWaiting(delivery, lineOfHeld(delivery, line), at);
    if (marked !== undefined) await writeDelivery(store, marked);
  }
  const last = batch.at(-1);
  const isMarked = batch.length < markedAtOnce ? (true as const) : undefined;
  const upTo = last === undefined ? held.upTo : `${last.createdAt}#${last.id}`;
  const progress = { ...held, ...(upTo !== undefined && { upTo }), ...(isMarked && { isMarked }) };
  const written = await writeLine(store, changeLine(line, { held: progress, dueAt: isMarked ? undefined : at }), at);
  return written.ok && isMarked === undefined;
}

/** The operator's hold of an endpoint keeps everybody in its line; a circuit that gave up made the types inactive. */
function lineOfHeld({ target }: Delivery, { name, held }: Line): LineName {
  return held?.by === 'CIRCUIT' && 'type' in target ? typeLine(target.type) : name;
}
