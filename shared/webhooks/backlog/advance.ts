import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery, BacklogName, WebhookType } from '#shared/platform/outbox/delivery.ts';
import { hasFailedTooLong, longestProbeDelay, nextLastAttemptAt, nextProbeAt } from '../health/circuit.ts';
import { webhookTypes, typeBacklog } from '#shared/platform/outbox/delivery.ts';
import { releaseDelivery } from '../deliveries/states.ts';
import type { Backlog, OpenCircuit } from './model.ts';
import { changeBacklog, backlogGraceSeconds, newBacklog, releaseBacklog } from './model.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf, markFailing } from '../settings.ts';
import { deliveryItem, parseDelivery, dispatchItem } from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { backlogPut, parseBacklog, writeBacklog, endpointBacklog } from './store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { parseWebhookSettings } from '../settings-store.ts';
import { disableEndpoint, markHeld, settledSeconds, readFirst, findProbe } from './deferred.ts';
import type { BacklogDeps, ReleaseDeps } from './deferred.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { errorFields, log } from '#shared/platform/log.ts';

type Facts = {
  readonly backlog: Backlog;
  readonly isReleasable: boolean;
  readonly inFlight: Delivery | undefined;
};

/** How often it is decided again: calls of the endpoint that are counted meanwhile change the backlog. */
const tries = 4;

/**
 * Releases the next deferred delivery, if it is time; at most one is in flight, and the next one follows when its
 * attempt has ended. Called by the worker that ended an attempt, and by the sweep when that worker died; of two at once
 * one counts.
 *
 * @param candidate a delivery that was deferred just now: the index may not show it yet
 * @returns whether more is to be done at once, by another call
 * @throws StoreUnavailable, CorruptItem
 */
export async function advanceBacklog(
  deps: BacklogDeps,
  of: { readonly companyId: string; readonly name: BacklogName; readonly candidate?: Delivery },
): Promise<boolean> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const facts = await readFacts(deps.store, of.companyId, of.name);
    if (facts === undefined) return false;
    const { backlog, inFlight } = facts;
    const now = deps.now();
    if (await waitForInFlight(deps, facts)) return false;
    if (backlog.held !== undefined) return markHeld(deps, backlog);
    if (backlog.open !== undefined && hasFailedTooLong(backlog.open, now, deps.rules)) {
      await disableEndpoint(deps, backlog);
      return false;
    }
    const isDone =
      backlog.open === undefined
        ? await release(deps, facts, of.candidate)
        : await probe(deps, backlog, { open: backlog.open, last: inFlight, candidate: of.candidate });
    if (isDone) return false;
  }
  return false;
}

/**
 * As `advanceBacklog`, right after the release of a backlog: leaves alone one that is held or whose circuit is open.
 */
export async function beginRelease(
  deps: ReleaseDeps,
  of: { readonly companyId: string; readonly name: BacklogName },
): Promise<void> {
  const facts = await readFacts(deps.store, of.companyId, of.name);
  if (facts === undefined || facts.backlog.held !== undefined || facts.backlog.open !== undefined) return;
  if (!(await waitForInFlight(deps, facts))) await release(deps, facts);
}

/** True when a delivery of the backlog is on its way: the backlog is looked at again when that should have arrived. */
async function waitForInFlight(deps: ReleaseDeps, { backlog, inFlight }: Facts): Promise<boolean> {
  if (inFlight === undefined || !isOnItsWay(inFlight, backlog)) return false;
  const dueAt = plusSeconds(laterOf(deps.now(), inFlight.dueAt), backlogGraceSeconds);
  await lookAgain(deps, backlog, dueAt);
  return true;
}

/** Here and below: false when the backlog changed meanwhile, so that it must be decided again. */
async function release(deps: ReleaseDeps, { backlog, isReleasable }: Facts, candidate?: Delivery): Promise<boolean> {
  const now = deps.now();
  if (backlog.releasedAt === undefined || !isReleasable) return endRelease(deps, backlog);
  const next = (await readFirst(deps, backlog)) ?? candidate;
  if (next !== undefined) return dispatchReleased(deps, backlog, { delivery: next, notBefore: now, isProbe: false });
  const settledAt = plusSeconds(backlog.releasedAt, settledSeconds);
  if (now > settledAt) return endRelease(deps, backlog);
  // Nothing is in flight any more: the next delivery is the first again.
  const { inFlight: _inFlight, ...rest } = backlog;
  return lookAgain(deps, rest, plusSeconds(settledAt, 1));
}

/** The backlog, whether its settings allow a release, and the delivery that was released last. */
async function readFacts(store: Store, companyId: string, name: BacklogName): Promise<Facts | undefined> {
  const [item, settingsItem] = await store.read([keys.backlog(companyId, name), keys.webhookSettings(companyId)]);
  if (item === undefined) return undefined;
  const backlog = parseBacklog(item);
  const settings = settingsItem && parseWebhookSettings(settingsItem);
  const [delivery] =
    backlog.inFlight === undefined ? [] : await store.read([keys.delivery(companyId, backlog.inFlight.deliveryId)]);
  const isReleasable = settings !== undefined && mayRelease(name, settings);
  return { backlog, isReleasable, inFlight: delivery && parseDelivery(delivery) };
}

/**
 * A delivery that leaves the backlog of an endpoint and is held for another reason then waits in the backlog of that.
 */
function mayRelease(name: BacklogName, settings: WebhookSettings): boolean {
  if (name === 'company') return settings.heldSince === undefined;
  const type = webhookTypes.find((known) => typeBacklog(known) === name);
  return type === undefined || addressOf({ type }, settings) !== undefined;
}

/** A delivery stays in flight until the end of its attempt is recorded. */
function isOnItsWay({ releasedFrom, status, dispatch }: Delivery, backlog: Backlog): boolean {
  return (
    status === 'PENDING' && releasedFrom?.backlog === backlog.name && dispatch >= (backlog.inFlight?.dispatch ?? 0)
  );
}

/** The next probe: at once when the last one found another way, else after a wait that grows. */
async function probe(
  deps: BacklogDeps,
  backlog: Backlog,
  of: { readonly open: OpenCircuit; readonly last: Delivery | undefined; readonly candidate: Delivery | undefined },
): Promise<boolean> {
  const now = deps.now();
  const hasFailed = of.last !== undefined && (of.last.backlog === backlog.name || of.last.status === 'FAILED');
  const open = hasFailed ? { ...of.open, probes: of.open.probes + 1 } : of.open;
  const isDetour = of.last !== undefined && !hasFailed;
  const notBefore = isDetour ? now : laterOf(now, nextProbeAt(open, deps.rules));
  const mayBeLast = notBefore >= nextLastAttemptAt(open, deps.rules);
  const delivery = await findProbe(deps, backlog, { candidate: of.candidate, mayBeLast });
  const { inFlight: _inFlight, ...rest } = backlog;
  const known = { ...rest, open };
  if (hasFailed) deps.onBacklog({ kind: 'probe-failed', backlog: known });
  if (delivery !== undefined) return dispatchReleased(deps, known, { delivery, notBefore, isProbe: true });
  return lookAgain(deps, known, plusSeconds(notBefore, longestProbeDelay(deps.rules)));
}

/** Delivery, message and backlog in one transaction: what is on its way is known, and nothing goes out twice. */
async function dispatchReleased(
  deps: ReleaseDeps,
  backlog: Backlog,
  out: { readonly delivery: Delivery; readonly notBefore: Instant; readonly isProbe: boolean },
): Promise<boolean> {
  const { notBefore, isProbe } = out;
  const now = deps.now();
  const delivery = releaseDelivery(out.delivery, { backlog: backlog.name, notBefore, isProbe });
  if (delivery === undefined) return true;
  const inFlight = { deliveryId: delivery.id, dispatch: delivery.dispatch };
  const dueAt = plusSeconds(notBefore, backlogGraceSeconds);
  const open = backlog.open && { ...backlog.open, probedAt: notBefore };
  const next = changeBacklog(backlog, { inFlight, dueAt, ...(open && { open }) });
  const outcome = await deps.store.write(
    [
      { put: deliveryItem(delivery), when: { equals: { version: delivery.version - 1 } } },
      { put: dispatchItem(delivery, notBefore, now), when: { is: 'absent' } },
      backlogPut(next, now),
    ],
    deps.newId(),
  );
  if (outcome.ok) deps.onBacklog({ kind: 'delivery-released', backlog: next });
  return outcome.ok;
}

async function lookAgain(deps: ReleaseDeps, backlog: Backlog, dueAt: Instant): Promise<boolean> {
  return (await writeBacklog(deps.store, changeBacklog(backlog, { dueAt }), deps.now())).ok;
}

/** No delivery waits any more, or none may go out: whatever changes that writes the backlog again. */
async function endRelease(deps: ReleaseDeps, backlog: Backlog): Promise<boolean> {
  const next = changeBacklog(backlog, { releasedAt: undefined, inFlight: undefined, dueAt: undefined });
  return (await writeBacklog(deps.store, next, deps.now())).ok;
}

function laterOf(a: Instant, b: Instant | undefined): Instant {
  return b !== undefined && b > a ? b : a;
}

/**
 * What new settings release: the backlogs of types that became active, and those of active endpoints that were
 * disabled. The settings say of each endpoint whether it fails now.
 */
export function releasesOf(
  settings: WebhookSettings,
  activated: readonly WebhookType[],
  backlogs: ReadonlyMap<BacklogName, Backlog>,
  at: Instant,
): { readonly settings: WebhookSettings; readonly released: readonly Backlog[] } {
  const { companyId, events, version } = settings;
  const ofTypes = activated.map((type) => backlogs.get(typeBacklog(type)) ?? newBacklog(companyId, typeBacklog(type)));
  const active = new Set(
    events.filter(({ status }) => status === 'ACTIVE').map((event) => endpointBacklog(event.endpoint)),
  );
  const disabled = [...backlogs.values()].filter(({ name, held }) => active.has(name) && held?.by === 'CIRCUIT');
  const released = [...ofTypes, ...disabled].map((backlog) => releaseBacklog(backlog, at));
  const marked = events.reduce((marking, { endpoint }) => {
    const name = endpointBacklog(endpoint);
    const backlog = released.find((one) => one.name === name) ?? backlogs.get(name);
    return markFailing(marking, endpoint, backlog?.open?.failingSince ?? backlog?.held?.failingSince) ?? marking;
  }, settings);
  return { settings: { ...marked, version }, released };
}

/**
 * Releases the first delivery of each backlog. The table says so by now: the sweep does what cannot be done here.
 */
export async function beginReleases(deps: ReleaseDeps, backlogs: readonly Backlog[]): Promise<void> {
  for (const { companyId, name } of backlogs) {
    try {
      await beginRelease(deps, { companyId, name });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      log('warn', 'release left to the sweep', { companyId, ...errorFields(error) });
    }
  }
}
