import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Delivery, Claim } from '#shared/platform/outbox/delivery.ts';
import type { CallResult, RecordedOutcome } from '../deliveries/states.ts';
import type { ReceivedMessage, AckOrRetry } from './queue.ts';
import type { OutgoingCall } from './sender.ts';
import type { CircuitRules, EndpointHealth } from '../health/circuit.ts';
import type { DeliveryEvent, BacklogEvent } from './report.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { isRecorded, recordOutcome } from '../deliveries/states.ts';
import type { DeliveryWriteResult } from '../deliveries/store.ts';
import { writeDelivery, writeDispatch } from '../deliveries/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { ack, retryAt, retrySoon } from './queue.ts';
import { takeSlot, countFailure, countSuccess, openCircuit, freeSlot } from '../health/circuit.ts';
import { newBacklog } from '../backlog/model.ts';
import { writeBacklog, writeCircuit, appendFailure, readBacklog } from '../backlog/store.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { CountedFailure, Backlog } from '../backlog/model.ts';
import { advanceBacklog } from '../backlog/advance.ts';

export type DeliverDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** A random number from 0 to below 1. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Calls the partner; how the call ended is its value. `whenLong` runs during a call that takes long. */
  readonly send: (call: OutgoingCall, whenLong: () => void) => Promise<CallResult>;
  /** Waits before attempts two to five, whole seconds. */
  readonly delays: readonly number[];
  /** When an endpoint counts as failing. */
  readonly rules: CircuitRules;
  readonly report: (event: DeliveryEvent) => void;
  readonly onBacklog: (event: BacklogEvent) => void;
};

type FinishedCall = {
  /** As claimed. */
  readonly delivery: Delivery;
  readonly message: ReceivedMessage;
  readonly result: CallResult;
};

const recordTries = 5;
const firstPauseMs = 100;

/**
 * Records how a call ended. The partner may have acknowledged, so this write is tried more often than others; if it
 * fails all the same, the claim stays open and the attempt becomes one of unknown outcome.
 *
 * @throws StoreUnavailable when the outcome could not be recorded
 */
export async function recordCall(call: FinishedCall, deps: DeliverDeps): Promise<AckOrRetry> {
  const { message, result } = call;
  const claimId = call.delivery.claim?.id ?? '';
  const facts = { claimId, result, now: deps.now(), delays: deps.delays, fraction: deps.random() };
  let present = call.delivery;
  let written: RecordedOutcome | undefined;
  for (let attempt = 1; attempt <= recordTries; attempt += 1) {
    const recorded = isRecorded(present, claimId) ? written : recordOutcome(present, message, facts);
    if (recorded === undefined) break;
    const outcome = recorded === written ? { ok: true as const } : await tryWrite(() => write(recorded, deps));
    if (outcome?.ok === true) {
      deps.report({ kind: 'attempt', delivery: recorded.delivery, message, result });
      return ackOrRetryOf(recorded, deps);
    }
    written = recorded;
    if (outcome === undefined) await deps.sleep(firstPauseMs * 2 ** attempt);
    else if (outcome.present === undefined) break;
    else present = outcome.present;
  }
  deps.report({ kind: 'recording-lost', delivery: present });
  throw new StoreUnavailable('The end of a call could not be recorded.');
}

function write(recorded: RecordedOutcome, { store, now, newId }: DeliverDeps): Promise<DeliveryWriteResult> {
  if (recorded.do !== 're-enqueue') return writeDelivery(store, recorded.delivery);
  const { delivery, notBefore } = recorded;
  return writeDispatch(store, { delivery, notBefore, at: now(), token: newId() });
}

/** Undefined when the table could not be reached: the write may have happened or not. */
async function tryWrite(write: () => Promise<DeliveryWriteResult>): Promise<DeliveryWriteResult | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}

function ackOrRetryOf(recorded: RecordedOutcome, { now }: DeliverDeps): AckOrRetry {
  switch (recorded.do) {
    case 'ack':
    case 're-enqueue':
      return ack;
    case 'dead-letter':
      return retrySoon;
    case 'retry':
      return retryAt(recorded.notBefore, now());
  }
}

/**
 * Workers register at the same time, but no more of them than the limit; then nothing is left to write.
 */
const slotTries = 5;

/**
 * Takes a slot of the endpoint's concurrency limit for a call that takes long: one write, for such calls alone. The
 * slot ends with the claim's lease, so a worker that dies holds none. Never throws: the call goes on without a slot.
 *
 * @returns the backlog as it is afterwards, if there is one
 */
export async function registerSlot(
  { delivery, claim, health }: { readonly delivery: Delivery; readonly claim: Claim; readonly health: EndpointHealth },
  deps: DeliverDeps,
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
/** Together with the ten seconds of a call that hangs, eight pauses stay within the function's fifteen. */
const longestPauseMs = 400;

type CalledEndpoint = { readonly delivery: Delivery; readonly health: EndpointHealth; readonly result: CallResult };

/**
 * Counts for or against the endpoint how a call of it ended, and frees its slot. A quick success writes nothing unless
 * something was counted before. Of many workers that fail at once the first writes the backlog and the others append to
 * it, so that each failure counts.
 */
export async function countOutcome(called: CalledEndpoint, deps: DeliverDeps): Promise<void> {
  const { delivery, health } = called;
  try {
    const { before, next } = await writeCount(called, deps);
    if (next?.open !== undefined) deps.onBacklog({ kind: 'circuit-opened', backlog: next });
    if (next === undefined) return;
    const isClosed = before?.open !== undefined && next.open === undefined;
    if (isClosed) deps.onBacklog({ kind: 'circuit-closed', backlog: next });
    // A delivery in flight releases the next one itself. Any other success that closes the circuit does it here, and so
    // does a freed slot while nothing is in flight: a delivery may have joined the backlog meanwhile.
    const isSlot = before?.slots !== next.slots && next.releasedAt !== undefined && next.inFlight === undefined;
    if ((isClosed || isSlot) && delivery.releasedFrom?.backlog !== health.name)
      await advanceBacklog(deps, { companyId: delivery.companyId, name: health.name });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    log('warn', 'outcome not counted for the endpoint', { companyId: delivery.companyId, ...errorFields(error) });
  }
}

type Change = { readonly before?: Backlog | undefined; readonly next?: Backlog };

/** The backlog before and after, if it had to be written. */
async function writeCount(called: CalledEndpoint, deps: DeliverDeps): Promise<Change> {
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
  { now, rules }: DeliverDeps,
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
function conclude(present: Backlog, { delivery }: CalledEndpoint, { now, rules }: DeliverDeps): Backlog | undefined {
  return openCircuit(present, now(), rules) ?? freeSlot(present, delivery.id);
}
