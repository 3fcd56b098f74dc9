import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { CallResult } from '../deliveries/states.ts';
import { maxCountedFailures } from '#shared/platform/outbox/delivery.ts';
import { countedFailures, decideDrained } from '../deliveries/states.ts';
import type { AttemptFacts } from '../deliveries/store.ts';
import { writeDelivery, writeDispatch } from '../deliveries/store.ts';
import type { Attempt } from '../dispatch/call.ts';
import { callPartner } from '../dispatch/call.ts';
import { slowAfterMs } from '../dispatch/sender.ts';
import type { Circuit } from '../health/circuit.ts';
import { markBusy, mayProbeWithLast } from '../health/circuit.ts';
import { countCall } from '../health/count-call.ts';
import type { Counted, EndedCall } from '../health/health.ts';
import { admit, afterCall, afterQuick, afterSlow, askForDrain, changeCircuit } from '../health/health.ts';
import { circuitsOf, longestWaitSeconds, circuitOutcomesOf } from '../health/health.ts';
import { changeHealth } from '../health/store.ts';
import { closeCall, isAnswering, leave } from './capacity.ts';
import type { Reader } from './reader.ts';
import { keep, skip, waitUntil } from './reader.ts';
import type { DrainDeps, DrainRun } from './run.ts';
import { gatesOf, roomAt } from './run.ts';
import { isReaddressed } from './search.ts';

/** Result of a drain's step with a delivery of its backlog. */
type Step = 'called' | 'no room' | 'passed' | Promise<void>;

/** Handles a delivery: begins a call, writes, or neither for now. Only one of two concurrent drains can write. */
export function stepOf(run: DrainRun, reader: Reader, delivery: Delivery, facts: AttemptFacts, deps: DrainDeps): Step {
  const now = deps.now();
  const { settings = run.settings, health } = facts;
  const isElsewhere = isReaddressed(delivery.target, reader.name);
  if (reader.isSearch && !isElsewhere) return 'passed';
  // A delivery with attempts waits in the backlog like the others: no message carries it.
  const admission = admit({ target: delivery.target, attempts: [] }, settings, health, now);
  const circuits = admission.to === 'hold' ? [] : circuitsOf(health, admission.endpoint);
  const isProbed = circuits.some(({ state }) => state === 'OPEN' || state === 'HALF_OPEN');
  const drainFacts = { now, claimId: deps.newId(), admission, isProbed, isReaddressed: isElsewhere };
  const decision = decideDrained(delivery, reader.name, drainFacts);
  switch (decision.do) {
    case 'pass':
      waitUntil(reader, decision.until);
      return 'passed';
    case 'write':
      skip(reader, delivery.id, 'gone', now);
      return orLeave(reader, delivery, () => write(run, decision.delivery, deps));
    case 'dispatch':
      skip(reader, delivery.id, 'gone', now);
      return orLeave(reader, delivery, () => writeDispatch(deps.store, { ...decision, at: now, token: deps.newId() }));
    case 'call': {
      const isLast = countedFailures(decision.delivery) >= maxCountedFailures - 1;
      if (isLast && !circuits.every((circuit) => mayProbeWithLast(circuit, now, deps.rules))) {
        waitUntil(reader, plusSeconds(now, longestWaitSeconds));
        return 'passed';
      }
      if (!takeCapacity(run, decision.endpoint, circuits, deps)) {
        reader.waiting.set(delivery.id, { endpoint: decision.endpoint, subject: delivery.resource.id });
        return 'no room';
      }
      const attempt: Attempt = { ...decision, source: isProbed ? 'probe' : 'drain' };
      begin(run, reader, delivery, () => callOnce(run, reader, attempt, facts, deps), deps);
      return 'called';
    }
  }
}

/**
 * Writes a delivery that is marked as held, leaves the backlog, or moves to another backlog. A drain of that backlog is
 * requested first.
 */
async function write(run: DrainRun, delivery: Delivery, deps: DrainDeps): Promise<void> {
  const { backlog, status } = delivery;
  if (backlog !== undefined && status === 'PENDING')
    run.health = await changeHealth(deps, run.health, (health, now) => askForDrain(health, [backlog], now, now));
  const { ok } = await writeDelivery(deps.store, delivery);
  if (ok && status === 'HELD') deps.report({ kind: 'held', delivery });
}

/** Takes capacity for one call, at the address and at its origin. If one of them has none, marks it as busy. */
function takeCapacity(run: DrainRun, endpoint: string, circuits: readonly Circuit[], deps: DrainDeps): boolean {
  const room = roomAt(run, endpoint, circuits, deps.now());
  if (room.origin <= 0) prolongBusy(run, 'origin', endpoint);
  else if (room.address <= 0) prolongBusy(run, 'address', endpoint);
  else {
    const { address, origin } = gatesOf(run, endpoint, circuits);
    for (const { gate } of [address, origin]) gate.open += 1;
    return true;
  }
  return false;
}

/** Marks an address or origin as busy: more deliveries wait than it takes calls, so new ones wait for the drain. */
export function prolongBusy(run: DrainRun, kind: 'address' | 'origin', address: string): void {
  run.shown.push((health, now) => changeCircuit(health, kind, address, true, now, (circuit) => markBusy(circuit, now)));
}

function begin(run: DrainRun, reader: Reader, delivery: Delivery, does: () => Promise<void>, { now }: DrainDeps): void {
  const subject = delivery.resource.id;
  skip(reader, delivery.id, 'called', now());
  run.subjects.add(subject);
  const call = orLeave(reader, delivery, does).finally(() => {
    run.subjects.delete(subject);
    run.calls.delete(call);
  });
  run.calls.add(call);
}

async function callOnce(
  run: DrainRun,
  reader: Reader,
  attempt: Attempt,
  facts: AttemptFacts,
  deps: DrainDeps,
): Promise<void> {
  const { endpoint, claim, delivery, source } = attempt;
  let hasLeft = false;
  // While undefined, nothing is known of the call: its claim stays, and the attempt becomes `UNKNOWN`.
  let result: CallResult | undefined;
  try {
    const called = await callPartner(attempt, facts, deps, (isConnected) => {
      run.shown.push((health, now) => afterSlow(health, endpoint, isConnected, now));
      const { gate, circuit } = gatesOf(run, endpoint, run.health.circuits).origin;
      // An open circuit has one probe at a time, however slow it is.
      if (isConnected && circuit?.state !== 'OPEN') hasLeft = leave(gate, deps.now());
    });
    if (called === undefined) {
      keep(reader, delivery.id);
      return;
    }
    ({ result } = called);
    const finished = { id: claim.id, delivery, endpoint, at: claim.at, result, isProbe: source === 'probe' };
    const counted = await count(run, finished, deps);
    run.shown.push((health, now) => afterCall(health, finished, counted, now, deps.rules));
    if (finished.isProbe) delete run.shownAt;
    if (result.outcome === 'DELIVERED' && (result.durationMs ?? 0) < slowAfterMs)
      run.shown.push((health, now) => afterQuick(health, endpoint, now));
    if (called.recorded.delivery.backlog === undefined) {
      run.drained += 1;
      reader.left.push(deps.now());
      skip(reader, delivery.id, 'gone', deps.now());
    } else keep(reader, delivery.id);
  } finally {
    releaseCapacity(run, endpoint, result, hasLeft, deps);
  }
}

/** Counts the outcome of a call for its endpoint. If that fails, the attempt is recorded all the same. */
async function count(run: DrainRun, finished: EndedCall, deps: DrainDeps): Promise<Counted> {
  const { companyId } = run.health;
  try {
    const { health, counted } = await countCall(deps, run.health, finished);
    if (health.version > run.health.version) run.health = health;
    return counted;
  } catch (error) {
    log('warn', 'Cannot count the outcome of a call for its endpoint', { companyId, ...errorFields(error) });
    return {};
  }
}

function releaseCapacity(
  run: DrainRun,
  endpoint: string,
  result: CallResult | undefined,
  hasLeft: boolean,
  deps: DrainDeps,
): void {
  const now = deps.now();
  const { address, origin } = gatesOf(run, endpoint, []);
  const outcomes = result && circuitOutcomesOf(result);
  const outcome = { now, reason: outcomes?.reason ?? '' };
  closeCall(address.gate, outcomes?.address, { ...outcome, most: deps.limits.perEndpoint });
  const isOfAddress = outcomes?.origin === 'bad' && result?.isUnreached !== true && isAnswering(origin.gate, now);
  const atOrigin = { ...outcome, most: deps.limits.perCompany, hasLeft };
  closeCall(origin.gate, isOfAddress ? undefined : outcomes?.origin, atOrigin);
}

/** Runs a step; a delivery whose step fails stays where it was, for the next pass. */
async function orLeave(reader: Reader, { companyId, id }: Delivery, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    keep(reader, id);
    log('error', 'Cannot attempt a delivery or record its attempt', {
      companyId,
      deliveryId: id,
      ...errorFields(error),
    });
  }
}
