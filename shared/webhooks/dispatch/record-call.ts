import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { CallResult, RecordedOutcome } from '../deliveries/states.ts';
import { isRecorded, recordOutcome } from '../deliveries/states.ts';
import type { DeliveryWritten } from '../deliveries/store.ts';
import { writeDelivery, writeSending } from '../deliveries/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { DeliverDeps, ReceivedMessage } from './deliver-deps.ts';
import type { Verdict } from './verdict.ts';
import { acknowledge, returnAt, soon } from './verdict.ts';

type FinishedCall = {
  /** As claimed. */
  readonly delivery: Delivery;
  readonly message: ReceivedMessage;
  readonly result: CallResult;
};

const tries = 5;
const firstPauseMs = 100;

/**
 * Records how a call ended. The partner may have acknowledged, so this write is tried more often than others; if it
 * fails all the same, the claim stays open and the attempt becomes one of unknown outcome.
 *
 * @throws StoreUnavailable when the outcome could not be recorded
 */
export async function recordCall(call: FinishedCall, deps: DeliverDeps): Promise<Verdict> {
  const { message, result } = call;
  const claimId = call.delivery.claim?.id ?? '';
  const facts = { claimId, result, now: deps.now(), delays: deps.delays, fraction: deps.random() };
  let present = call.delivery;
  let written: RecordedOutcome | undefined;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const recorded = isRecorded(present, claimId) ? written : recordOutcome(present, message, facts);
    if (recorded === undefined) break;
    const outcome = recorded === written ? { ok: true as const } : await tryWrite(() => write(recorded, deps));
    if (outcome?.ok === true) {
      deps.report({ kind: 'attempt', delivery: recorded.delivery, message, result });
      return verdictOf(recorded, deps);
    }
    written = recorded;
    if (outcome === undefined) await deps.sleep(firstPauseMs * 2 ** attempt);
    else if (outcome.present === undefined) break;
    else present = outcome.present;
  }
  deps.report({ kind: 'recording-lost', delivery: present });
  throw new StoreUnavailable('The end of a call could not be recorded.');
}

function write(recorded: RecordedOutcome, { store, now, newId }: DeliverDeps): Promise<DeliveryWritten> {
  if (recorded.do !== 'renew') return writeDelivery(store, recorded.delivery);
  const { delivery, notBefore } = recorded;
  return writeSending(store, { delivery, notBefore, at: now(), token: newId() });
}

/** Undefined when the table could not be reached: the write may have happened or not. */
async function tryWrite(write: () => Promise<DeliveryWritten>): Promise<DeliveryWritten | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}

function verdictOf(recorded: RecordedOutcome, { now }: DeliverDeps): Verdict {
  switch (recorded.do) {
    case 'acknowledge':
    case 'renew':
      return acknowledge;
    case 'dead-letter':
      return soon;
    case 'retry':
      return returnAt(recorded.notBefore, now());
  }
}
