import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { CallResult, Settlement } from '../../../shared/domain/delivery-moves.ts';
import { isRecorded, settle } from '../../../shared/domain/delivery-moves.ts';
import type { DeliveryWritten } from '../../../shared/persistence/deliveries.ts';
import { writeDelivery, writeSending } from '../../../shared/persistence/deliveries.ts';
import { StoreUnavailable } from '../../../shared/persistence/store.ts';
import type { DeliverDeps, ReceivedMessage } from './deliver-deps.ts';
import type { Verdict } from './verdict.ts';
import { acknowledge, returnAt, soon } from './verdict.ts';

export type EndedCall = {
  /** As claimed. */
  readonly delivery: Delivery;
  readonly message: ReceivedMessage;
  readonly result: CallResult;
};

const tries = 5;
const firstPauseMs = 100;

/**
 * Records how a call ended. The partner may have acknowledged, so it is tried harder than other writes; if it cannot be
 * recorded at all, the claim stays open and the attempt is one whose end nobody knows.
 *
 * @throws StoreUnavailable
 */
export async function recordCall(ended: EndedCall, deps: DeliverDeps): Promise<Verdict> {
  const { message, result } = ended;
  const claimId = ended.delivery.claim?.id ?? '';
  const call = { claimId, result, now: deps.now(), delays: deps.delays, fraction: deps.random() };
  let present = ended.delivery;
  let written: Settlement | undefined;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const settlement = isRecorded(present, claimId) ? written : settle(present, message, call);
    if (settlement === undefined) break;
    const outcome = settlement === written ? { ok: true as const } : await tried(() => write(settlement, deps));
    if (outcome?.ok === true) {
      deps.report({ kind: 'attempt', delivery: settlement.delivery, message, result });
      return verdictOf(settlement, deps);
    }
    written = settlement;
    if (outcome === undefined) await deps.sleep(firstPauseMs * 2 ** attempt);
    else if (outcome.present === undefined) break;
    else present = outcome.present;
  }
  deps.report({ kind: 'recording-lost', delivery: present });
  throw new StoreUnavailable('The end of a call could not be recorded.');
}

function write(settlement: Settlement, { store, now, newId }: DeliverDeps): Promise<DeliveryWritten> {
  if (settlement.do !== 'renew') return writeDelivery(store, settlement.delivery);
  const { delivery, notBefore } = settlement;
  return writeSending(store, { delivery, notBefore, at: now(), token: newId() });
}

/** Undefined when the table could not be reached: the write may have happened or not. */
async function tried(write: () => Promise<DeliveryWritten>): Promise<DeliveryWritten | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}

function verdictOf(settlement: Settlement, { now }: DeliverDeps): Verdict {
  switch (settlement.do) {
    case 'acknowledge':
    case 'renew':
      return acknowledge;
    case 'dead-letter':
      return soon;
    case 'retry':
      return returnAt(settlement.notBefore, now());
  }
}
