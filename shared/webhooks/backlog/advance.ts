import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { BacklogName, Delivery, WebhookType } from '#shared/platform/outbox/delivery.ts';
import { typeBacklog, webhookTypes } from '#shared/platform/outbox/delivery.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { laterOf, releaseDelivery } from '../deliveries/states.ts';
import { dispatchWrites } from '../deliveries/store.ts';
import { hasFailedTooLong, longestProbeDelay, nextLastAttemptAt, nextProbeAt } from '../health/circuit.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf, markFailing } from '../settings.ts';
import { parseWebhookSettings } from '../settings-store.ts';
import type { BacklogDeps, ReleaseDeps } from './deferred.ts';
import { disableEndpoint, findProbe, markHeld, readFirst, settledSeconds } from './deferred.ts';
import type { Backlog, OpenCircuit } from './model.ts';
import { backlogGraceSeconds, changeBacklog, newBacklog, releaseBacklog } from './model.ts';
import { backlogPut, endpointBacklog, parseBacklog, writeBacklog } from './store.ts';

type Facts = {
  readonly backlog: Backlog;
  /** Whether the settings allow a release. */
  readonly isReleasable: boolean;
  /** The delivery that the backlog released last. */
  readonly inFlight: Delivery | undefined;
};

/** Decisions per call: the outcomes of other calls change the backlog meanwhile. */
const tries = 4;

/**
 * Releases the next deferred delivery, if it is time: at most one is in flight. The worker that ended an attempt calls
 * it, and the sweep if that worker died; of two calls at once one counts.
 * @param candidate a delivery deferred just now: the index may not show it yet
 * @returns whether another call has more to do at once
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

/** Releases the first delivery right after a release of the backlog, unless it is held or its circuit is open. */
export async function beginRelease(
  deps: ReleaseDeps,
  of: { readonly companyId: string; readonly name: BacklogName },
): Promise<void> {
  const facts = await readFacts(deps.store, of.companyId, of.name);
  if (facts === undefined || facts.backlog.held !== undefined || facts.backlog.open !== undefined) return;
  await releaseFirst(deps, facts);
}

async function releaseFirst(deps: ReleaseDeps, facts: Facts): Promise<void> {
  if (!(await waitForInFlight(deps, facts))) await release(deps, facts);
}

/** True while a delivery of the backlog is in flight: the sweep visits the backlog after its time. */
async function waitForInFlight(deps: ReleaseDeps, { backlog, inFlight }: Facts): Promise<boolean> {
  if (inFlight === undefined || !isInFlight(inFlight, backlog)) return false;
  await lookAgain(deps, backlog, plusSeconds(laterOf(inFlight.dueAt, deps.now()), backlogGraceSeconds));
  return true;
}

/** Here and below: false when the backlog changed meanwhile, so that the caller must decide again. */
async function release(deps: ReleaseDeps, { backlog, isReleasable }: Facts, candidate?: Delivery): Promise<boolean> {
  const now = deps.now();
  if (backlog.releasedAt === undefined || !isReleasable) return endRelease(deps, backlog);
  const next = (await readFirst(deps, backlog)) ?? candidate;
  if (next !== undefined) return dispatchReleased(deps, backlog, { delivery: next, notBefore: now, isProbe: false });
  const settledAt = plusSeconds(backlog.releasedAt, settledSeconds);
  if (now > settledAt) return endRelease(deps, backlog);
  // Nothing is in flight: the next delivery is the first again.
  const { inFlight: _inFlight, ...rest } = backlog;
  return lookAgain(deps, rest, plusSeconds(settledAt, 1));
}

async function readFacts(store: Store, companyId: string, name: BacklogName): Promise<Facts | undefined> {
  const [item, settingsItem] = await store.read([keys.backlog(companyId, name), keys.webhookSettings(companyId)]);
  if (item === undefined) return undefined;
  const backlog = parseBacklog(item);
  const settings = settingsItem && parseWebhookSettings(settingsItem);
  const isReleasable = settings !== undefined && mayRelease(name, settings);
  return { backlog, isReleasable, inFlight: await readInFlight(store, backlog) };
}

async function readInFlight(store: Store, { companyId, inFlight }: Backlog): Promise<Delivery | undefined> {
  if (inFlight === undefined) return undefined;
  const [delivery] = await store.read([keys.delivery(companyId, inFlight.deliveryId)]);
  return delivery && parseDelivery(delivery);
}

/** A delivery that leaves an endpoint's backlog and may not go out then waits in another backlog. */
function mayRelease(name: BacklogName, settings: WebhookSettings): boolean {
  if (name === 'company') return settings.heldSince === undefined;
  const type = webhookTypes.find((known) => typeBacklog(known) === name);
  return type === undefined || addressOf({ type }, settings) !== undefined;
}

/** A delivery is in flight until the outcome of its attempt is recorded. */
function isInFlight({ releasedFrom, status, dispatch }: Delivery, { name, inFlight }: Backlog): boolean {
  return status === 'PENDING' && releasedFrom?.backlog === name && dispatch >= (inFlight?.dispatch ?? 0);
}

/** The next probe: after the backoff, or at once when the last one took another way. */
async function probe(
  deps: BacklogDeps,
  backlog: Backlog,
  of: { readonly open: OpenCircuit; readonly last: Delivery | undefined; readonly candidate: Delivery | undefined },
): Promise<boolean> {
  const now = deps.now();
  const hasFailed = of.last !== undefined && (of.last.backlog === backlog.name || of.last.status === 'FAILED');
  const open = hasFailed ? { ...of.open, probes: of.open.probes + 1 } : of.open;
  const isDetour = of.last !== undefined && !hasFailed;
  const notBefore = isDetour ? now : laterOf(nextProbeAt(open, deps.rules), now);
  const mayBeLast = notBefore >= nextLastAttemptAt(open, deps.rules);
  const delivery = await findProbe(deps, backlog, { candidate: of.candidate, mayBeLast });
  const { inFlight: _inFlight, ...rest } = backlog;
  const known = { ...rest, open };
  if (hasFailed) deps.onBacklog({ kind: 'probe-failed', backlog: known });
  if (delivery !== undefined) return dispatchReleased(deps, known, { delivery, notBefore, isProbe: true });
  return lookAgain(deps, known, plusSeconds(notBefore, longestProbeDelay(deps.rules)));
}

/** One transaction of delivery, dispatch and backlog: it knows what is in flight, and nothing goes out twice. */
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
  const writes = [...dispatchWrites({ delivery, notBefore, at: now }), backlogPut(next, now)];
  const outcome = await deps.store.write(writes, deps.newId());
  if (outcome.ok) deps.onBacklog({ kind: 'delivery-released', backlog: next });
  return outcome.ok;
}

async function lookAgain(deps: ReleaseDeps, backlog: Backlog, dueAt: Instant): Promise<boolean> {
  return (await writeBacklog(deps.store, changeBacklog(backlog, { dueAt }), deps.now())).ok;
}

/** No delivery waits, or none may go out: the next change of that writes the backlog again. */
async function endRelease(deps: ReleaseDeps, backlog: Backlog): Promise<boolean> {
  const next = changeBacklog(backlog, { releasedAt: undefined, inFlight: undefined, dueAt: undefined });
  return (await writeBacklog(deps.store, next, deps.now())).ok;
}

/**
 * The backlogs that new settings release: of the types that became active, and of active endpoints that the circuit
 * had disabled. Marks in the settings which endpoints fail.
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
 * Releases the first delivery of each backlog, as `releasesOf` says and the table now holds: the sweep does the rest.
 */
export async function beginReleases(
  deps: ReleaseDeps,
  { settings, released }: ReturnType<typeof releasesOf>,
): Promise<void> {
  for (const backlog of released)
    await orLeaveToSweep('release left to the sweep', settings.companyId, async () => {
      const inFlight = await readInFlight(deps.store, backlog);
      await releaseFirst(deps, { backlog, isReleasable: mayRelease(backlog.name, settings), inFlight });
    });
}

/** Runs a step that the sweep repeats: while the table is unavailable it logs `what` and leaves the step. */
export async function orLeaveToSweep(what: string, companyId: string, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    log('warn', what, { companyId, ...errorFields(error) });
  }
}
