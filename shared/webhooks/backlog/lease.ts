import type { Instant } from '#shared/core/brasilia-time.ts';
import { millisecondsBetween, plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { DrainMessage } from '../dispatch/queue.ts';
import { laterOf } from '../deliveries/states.ts';
import type { Circuit } from '../health/circuit.ts';
import { hasFailedTooLong, isOver, openCircuit } from '../health/circuit.ts';
import type { CompanyHealth, DrainedBacklog } from '../health/health.ts';
import { drainNext, longestWaitSeconds } from '../health/health.ts';
import { disableEndpoint, readEndpoints, writeEndpoints } from '../health/operations.ts';
import { changeHealth } from '../health/store.ts';
import { hasRelapsed } from './capacity.ts';
import { hasCaughtUp, isIdle } from './reader.ts';
import type { DrainDeps, DrainRun } from './run.ts';
import { circuitsOfBacklog, gateOf, roomFor } from './run.ts';
import { searchAt } from './search.ts';

/**
 * Seconds of a lease, after which another drain replaces a dead worker. A drain renews its lease once at most
 * `renewsBeforeSeconds` are left.
 */
const drainLeaseSeconds = 60;
const renewsBeforeSeconds = 50;
/** Seconds until a drain reads an empty or held backlog again: the index shows late which deliveries joined. */
const emptyLookSeconds = 5;
/** Seconds until an empty backlog is forgotten: a notifier with an older health may still let a delivery join. */
const emptySettlesSeconds = 120;
/** Seconds between reads of health and settings. */
const readEverySeconds = 1;
/** Interval at which results of calls are written together; those of a probe are written immediately. */
const shownEveryMs = 200;

/** Takes the lease. Undefined for a stale message, and while another drain is at work. */
export async function begin({ companyId, drain }: DrainMessage, deps: DrainDeps): Promise<DrainRun | undefined> {
  const known = await readEndpoints(deps.store, companyId);
  const leaseId = deps.newId();
  const health = await changeHealth(deps, known.health, (current, now) => {
    const isTaken = current.lease !== undefined && current.lease.until > now;
    if (isTaken || drain !== current.drains) return current;
    const { drainAt: _, ...rest } = current;
    return { ...rest, lease: { id: leaseId, until: plusSeconds(now, drainLeaseSeconds) } };
  });
  if (health.lease?.id !== leaseId) return undefined;
  return {
    leaseId,
    health,
    settings: known.settings,
    readAt: deps.now(),
    gates: new Map(),
    readers: new Map(),
    searches: new Map(),
    subjects: new Set(),
    calls: new Set(),
    shown: [],
    drained: 0,
  };
}

/** Updates the health with the results of the calls, in one write, and renews the lease. */
export async function advance(run: DrainRun, deps: DrainDeps): Promise<void> {
  if (secondsBetween(run.readAt, deps.now()) >= readEverySeconds)
    Object.assign(run, await readEndpoints(deps.store, run.health.companyId), { readAt: deps.now() });
  const isDue = run.shownAt === undefined || millisecondsBetween(run.shownAt, deps.now()) >= shownEveryMs;
  const shown = isDue ? [...run.shown] : [];
  if (isDue) run.shownAt = deps.now();
  const { lease } = run.health;
  run.health = await changeHealth(deps, run.health, (current, now) => {
    const known = shown.reduce((health, change) => change(health, now), current);
    const next = throughGates(run, known, now, deps);
    return current.lease?.id === run.leaseId ? renewed(run, next, current, now) : next;
  });
  // Removed only after the write: if that fails, the next one has these results again.
  run.shown.splice(0, shown.length);
  if (lease?.until !== run.health.lease?.until) report(run, deps);
  for (const circuit of run.health.circuits)
    if (hasFailedTooLong(circuit, deps.now(), deps.rules)) await disable(run, circuit, deps);
}

/**
 * Reports how many deliveries left, and how long the oldest has waited for an endpoint that responds. Deliveries for
 * other endpoints wait for a reason that is seen elsewhere.
 */
function report(run: DrainRun, { now, onDrain }: DrainDeps): void {
  const ages = run.health.backlogs.flatMap(({ name, behindSince }) => {
    const oldestAt = run.readers.get(name)?.oldestAt;
    return behindSince === undefined ? [] : [secondsBetween(laterOf(oldestAt, behindSince), now())];
  });
  onDrain({ drained: run.drained, oldestSeconds: Math.max(0, ...ages) });
  run.drained = 0;
}

/**
 * Returns the health with the half-open circuits as this drain knows them: failed again, or closed because all backlogs
 * caught up.
 */
function throughGates(run: DrainRun, health: CompanyHealth, now: Instant, { rules }: DrainDeps): CompanyHealth {
  const circuits = health.circuits.flatMap((circuit): Circuit[] => {
    const gate = gateOf(run, circuit.name, circuit);
    // When the endpoint responds again, it begins with one call.
    if (circuit.state === 'OPEN') Object.assign(gate, { window: 1, failures: 0 });
    if (circuit.state !== 'HALF_OPEN') return [circuit];
    const { failingSince = now, reason = 'STATUS' } = gate;
    if (hasRelapsed(gate)) return [openCircuit(circuit, { now, failingSince, reason }, rules)];
    const stopped = health.backlogs.filter(({ name }) =>
      circuitsOfBacklog(run, name).some(({ name }) => name === circuit.name),
    );
    const readers = stopped.map(({ name }) => run.readers.get(name));
    return readers.every((reader) => reader && hasCaughtUp(reader, circuit.since)) ? [] : [circuit];
  });
  const isSame =
    circuits.length === health.circuits.length && circuits.every((circuit, at) => circuit === health.circuits[at]);
  return isSame ? health : { ...health, circuits };
}

function renewed(run: DrainRun, next: CompanyHealth, current: CompanyHealth, now: Instant): CompanyHealth {
  const { lease } = next;
  if (lease === undefined || (next === current && secondsBetween(now, lease.until) > renewsBeforeSeconds)) return next;
  const backlogs = next.backlogs.map((marked): DrainedBacklog => {
    const { behindSince = now, ...backlog } = asMarked(run, marked);
    const reader = run.readers.get(backlog.name);
    if (reader === undefined) return backlog;
    reader.left = reader.left.filter((at) => secondsBetween(at, now) <= 60);
    const isStopped = circuitsOfBacklog(run, backlog.name).some(({ state }) => state === 'OPEN' || state === 'HELD');
    const isBehind = !isIdle(reader) && !isStopped;
    return { ...backlog, perMinute: reader.left.length, ...(isBehind && { behindSince }) };
  });
  return { ...next, backlogs, lease: { ...lease, until: plusSeconds(now, drainLeaseSeconds) } };
}

/** Frees the lease, and sets when the next drain begins: at a probe, for late deliveries, or immediately. */
export async function finish(run: DrainRun, deps: DrainDeps): Promise<void> {
  report(run, deps);
  run.health = await changeHealth(deps, run.health, (current, now) => {
    if (current.lease?.id !== run.leaseId) return current;
    const looks = current.backlogs.map((backlog) => withSearch(run, backlog, nextLook(run, backlog, now, deps), now));
    const backlogs = looks.flatMap(({ backlog }) => backlog ?? []);
    const circuits = current.circuits.filter((circuit) => !isOver(circuit, now));
    const isCatchingUp = circuits.some(({ state }) => state === 'HALF_OPEN');
    const times = isCatchingUp ? [now] : looks.flatMap(({ at }) => at ?? []);
    const [soonest] = [...times, plusSeconds(now, longestWaitSeconds)].toSorted();
    const { lease: _, ...next } = { ...current, circuits, backlogs };
    return times.length === 0 || soonest === undefined ? next : drainNext(next, soonest);
  });
}

/** Returns a backlog without its mark of emptiness if this drain has found something in it: the index lagged. */
export function asMarked(run: DrainRun, backlog: DrainedBacklog): DrainedBacklog {
  return run.readers.get(backlog.name)?.hasFound === true ? unmarked(backlog) : backlog;
}

function unmarked({ emptySince: _, ...backlog }: DrainedBacklog): DrainedBacklog {
  return backlog;
}

/** When a backlog needs another look, and its entry until then; both absent when it needs none. */
type NextLook = { readonly backlog?: DrainedBacklog; readonly at?: Instant };

/** Returns the next look at a backlog, or at what its search has not seen. A search that has ended is removed. */
function withSearch(run: DrainRun, current: DrainedBacklog, look: NextLook, now: Instant): NextLook {
  const { name, readdressedAt } = current;
  const search = searchAt(current, run.searches.get(name), now);
  const { readdressedAt: _, ...backlog } = look.backlog ?? { name };
  if (search === undefined || readdressedAt === undefined)
    return look.backlog === undefined ? look : { ...look, backlog };
  const at = look.at === undefined || search < look.at ? search : look.at;
  return { backlog: { ...backlog, readdressedAt }, at };
}

/** Returns the next look at a backlog by what its reader has seen; empty for a backlog that is empty and stays so. */
function nextLook(run: DrainRun, current: DrainedBacklog, now: Instant, deps: DrainDeps): NextLook {
  const backlog = asMarked(run, current);
  const { name, emptySince } = backlog;
  const reader = run.readers.get(name);
  if (reader === undefined) return { backlog, at: now };
  if (!isIdle(reader)) {
    // Deliveries that were read but not begun remain: the backlog is not empty.
    const known = reader.ids.length > 0 ? unmarked(backlog) : backlog;
    if (roomFor(run, name, deps) > 0 || run.calls.size > 0) return { backlog: known, at: now };
    const probes = circuitsOfBacklog(run, name).flatMap((circuit) =>
      circuit.state === 'OPEN' ? [circuit.probeAt] : [],
    );
    return { backlog: known, at: probes.toSorted().at(-1) ?? now };
  }
  if (reader.until !== undefined) return { backlog, at: reader.until };
  if (emptySince === undefined) return { backlog: { name, emptySince: now }, at: plusSeconds(now, emptyLookSeconds) };
  // Marked by an earlier drain: a delivery that joined since then has removed the mark.
  const settledAt = plusSeconds(emptySince, emptySettlesSeconds);
  return settledAt <= now ? {} : { backlog, at: settledAt };
}

/** Disables an endpoint that failed for days, in one transaction. */
async function disable(run: DrainRun, circuit: Circuit, deps: DrainDeps): Promise<void> {
  const next = disableEndpoint(run, circuit, deps.now());
  if (await writeEndpoints(deps, run, next))
    Object.assign(run, await readEndpoints(deps.store, run.health.companyId), { readAt: deps.now() });
}
