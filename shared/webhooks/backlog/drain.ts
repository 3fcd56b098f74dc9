import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { BacklogName } from '#shared/platform/outbox/delivery.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { countedFailures } from '../deliveries/states.ts';
import type { AttemptFacts } from '../deliveries/store.ts';
import { readForAttempts } from '../deliveries/store.ts';
import type { DrainMessage } from '../dispatch/queue.ts';
import { circuitsOf } from '../health/health.ts';
import { advance, asMarked, begin, finish } from './lease.ts';
import type { Reader, Waiting } from './reader.ts';
import { fill, isIdle, newReader } from './reader.ts';
import type { DrainDeps, DrainRun } from './run.ts';
import { circuitsOfBacklog, roomAt, roomFor } from './run.ts';
import { searchAt } from './search.ts';
import { prolongBusy, stepOf } from './step.ts';

/** Deliveries of one read, each with its bytes: BatchGetItem takes 100 keys. */
const readAtOnce = 45;
/** Milliseconds. No round begins with less time left: a call and its record take as long. */
const stopsAtMs = 20_000;
const roundMs = 50;
const pollMs = 500;
/** Seconds with nothing to do, after which a drain ends. */
const idleSeconds = 7;

/** Result of a round: calls or writes (`acted`), only reads (`looked`, as of a held backlog), or neither. */
type Round = 'acted' | 'looked' | 'idle';

/**
 * Drains the backlogs of a company: calls the waiting deliveries, oldest first, as many concurrently as each endpoint
 * takes. A lease ensures that a company has only one drain at work. The drain ends when nothing is left to do now, and
 * sets when the next one begins.
 * @throws StoreUnavailable, CorruptItem: after the end of its lease the sweep requests another drain
 */
export async function drain(message: DrainMessage, deps: DrainDeps): Promise<void> {
  const run = await begin(message, deps);
  if (run === undefined) return;
  try {
    await goRound(run, deps);
  } finally {
    await Promise.all(run.calls);
    delete run.shownAt;
    if (run.shown.length > 0) await advance(run, deps);
  }
}

async function goRound(run: DrainRun, deps: DrainDeps): Promise<void> {
  let idleSince: Instant | undefined;
  while (deps.remainingMs() > stopsAtMs) {
    const looked = await tryRound(run, deps);
    if (looked === 'not mine') return;
    const hasNoWork = (looked === 'idle' || looked === 'looked') && run.calls.size === 0;
    idleSince = hasNoWork ? (idleSince ?? deps.now()) : undefined;
    if (idleSince !== undefined && isOver(run, idleSince, deps)) break;
    await deps.sleep(looked === 'acted' || looked === 'looked' || run.calls.size > 0 ? roundMs : pollMs);
  }
  // The next drain begins while the last calls of this one end.
  await finish(run, deps);
}

/** Runs a round. While the table cannot be reached, the open calls go on, and the next round tries again. */
async function tryRound(run: DrainRun, deps: DrainDeps): Promise<Round | 'unavailable' | 'not mine'> {
  try {
    await advance(run, deps);
    if (run.health.lease?.id !== run.leaseId) return 'not mine';
    const rounds = [...(await lookAtAll(run, deps)), ...(await search(run, deps))];
    return (['acted', 'looked'] as const).find((did) => rounds.includes(did)) ?? 'idle';
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    log('warn', 'Cannot finish a round of a drain', { companyId: run.health.companyId, ...errorFields(error) });
    return 'unavailable';
  }
}

/** Whether nothing is left to do now: each backlog waits for a time, or is empty and stays so. */
function isOver(run: DrainRun, idleSince: Instant, deps: DrainDeps): boolean {
  const hasStayedSo = plusSeconds(idleSince, idleSeconds) <= deps.now();
  if (run.health.circuits.some(({ state }) => state === 'HALF_OPEN')) return false;
  return run.health.backlogs.every((backlog) => {
    const { name, emptySince } = asMarked(run, backlog);
    const searched = searchAt(backlog, run.searches.get(name), deps.now());
    const reader = run.readers.get(name);
    // A search goes on to its end, even if the backlog is stopped: another drain would begin it anew.
    if (reader === undefined || (searched !== undefined && searched <= deps.now())) return false;
    const isKnown = reader.until !== undefined || emptySince !== undefined || hasStayedSo;
    return roomFor(run, name, deps) === 0 || (isIdle(reader) && isKnown);
  });
}

/**
 * Returns the backlogs, a random one first, so that none takes all of the company's calls. Of an origin whose circuit
 * is open those come last whose address is slow or fails: it may do so alone, and then is no probe of its origin.
 */
function inTurn(run: DrainRun, deps: DrainDeps): readonly BacklogName[] {
  const names = run.health.backlogs.map(({ name }) => name);
  const first = Math.floor(deps.random() * names.length);
  const turns = [...names.slice(first), ...names.slice(0, first)].map((name) => {
    const circuits = circuitsOfBacklog(run, name);
    const origin = circuits.find((circuit) => circuit.name.startsWith('origin:') && circuit.state === 'OPEN')?.name;
    const isOwn = circuits.some((circuit) => circuit.name.startsWith('address:') && circuit.state !== 'CLOSED');
    return { name, origin, rank: Number(isOwn) };
  });
  const groups = Map.groupBy(turns, ({ origin }) => origin);
  for (const [origin, group] of groups) if (origin !== undefined) group.sort((a, b) => a.rank - b.rank);
  return turns.flatMap(({ origin }) => groups.get(origin)?.shift()?.name ?? []);
}

/** Reads every backlog once, and begins the calls and writes that follow. */
async function lookAtAll(run: DrainRun, deps: DrainDeps): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (const name of inTurn(run, deps)) {
    const reader = run.readers.get(name) ?? newReader(name);
    run.readers.set(name, reader);
    const capacity = Math.min(readAtOnce, roomFor(run, name, deps));
    // A single call may be a probe. It is chosen from several deliveries: the one with the most attempts left.
    const count = capacity === 1 ? readAtOnce : capacity;
    if (capacity > 0) await fill(reader, deps.store, run.health.companyId, count, deps.now());
    if (capacity > 0 && reader.ids.length > 0) rounds.push(await work(run, reader, capacity, deps));
    if (capacity > 0 && reader.ids.length === 0) continue;
    for (const circuit of circuitsOfBacklog(run, name))
      if (circuit.name.startsWith('address:')) prolongBusy(run, 'address', circuit.url);
  }
  return rounds;
}

/** Searches backlogs once for deliveries whose address has changed meanwhile. */
async function search(run: DrainRun, deps: DrainDeps): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (const backlog of run.health.backlogs) {
    const { name } = backlog;
    const now = deps.now();
    const at = searchAt(backlog, run.searches.get(name), now);
    const capacity = Math.min(readAtOnce, deps.limits.perCompany - run.calls.size);
    if (at === undefined || at > now || capacity <= 0) continue;
    const reader = run.searches.get(name) ?? newReader(name, true);
    run.searches.set(name, reader);
    await fill(reader, deps.store, run.health.companyId, readAtOnce, now);
    if (reader.ids.length > 0) rounds.push(await work(run, reader, capacity, deps));
  }
  return rounds;
}

/** Reads some deliveries of a backlog, and handles each as its time, its endpoint and the open calls allow. */
async function work(run: DrainRun, reader: Reader, capacity: number, deps: DrainDeps): Promise<Round> {
  const isProbe = capacity === 1 && run.health.circuits.some(({ state }) => state === 'OPEN');
  const stay = waitingWithoutRoom(run, reader, deps.now());
  const places = new Map(reader.ids.map((id, place) => [id, place]));
  const ids = reader.ids.filter((id) => !stay.ids.has(id)).slice(0, isProbe ? readAtOnce : capacity);
  const facts = await readAll(ids, run.health.companyId, deps);
  const kept = new Set<string>();
  const writes: Promise<void>[] = [];
  const subjects = new Set(run.subjects);
  let begun = 0;
  for (const fact of isProbe ? facts.toSorted((a, b) => chargesOf(a) - chargesOf(b)) : facts) {
    const { delivery } = fact;
    if (delivery === undefined) continue;
    const first = stay.firstOf.get(delivery.resource.id);
    const isLater = first !== undefined && first.place < (places.get(delivery.id) ?? 0);
    if (isLater) reader.waiting.set(delivery.id, first);
    const isBehind = isLater || subjects.has(delivery.resource.id) || begun >= capacity;
    const step = isBehind ? 'no room' : stepOf(run, reader, delivery, fact, deps);
    if (step instanceof Promise) writes.push(step);
    if (step === 'no room') kept.add(delivery.id);
    if (step === 'called') begun += 1;
    if (step === 'called' || step === 'no room') subjects.add(delivery.resource.id);
  }
  // Removed only after the read: if that fails, the next round reads these deliveries again.
  const ended = new Set(ids.filter((id) => !kept.has(id)));
  reader.ids = reader.ids.filter((id) => !ended.has(id));
  for (const id of ended) reader.waiting.delete(id);
  await Promise.all(writes);
  if (begun + writes.length > 0) return 'acted';
  return kept.size < ids.length ? 'looked' : 'idle';
}

/**
 * Returns the deliveries of a reader that stay where they are, because their address or origin has no room for them,
 * and the first of each subject. Those of an address that is held or whose circuit is open are read again: they may
 * leave.
 */
function waitingWithoutRoom(run: DrainRun, reader: Reader, now: Instant) {
  const ids = new Set<string>();
  const firstOf = new Map<string, Waiting & { readonly place: number }>();
  const rooms = new Map<string, number>();
  const roomOf = (endpoint: string): number => {
    const circuits = circuitsOf(run.health, endpoint);
    if (circuits.some(({ state }) => state === 'HELD' || state === 'OPEN')) return Infinity;
    const { address, origin } = roomAt(run, endpoint, circuits, now);
    return Math.min(address, origin);
  };
  if (run.settings.heldSince !== undefined) return { ids, firstOf };
  for (const [place, id] of reader.ids.entries()) {
    const waits = reader.waiting.get(id);
    if (waits === undefined) continue;
    const room = rooms.get(waits.endpoint) ?? roomOf(waits.endpoint);
    rooms.set(waits.endpoint, room - 1);
    if (room > 0 && !firstOf.has(waits.subject)) continue;
    ids.add(id);
    if (!firstOf.has(waits.subject)) firstOf.set(waits.subject, { ...waits, place });
  }
  return { ids, firstOf };
}

/** Reads deliveries; an unreadable one does not stop the others. */
async function readAll(ids: readonly string[], companyId: string, { store }: DrainDeps): Promise<AttemptFacts[]> {
  const keys = ids.map((deliveryId) => ({ companyId, deliveryId }));
  const factsOf = await readForAttempts(store, keys);
  return keys.flatMap((key) => {
    try {
      return [factsOf(key)];
    } catch (error) {
      log('error', 'Cannot read a delivery of a backlog', { ...key, ...errorFields(error) });
      return [];
    }
  });
}

function chargesOf({ delivery }: AttemptFacts): number {
  return delivery === undefined ? 0 : countedFailures(delivery);
}
