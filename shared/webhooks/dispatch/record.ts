import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { CallResult, RecordedOutcome } from '../deliveries/states.ts';
import { isRecorded, recordOutcome } from '../deliveries/states.ts';
import type { StateWrite } from '../deliveries/store.ts';
import { writeDelivery, writeDispatch } from '../deliveries/store.ts';
import type { HealthDeps } from '../health/endpoint-health.ts';
import type { AckOrRetry, ReceivedMessage } from './queue.ts';
import { ack, retryAt, retrySoon } from './queue.ts';
import type { DeliveryEvent } from './report.ts';
import type { OutgoingCall } from './sender.ts';

export type DeliverDeps = HealthDeps & {
  /** Calls the partner. Its result says how the call ended; `whenLong` runs during a call that takes long. */
  readonly send: (call: OutgoingCall, whenLong: () => void) => Promise<CallResult>;
  /** The backoff: waits before attempts two to five, whole seconds. */
  readonly delays: readonly number[];
  readonly report: (event: DeliveryEvent) => void;
};

/** `delivery`: with the claim. */
type FinishedCall = { readonly delivery: Delivery; readonly message: ReceivedMessage; readonly result: CallResult };

const recordTries = 5;
const firstPauseMs = 100;

/**
 * Records the outcome of a call. The partner may have acknowledged, so this write has more tries than others. Without
 * it the claim stays open, and the attempt becomes `UNKNOWN`.
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

function write(recorded: RecordedOutcome, { store, now, newId }: DeliverDeps): Promise<StateWrite<Delivery>> {
  if (recorded.do !== 're-enqueue') return writeDelivery(store, recorded.delivery);
  const { delivery, notBefore } = recorded;
  return writeDispatch(store, { delivery, notBefore, at: now(), token: newId() });
}

/** Undefined while the table is unavailable: the write may have happened or not. */
async function tryWrite(write: () => Promise<StateWrite<Delivery>>): Promise<StateWrite<Delivery> | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}

function ackOrRetryOf(recorded: RecordedOutcome, { now }: DeliverDeps): AckOrRetry {
  if (recorded.do === 'retry') return retryAt(recorded.notBefore, now());
  return recorded.do === 'dead-letter' ? retrySoon : ack;
}
