import { webhookIdOf } from '#shared/platform/outbox/delivery.ts';
import { CorruptItem, StoreUnavailable } from '#shared/platform/table/store.ts';
import type { Call, CallResult, AttemptSource, RecordedOutcome } from '../deliveries/states.ts';
import { isRecorded, recordOutcome } from '../deliveries/states.ts';
import type { AttemptFacts } from '../deliveries/store.ts';
import { wasSentAgain, writeTaken } from '../deliveries/again.ts';
import { writeDelivery, writeNext } from '../deliveries/store.ts';
import type { CircuitRules } from '../health/circuit.ts';
import type { HealthDeps } from '../health/store.ts';
import { validSecrets } from '../settings.ts';
import type { DeliveryEvent, HealthEvent } from './report.ts';
import type { OutgoingCall } from './sender.ts';
import { signatureHeaders } from './signature.ts';

export type CallDeps = HealthDeps & {
  /** Calls the partner. Its result says how the call ended; `whenSlow` runs during a call that takes long. */
  readonly send: (call: OutgoingCall, whenSlow: (isConnected: boolean) => void) => Promise<CallResult>;
  /** The backoff: waits before attempts two to five, whole seconds. */
  readonly delays: readonly number[];
  readonly rules: CircuitRules;
  /** A random number from 0 to below 1. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly report: (event: DeliveryEvent) => void;
  readonly onHealth: (event: HealthEvent) => void;
};

/** An attempt that begins. `delivery`: with the claim. */
export type Attempt = Omit<Call, 'do'> & { readonly source: AttemptSource };

const fixedHeaders = {
  'content-type': 'application/json; charset=utf-8',
  accept: 'application/json',
  'user-agent': 'banking-order-service-webhooks/1',
} as const;

/**
 * Claims, calls and records an attempt. The claim is in the table before the call, so that a worker that dies leaves a
 * trace of its attempt. Returns undefined, without a call, when the delivery changed meanwhile.
 * @throws StoreUnavailable, CorruptItem
 */
export async function callPartner(
  attempt: Attempt,
  { body, secret }: Pick<AttemptFacts, 'body' | 'secret'>,
  deps: CallDeps,
  whenSlow: (isConnected: boolean) => void,
): Promise<{ readonly result: CallResult; readonly recorded: RecordedOutcome } | undefined> {
  const { delivery, claim, endpoint } = attempt;
  const id = webhookIdOf(delivery);
  if (body === undefined || secret === undefined)
    throw new CorruptItem('A delivery has no body, or its company has no webhook secret.');
  const claimed = await writeDelivery(deps.store, delivery);
  // After a lost response the repeated write finds its own claim.
  if (!claimed.ok && claimed.current?.claim?.id !== claim.id) return undefined;
  if (claim.number === 1) deps.report({ kind: 'first-call', delivery });
  const signature = signatureHeaders({ id, at: claim.at, body, secrets: validSecrets(secret, claim.at) });
  const headers = { ...fixedHeaders, ...signature, 'x-request-id': delivery.requestId };
  const result = await deps.send({ endpoint, body, headers }, whenSlow);
  return { result, recorded: await recordCall(attempt, result, deps) };
}

const recordTries = 5;
const firstPauseMs = 100;

/**
 * Records the outcome of a call. The partner may have acknowledged, so this write has more tries than others. Without
 * it the claim stays open, and the attempt becomes `UNKNOWN`.
 * @throws StoreUnavailable when the outcome could not be recorded
 */
async function recordCall(
  { delivery, claim, source }: Attempt,
  result: CallResult,
  deps: CallDeps,
): Promise<RecordedOutcome> {
  const facts = { claimId: claim.id, result, now: deps.now(), delays: deps.delays, fraction: deps.random() };
  let current = delivery;
  for (let attempt = 1; attempt <= recordTries; attempt += 1) {
    const recorded = recordOutcome(current, source, facts);
    if (recorded === undefined) break;
    // `written` is undefined while the table is unavailable: the write may have happened or not.
    const isSentAgain = recorded.delivery.status === 'DELIVERED' && wasSentAgain(recorded.delivery);
    const writing = isSentAgain ? writeTaken(recorded.delivery, claim.at, deps) : writeNext(recorded, deps);
    const written = await writing.catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
    });
    // After a lost response the repeated write finds its own outcome.
    if (written?.ok === true || (written?.current && isRecorded(written.current, claim.id))) {
      deps.report({ kind: 'attempt', delivery: recorded.delivery, source, result });
      return recorded;
    }
    if (written === undefined) await deps.sleep(firstPauseMs * 2 ** attempt);
    else if (written.current === undefined) break;
    else current = written.current;
  }
  deps.report({ kind: 'recording-lost', delivery: current });
  throw new StoreUnavailable('Cannot record the outcome of a webhook call.');
}
