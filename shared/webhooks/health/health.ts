import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { BacklogName, CircuitName, Delivery, PausedReason } from '#shared/platform/outbox/delivery.ts';
import { parseCircuitName, typeBacklog, webhookTypes } from '#shared/platform/outbox/delivery.ts';
import { BacklogNameShape } from '#shared/platform/outbox/delivery-items.ts';
import type { Members } from '#shared/platform/table/parse.ts';
import type { CallResult } from '../deliveries/states.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf } from '../settings.ts';
import type { Admission, Circuit, CircuitRules, CountInUse, Failures } from './circuit.ts';
import { afterFailure, afterProbe, afterSuccess, alive, asOf, beginCount, isAlive, isBusy } from './circuit.ts';
import { circuitStates, isCounting, isOver, isStopping, markBusy, originOf } from './circuit.ts';

const text = z.string();
const named = {
  name: z.custom<CircuitName>((name) => typeof name === 'string' && parseCircuitName(name) !== undefined),
  url: text,
};
const countInUse = z.object({ id: text, until: text } satisfies Members<CountInUse>);
const failing = { failingSince: text, reason: text };
const CircuitShape: z.ZodType<Circuit> = z.discriminatedUnion('state', [
  z.object({ ...named, state: z.enum(['CLOSED', 'BUSY']), until: text, counted: countInUse.exactOptional() }),
  z.object({
    ...named,
    ...failing,
    state: z.literal('OPEN'),
    since: text,
    probes: z.int(),
    probeAt: text,
    probedAt: text,
  }),
  z.object({ ...named, state: z.literal('HALF_OPEN'), since: text }),
  z.object({
    ...named,
    state: z.literal('HELD'),
    since: text,
    by: z.enum(['OPERATOR', 'CIRCUIT']),
    failingSince: text.exactOptional(),
    reason: text.exactOptional(),
  }),
]);

/** A backlog that the drain sends. An index lists its deliveries by this name. */
const BacklogShape = z.object({
  name: BacklogNameShape,
  /** Since then a drain has found nothing to do in it. A later drain that finds nothing either removes it. */
  emptySince: text.exactOptional(),
  /** When a subscription left the address of this backlog. A drain searches the backlog for its deliveries. */
  readdressedAt: text.exactOptional(),
  /** Since then deliveries wait in it although its endpoint answers. */
  behindSince: text.exactOptional(),
  /** Deliveries that left it in the last minute of a drain. */
  perMinute: z.number().exactOptional(),
});
export type DrainedBacklog = Readonly<z.output<typeof BacklogShape>>;

/** The circuits of a company that are not healthy, and its drain: one item, read at every attempt. */
export const HealthShape = z.object({
  companyId: z.string(),
  /** Every write raises it. */
  version: z.int(),
  circuits: z.array(CircuitShape).readonly(),
  backlogs: z.array(BacklogShape).readonly(),
  /** The drain at work. After `until` its worker counts as dead. */
  lease: z.object({ id: z.string(), until: z.string() }).exactOptional(),
  /** When the next drain begins, while none is at work. */
  drainAt: z.string().exactOptional(),
  /** Number of requested drains. The message of an earlier drain is stale. */
  drains: z.int(),
});
export type CompanyHealth = Readonly<z.output<typeof HealthShape>>;

export function newHealth(companyId: string): CompanyHealth {
  return { companyId, version: 0, circuits: [], backlogs: [], drains: 0 };
}

/** The most circuits, and the greatest total length of their addresses: the item is read at every attempt. */
const maxCircuits = 64;
const maxUrlsLength = 20_000;
/** Number of slow addresses and origins from which the drain makes all calls of their company. */
const busyCircuitsLimit = 16;
/** Ranks circuits by severity, origins above addresses. The lowest rank, and of equals the oldest, is dropped first. */
const rankOf = ({ state, name }: Circuit): number =>
  2 * circuitStates.indexOf(state) + (name.startsWith('origin:') ? 1 : 0);
/** Longest delay of the queue, seconds: a drain that is due later begins early, and asks for another. */
export const longestWaitSeconds = 900;

/** The name of the circuit of an address. 128 bits: no two of a company share a hash, and the key stays short. */
export function addressCircuit(address: string): CircuitName {
  return `address:${hashOf(address)}`;
}

export function originCircuit(address: string): CircuitName {
  return `origin:${hashOf(originOf(address))}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The circuit of an address and that of its origin, as far as they have records. */
export function circuitsOf({ circuits }: Pick<CompanyHealth, 'circuits'>, address: string): readonly Circuit[] {
  if (circuits.length === 0) return [];
  const names = [addressCircuit(address), originCircuit(address)];
  return names.flatMap((name) => circuits.find((circuit) => circuit.name === name) ?? []);
}

const isHolding = ({ state }: Circuit): boolean => state === 'HELD';

/** Returns the circuit with the highest rank. */
export function worstOf(circuits: readonly Circuit[]): Circuit | undefined {
  return circuits.toSorted((a, b) => rankOf(b) - rankOf(a))[0];
}

/**
 * Decides whether a delivery may be sent. An open circuit defers deliveries without an attempt; the others keep their
 * backoff, unless the endpoint hangs. A busy circuit defers both.
 */
export function admit(
  { target, attempts, claim }: Pick<Delivery, 'target' | 'attempts' | 'claim'>,
  settings: Pick<WebhookSettings, 'events' | 'heldSince'>,
  health: Pick<CompanyHealth, 'circuits'>,
  now: Instant,
): Admission {
  const owningBacklog = (circuit?: Circuit): BacklogName =>
    'type' in target ? typeBacklog(target.type) : (circuit?.name ?? 'company');
  const endpoint = addressOf(target, settings);
  if (settings.heldSince !== undefined || endpoint === undefined) return { to: 'hold', backlog: owningBacklog() };
  const circuits = circuitsOf(health, endpoint);
  const held = circuits.find(isHolding);
  if (held !== undefined) return { to: 'hold', backlog: owningBacklog(held), by: held };
  const hasBegun = attempts.length > 0 || claim !== undefined;
  const stopping = circuits.filter((circuit) => isStopping(circuit, hasBegun, now));
  const isBusyLimitReached = health.circuits.filter((circuit) => isBusy(circuit, now)).length >= busyCircuitsLimit;
  // Otherwise each of many slow hosts would have a backlog of its own, and occupy a worker.
  const backlog = owningBacklog(isBusyLimitReached ? stopping.find(({ state }) => state !== 'BUSY') : stopping[0]);
  const isStopped = stopping.length > 0 || isBusyLimitReached;
  return isStopped ? { to: 'defer', endpoint, stopping, backlog } : { to: 'endpoint', endpoint, backlog };
}

/** Returns why a delivery waits in a backlog for its endpoint. A `HELD` one has a reason once its hold has ended. */
export function pausedReasonOf(
  { status, backlog, target }: Delivery,
  settings: Pick<WebhookSettings, 'events' | 'heldSince'>,
  health: CompanyHealth,
): PausedReason | undefined {
  if (backlog === undefined) return undefined;
  const address = addressOf(target, settings);
  const circuits = address === undefined ? [] : circuitsOf(health, address);
  const isHeld = address === undefined || settings.heldSince !== undefined || circuits.some(isHolding);
  if (status !== 'PENDING' && (status !== 'HELD' || isHeld)) return undefined;
  return circuits.some(({ state }) => state === 'OPEN') ? 'ENDPOINT_FAILING' : 'ENDPOINT_BUSY';
}

/** Returns how a call counts for its address and its origin; undefined when it does not count. */
export function circuitOutcomesOf(result: CallResult): {
  readonly address: 'good' | 'bad' | undefined;
  readonly origin: 'good' | 'bad';
  readonly reason: string;
} {
  const { outcome, httpStatus, error = 'STATUS', isUnreached = false } = result;
  const reason = httpStatus === undefined ? error : `HTTP ${httpStatus}`;
  if (outcome === 'DELIVERED') return { address: 'good', origin: 'good', reason };
  if (isUnreached) return { address: undefined, origin: 'bad', reason };
  return { address: 'bad', origin: httpStatus !== undefined || error === 'INVALID_RESPONSE' ? 'good' : 'bad', reason };
}

/** The two circuits that a call counts for. */
export const circuitKinds = ['address', 'origin'] as const;
type CircuitKind = (typeof circuitKinds)[number];

/** A call that has ended. `isProbe`: the drain sent it to learn whether the endpoint answers again. */
export type EndedCall = {
  /** Different for each call. */
  readonly id: string;
  readonly delivery: Pick<Delivery, 'attempts'>;
  readonly endpoint: string;
  readonly at: Instant;
  readonly result: CallResult;
  readonly isProbe: boolean;
};

/** The count of a call: the failures including it, or the count that has ended with it. */
export type Counted = Readonly<
  Partial<Record<CircuitKind, { readonly failures?: Failures; readonly endedCount?: string }>>
>;

/**
 * Returns the circuit for which a failed call counts, as it is now; undefined where the call does not count. A call
 * that failed before the request was sent counts for the origin, an error response for the address. A connected call
 * without a response counts for the address, and for the origin unless the origin has answered within the last minute.
 */
export function countingCircuit(
  health: Pick<CompanyHealth, 'circuits'>,
  kind: CircuitKind,
  { endpoint, result }: Pick<EndedCall, 'endpoint' | 'result'>,
  now: Instant,
): Extract<Circuit, { state: 'CLOSED' | 'BUSY' }> | undefined {
  const current = circuitAt(health, kind, endpoint, now);
  const isAnswered = kind === 'origin' && result.isUnreached !== true && isAlive(current, now);
  return isCounting(current) && !isAnswered ? current : undefined;
}

/** Begins a count of the failed calls to an address or an origin, as `beginCount`, which defines `endedCountId`. */
export function beginCounting(
  health: CompanyHealth,
  kind: CircuitKind,
  { id, endpoint }: Pick<EndedCall, 'id' | 'endpoint'>,
  now: Instant,
  endedCountId?: string,
): CompanyHealth {
  return changeCircuit(health, kind, endpoint, true, now, (current) => beginCount(current, id, now, endedCountId));
}

/**
 * Returns the health after a call; the same health when nothing changes. A successful call usually writes nothing, and
 * of many concurrent failures only one writes.
 */
export function afterCall(
  health: CompanyHealth,
  { endpoint, result, isProbe }: Pick<EndedCall, 'endpoint' | 'result' | 'isProbe'>,
  counted: Counted,
  now: Instant,
  rules: CircuitRules,
): CompanyHealth {
  const { reason, ...outcomes } = circuitOutcomesOf(result);
  return circuitKinds.reduce((known, kind) => {
    const outcome = outcomes[kind];
    if (outcome === undefined) return known;
    return changeCircuit(known, kind, endpoint, false, now, (current) => {
      if (outcome === 'bad')
        return isProbe && current.state === 'OPEN'
          ? afterProbe(current, reason, now, rules)
          : afterFailure(current, counted[kind]?.failures, reason, now, rules);
      const isCounted = current.state === 'CLOSED' && current.counted !== undefined;
      const circuit = kind === 'origin' && isCounted ? alive(current, now) : current;
      return afterSuccess(circuit, counted[kind]?.endedCount, now);
    });
  }, health);
}

/**
 * Returns the health during a slow call. `isConnected`: the request is on its way. Then the address becomes `BUSY`, and
 * the origin unless it has answered within the last minute. A call that is not connected makes only the origin `BUSY`.
 */
export function afterSlow(health: CompanyHealth, endpoint: string, isConnected: boolean, now: Instant): CompanyHealth {
  const next = isConnected
    ? changeCircuit(health, 'address', endpoint, true, now, (circuit) => markBusy(circuit, now))
    : health;
  return changeCircuit(next, 'origin', endpoint, true, now, (circuit) =>
    isConnected && isAlive(circuit, now) ? circuit : markBusy(circuit, now),
  );
}

/** Returns the health after a quick answer: a busy origin is closed, because only one of its addresses is slow. */
export function afterQuick(health: CompanyHealth, endpoint: string, now: Instant): CompanyHealth {
  return changeCircuit(health, 'origin', endpoint, false, now, (circuit) =>
    circuit.state === 'BUSY' ? alive(circuit, now) : circuit,
  );
}

/**
 * Changes the circuit of an address or of its origin, and creates its record if `isNew`. Returns the same health when
 * the circuit stays the same. A change to undefined removes the record.
 */
export function changeCircuit(
  health: CompanyHealth,
  kind: CircuitKind,
  address: string,
  isNew: boolean,
  now: Instant,
  change: (current: Circuit) => Circuit | undefined,
): CompanyHealth {
  const name = kind === 'address' ? addressCircuit(address) : originCircuit(address);
  const found = health.circuits.find((circuit) => circuit.name === name);
  if (found === undefined && !isNew) return health;
  const current = circuitAt(health, kind, address, now);
  const changed = change(current);
  if (changed === current) return health;
  const next = changed === undefined || isOver(changed, now) ? undefined : changed;
  if (found === undefined && next === undefined) return health;
  const others = health.circuits.filter((circuit) => circuit !== found && !isOver(circuit, now));
  const circuits = next === undefined ? others : bounded([...others, next]);
  // Nothing changes when the new circuit is dropped because the others are worse.
  const isChanged = found !== undefined || (next !== undefined && circuits.includes(next));
  return isChanged ? { ...health, circuits } : health;
}

/** The circuit of an address or of its origin as it is now: without a record a closed one. */
function circuitAt(
  { circuits }: Pick<CompanyHealth, 'circuits'>,
  kind: CircuitKind,
  address: string,
  now: Instant,
): Circuit {
  const name = kind === 'address' ? addressCircuit(address) : originCircuit(address);
  const found = circuits.find((circuit) => circuit.name === name);
  if (found !== undefined && !isOver(found, now)) return asOf(found, now);
  return { name, url: kind === 'address' ? address : originOf(address), state: 'CLOSED', until: now };
}

function bounded(circuits: readonly Circuit[]): readonly Circuit[] {
  const isTooMuch = (list: readonly Circuit[]): boolean =>
    list.length > maxCircuits || list.reduce((sum, { url }) => sum + url.length, 0) > maxUrlsLength;
  if (!isTooMuch(circuits)) return circuits;
  const kept = circuits.toSorted((a, b) => rankOf(a) - rankOf(b));
  while (isTooMuch(kept)) kept.shift();
  return kept;
}

/** Seconds. A drain that begins at most this long after the requested time needs no earlier one. */
const nearSeconds = 1;

/**
 * Requests a drain of these backlogs at a time, unless one is at work or begins by then. When it returns the same
 * health, a delivery may join one of the backlogs without a write of the health.
 */
export function askForDrain(
  health: CompanyHealth,
  names: readonly BacklogName[],
  at: Instant,
  now: Instant,
): CompanyHealth {
  const listed = health.backlogs.filter(({ emptySince }) => emptySince === undefined);
  const missing = [...new Set(names)].filter((wanted) => !listed.some(({ name }) => name === wanted));
  const isAtWork = health.lease !== undefined && health.lease.until > now;
  const isAsked = isAtWork || (health.drainAt !== undefined && health.drainAt <= plusSeconds(at, nearSeconds));
  if (missing.length === 0 && isAsked) return health;
  const others = health.backlogs.filter(({ name }) => !missing.includes(name));
  const asked = missing.map((name) => {
    const { emptySince: _, ...known } = health.backlogs.find((backlog) => backlog.name === name) ?? { name };
    return known;
  });
  const next = { ...health, backlogs: [...others, ...asked] };
  return isAsked ? next : drainNext(next, at);
}

/**
 * Requests a drain that searches the backlogs of an address which a subscription leaves. Returns the same health when
 * nothing can wait for that address: neither the address nor its origin has a circuit or a backlog.
 */
export function askForSearch(health: CompanyHealth, left: string, now: Instant): CompanyHealth {
  const names = new Set<BacklogName>([addressCircuit(left), originCircuit(left)]);
  const isOfAddress = ({ name }: { readonly name: BacklogName }): boolean => names.has(name);
  const wanted = [...health.circuits, ...health.backlogs].filter(isOfAddress).map(({ name }) => name);
  if (wanted.length === 0) return health;
  const asked = askForDrain(health, wanted, now, now);
  const backlogs = asked.backlogs.map((backlog) =>
    wanted.includes(backlog.name) ? { ...backlog, readdressedAt: now } : backlog,
  );
  return { ...asked, backlogs };
}

/** Sets the time of the next drain, and frees the lease. The write of the health also writes the drain's message. */
export function drainNext({ lease: _, ...health }: CompanyHealth, at: Instant): CompanyHealth {
  return { ...health, drainAt: at, drains: health.drains + 1 };
}

/** Returns every backlog of a company; with an address those of the address, its origin, and types at that origin. */
export function backlogsFor(
  { events }: Pick<WebhookSettings, 'events'>,
  address: string | undefined,
  health: Pick<CompanyHealth, 'circuits'> = { circuits: [] },
): readonly BacklogName[] {
  if (address === undefined)
    return ['company', ...webhookTypes.map(typeBacklog), ...health.circuits.map(({ name }) => name)];
  const hasSameOrigin = ({ endpoint }: { readonly endpoint: string }): boolean =>
    originOf(endpoint) === originOf(address);
  return [
    ...events.filter(hasSameOrigin).map(({ type }) => typeBacklog(type)),
    addressCircuit(address),
    originCircuit(address),
  ];
}
