import type { Claim, Delivery, NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { advanceBacklog, orLeaveToSweep } from '../backlog/advance.ts';
import type { BacklogDeps } from '../backlog/deferred.ts';
import type { Backlog, CountedFailure } from '../backlog/model.ts';
import { newBacklog } from '../backlog/model.ts';
import {
  appendFailure,
  backlogPut,
  endpointBacklog,
  readBacklog,
  readBacklogs,
  writeBacklog,
} from '../backlog/store.ts';
import type { CallResult } from '../deliveries/states.ts';
import type { StateWrite } from '../deliveries/store.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf, markFailing } from '../settings.ts';
import { readWebhookSettings, webhookSettingsItem } from '../settings-store.ts';
import type { EndpointHealth } from './circuit.ts';
import { countFailure, countSuccess, freeSlot, openCircuit, takeSlot } from './circuit.ts';

export type HealthDeps = BacklogDeps & {
  /** A random number from 0 to below 1. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/**
 * The health of the present endpoints of these targets, in one read; undefined for a target without an endpoint.
 * @throws CorruptItem
 */
export async function readEndpointHealth(
  store: Store,
  { companyId, events }: Pick<WebhookSettings, 'companyId' | 'events'>,
  targets: readonly NotificationTarget[],
): Promise<(target: NotificationTarget) => EndpointHealth | undefined> {
  const nameOf = (target: NotificationTarget) => {
    const address = addressOf(target, { events });
    return address === undefined ? undefined : endpointBacklog(address);
  };
  const backlogs = await readBacklogs(
    store,
    companyId,
    targets.flatMap((target) => nameOf(target) ?? []),
  );
  return (target) => {
    const name = nameOf(target);
    return name && { name, backlog: backlogs.get(name) };
  };
}

/** More than the slots: with all of them taken nothing is left to write. */
const slotTries = 5;

/**
 * Takes a slot of the endpoint's concurrency limit for a long call, by one write. The slot ends with the claim's lease:
 * a dead worker holds none. Never throws: the call goes on without a slot.
 * @returns the health after it
 */
export async function registerSlot(
  { delivery, claim, health }: { readonly delivery: Delivery; readonly claim: Claim; readonly health: EndpointHealth },
  deps: HealthDeps,
): Promise<EndpointHealth> {
  const { companyId, id: deliveryId, endpoint } = delivery;
  let present = health.backlog;
  try {
    for (let attempt = 1; attempt <= slotTries; attempt += 1) {
      const now = deps.now();
      const known = present ?? newBacklog(companyId, health.name, endpoint);
      const next = takeSlot(known, { deliveryId, until: claim.leaseUntil }, now);
      if (next === undefined) break;
      const written = await writeBacklog(deps.store, next, now);
      if (written.ok) return { ...health, backlog: next };
      present = written.present;
    }
  } catch (error) {
    log('warn', 'slot not registered', { companyId, ...errorFields(error) });
  }
  return { ...health, backlog: present };
}

const countTries = 8;
/** Eight pauses and the ten seconds of a hanging call stay within the function's fifteen. */
const longestPauseMs = 400;

type CalledEndpoint = { readonly delivery: Delivery; readonly health: EndpointHealth; readonly result: CallResult };

/**
 * Counts the outcome of a call for its circuit, and frees its slot. A quick success writes nothing while no failure is
 * counted. Of many workers that fail at once the first writes the backlog and the others append: each failure counts.
 */
export async function countOutcome(called: CalledEndpoint, deps: HealthDeps): Promise<void> {
  const { delivery, health } = called;
  const { companyId } = delivery;
  await orLeaveToSweep('outcome not counted for the endpoint', companyId, async () => {
    const { before, next } = await writeCount(called, deps);
    if (next === undefined) return;
    if (next.open !== undefined) deps.onBacklog({ kind: 'circuit-opened', backlog: next });
    const isClosed = before?.open !== undefined && next.open === undefined;
    if (isClosed) deps.onBacklog({ kind: 'circuit-closed', backlog: next });
    // A delivery in flight releases the next one itself. Any other success that closes the circuit does it here, and a
    // freed slot while nothing is in flight: a delivery may have joined the backlog meanwhile.
    const isSlot = before?.slots !== next.slots && next.releasedAt !== undefined && next.inFlight === undefined;
    if ((isClosed || isSlot) && delivery.releasedFrom?.backlog !== health.name)
      await advanceBacklog(deps, { companyId, name: health.name });
  });
}

type Change = { readonly before?: Backlog | undefined; readonly next?: Backlog };

/** The backlog before and after, if it had to be written. */
async function writeCount(called: CalledEndpoint, deps: HealthDeps): Promise<Change> {
  const { delivery, health, result } = called;
  const { store } = deps;
  const failure = { at: deps.now(), deliveryId: delivery.id, timedOut: result.error === 'TIMEOUT' };
  let before = health.backlog;
  let isCounted = false;
  for (let attempt = 1; attempt <= countTries; attempt += 1) {
    const next = isCounted ? before && conclude(before, called, deps) : decideCount(before, called, failure, deps);
    if (next === undefined) return {};
    const opensOrCloses = (before?.open === undefined) !== (next.open === undefined);
    const isInTheWay = attempt > 1 && !isCounted && !opensOrCloses;
    if (isInTheWay && before?.failures !== undefined && result.outcome === 'FAILED') {
      const appended = await appendFailure(store, before, failure);
      isCounted = appended.ok;
      before = appended.ok ? await readBacklog(store, delivery.companyId, health.name) : appended.present;
      continue;
    }
    const outcome = await (opensOrCloses ? writeCircuit(deps, next) : writeBacklog(store, next, deps.now()));
    if (outcome.ok) return { before, next };
    before = outcome.present;
    await deps.sleep(deps.random() * Math.min(longestPauseMs, 50 * 2 ** attempt));
  }
  log('info', 'backlog of the endpoint not brought up to date: too many at once', {
    companyId: delivery.companyId,
    isCounted,
  });
  return {};
}

function decideCount(
  present: Backlog | undefined,
  { delivery, health, result }: CalledEndpoint,
  failure: CountedFailure,
  { now, rules }: HealthDeps,
): Backlog | undefined {
  const { companyId, id, endpoint } = delivery;
  const ended = present && freeSlot(present, id);
  const known = ended === undefined ? present : { ...ended, version: ended.version - 1 };
  const next =
    result.outcome === 'DELIVERED'
      ? known && countSuccess(known, now())
      : countFailure(known ?? newBacklog(companyId, health.name, endpoint), failure, rules);
  return next ?? ended;
}

/** What is left to do once the failure is counted: the last of many opens the circuit. */
function conclude(present: Backlog, { delivery }: CalledEndpoint, { now, rules }: HealthDeps): Backlog | undefined {
  return openCircuit(present, now(), rules) ?? freeSlot(present, delivery.id);
}

/**
 * Writes a circuit that opens or closes, in one transaction with the settings of its endpoint: the partner reads there
 * what happens to the notifications. The address of a subscription is in no settings.
 */
async function writeCircuit({ store, now, newId }: HealthDeps, backlog: Backlog): Promise<StateWrite<Backlog>> {
  const { companyId, name, endpoint, open } = backlog;
  const settings = await readWebhookSettings(store, companyId);
  const marked = endpoint === undefined ? undefined : markFailing(settings, endpoint, open?.failingSince);
  if (marked === undefined) return writeBacklog(store, backlog, now());
  const when = { equals: { version: settings.version } };
  const outcome = await store.write([backlogPut(backlog, now()), { put: webhookSettingsItem(marked), when }], newId());
  if (outcome.ok) return outcome;
  return { ok: false, present: await readBacklog(store, companyId, name) };
}
