import type { SQSRecord } from 'aws-lambda';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { LogFields } from '#shared/platform/log.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { Call } from '../deliveries/states.ts';
import { decide, laterOf } from '../deliveries/states.ts';
import type { AttemptFacts, FactsOf } from '../deliveries/store.ts';
import { readForAttempts, writeNext } from '../deliveries/store.ts';
import { countCall } from '../health/count-call.ts';
import type { CompanyHealth, EndedCall } from '../health/health.ts';
import { admit, afterCall, afterSlow, askForDrain } from '../health/health.ts';
import { changeHealth } from '../health/store.ts';
import type { CallDeps } from './call.ts';
import { callPartner } from './call.ts';
import type { AckOrRetry, ReceivedMessage } from './queue.ts';
import { ack, parseDeliveryMessage, retryAt, retrySoon } from './queue.ts';
import { count } from './report.ts';
import type { Share, ShareDeps } from './share.ts';
import { shareOf } from './share.ts';

/** `share`: the places of the company. */
type DeliverDeps = CallDeps & { readonly share?: Share | undefined };

const maxDecisions = 4;
/** Seconds until a message without a place is received again, or up to twice as many: a slow call is known by then. */
const placeWaitSeconds = 2;

/**
 * Handles one received message, with at most one call of the partner.
 * @param known facts that were read together for all messages of its receive
 * @throws StoreUnavailable, CorruptItem: the queue repeats the message
 */
export async function deliver(message: ReceivedMessage, deps: DeliverDeps, known?: FactsOf): Promise<AckOrRetry> {
  for (let decisions = 0; decisions < maxDecisions; decisions += 1) {
    const factsOf = (decisions === 0 ? known : undefined) ?? (await readForAttempts(deps.store, [message]));
    const ackOrRetry = await settle(message, factsOf(message), deps);
    if (ackOrRetry !== undefined) return ackOrRetry;
  }
  return retrySoon;
}

const reportedAs = { hold: 'held', defer: 'deferred', fail: 'failed' } as const;

/** Decides about a message and acts. Returns undefined when the delivery changed meanwhile. */
async function settle(
  message: ReceivedMessage,
  facts: AttemptFacts,
  deps: DeliverDeps,
): Promise<AckOrRetry | undefined> {
  const { now, newId, report, share } = deps;
  const { delivery: current, health, settings = { events: [] } } = facts;
  if (current === undefined) {
    report({ kind: 'passed-over', message, because: 'absent' });
    return ack;
  }
  const at = { now: now(), claimId: newId() };
  let admission = admit(current, settings, health, at.now);
  let decision = decide(current, message, { ...at, admission });
  if (decision.do === 'call' && admission.to === 'endpoint' && (await share?.mayCall(current)) === false) {
    // Once it waits in the queue, which writes nothing: a burst to an endpoint that answers is over soon.
    const seconds = placeWaitSeconds * (1 + deps.random());
    if (message.receives === 1) return retryAt(plusSeconds(now(), seconds), now());
    admission = { ...admission, to: 'defer', stopping: [] };
    decision = decide(current, message, { ...at, admission });
  }
  switch (decision.do) {
    case 'ack':
      report({ kind: 'passed-over', message, because: decision.because });
      return ack;
    case 'dead-letter':
      return retrySoon;
    case 'wait':
      return retryAt(decision.until, now());
    case 'call':
      return call(decision, message, facts, deps);
    default:
      // The health must have the time of the next drain before a delivery joins a backlog. Mostly it has it already.
      if (admission.to === 'defer' && decision.do === 'defer')
        await changeHealth(deps, health, (known, at) => {
          const probes = admission.stopping.map((circuit) => (circuit.state === 'OPEN' ? circuit.probeAt : at));
          return askForDrain(known, [admission.backlog], probes.reduce(laterOf, at), at);
        });
      if (!(await writeNext(decision, deps)).ok) return undefined;
      if (decision.do !== 're-enqueue') report({ kind: reportedAs[decision.do], delivery: decision.delivery });
      return decision.do === 'fail' ? retrySoon : ack;
  }
}

/** Calls the partner. The attempt is recorded even if the write of the health fails: that must not fail the message. */
async function call(
  decision: Call,
  message: ReceivedMessage,
  facts: AttemptFacts,
  deps: DeliverDeps,
): Promise<AckOrRetry | undefined> {
  const { delivery, claim, endpoint } = decision;
  const { settings = { events: [] } } = facts;
  const but = (text: string) => logged('warn', text, { companyId: delivery.companyId });
  let marked: Promise<CompanyHealth | undefined> | undefined;
  const called = await callPartner({ ...decision, source: message }, facts, deps, (isConnected) => {
    const slow = (current: CompanyHealth, now: string) => afterSlow(current, endpoint, isConnected, now);
    marked = changeHealth(deps, facts.health, slow).catch(but('Cannot mark a slow call'));
    const isStopping = (health: CompanyHealth) => admit(delivery, settings, health, deps.now()).to !== 'endpoint';
    void marked.then((health) => (health !== undefined && isStopping(health) ? deps.share?.giveBack() : undefined));
  });
  if (called === undefined) return undefined;
  const { result, recorded } = called;
  const health = (await marked) ?? facts.health;
  const finished = { id: claim.id, delivery, endpoint, at: claim.at, result, isProbe: false };
  await showCall(finished, health, deps).catch(but('Cannot count the outcome of a call for its endpoint'));
  if (recorded.do === 'retry') return retryAt(recorded.notBefore, deps.now());
  return recorded.do === 'dead-letter' ? retrySoon : ack;
}

/** Counts a call for its address and origin, and changes their circuits where the counts require it. */
async function showCall(finished: EndedCall, known: CompanyHealth, deps: CallDeps): Promise<void> {
  const { health, counted } = await countCall(deps, known, finished);
  await changeHealth(deps, health, (current, now) => {
    const next = afterCall(current, finished, counted, now, deps.rules);
    // Deliveries that waited for an open circuit are sent now, without waiting for the next probe.
    const isBack = next.circuits.some(
      (circuit, at) => circuit.state === 'HALF_OPEN' && circuit !== current.circuits[at],
    );
    return isBack ? askForDrain(next, [], now, now) : next;
  });
}

type BatchDeps = CallDeps &
  ShareDeps & {
    /** Sets the delay, seconds, before the message is received again. */
    readonly hide: (record: SQSRecord, seconds: number) => Promise<void>;
  };

/**
 * Handles the messages of one receive concurrently, after one read for all: a partner that hangs delays no call of
 * another. Each message that is not acknowledged is received again, and SQS counts its receives. Its delay is set when
 * its call has ended. After an error of the service the queue's visibility timeout is its delay.
 * @returns the ids of the messages to receive again
 */
export async function deliverBatch(records: readonly SQSRecord[], deps: BatchDeps): Promise<readonly string[]> {
  const received = records.map((record) => {
    const message = parseDeliveryMessage(record.body);
    const receives = Number(record.attributes.ApproximateReceiveCount);
    return { record, message: message && { ...message, id: record.messageId, receives } };
  });
  const groups = Map.groupBy(received, ({ message }) => message?.companyId);
  const shared = [...groups].map(([companyId, group]) => ({
    group,
    share: companyId === undefined ? undefined : shareOf(deps, companyId, group.length),
  }));
  const lost = 'Cannot attempt a delivery or record its attempt';
  const messages = received.flatMap(({ message }) => message ?? []);
  const known = await readForAttempts(deps.store, messages).catch(logged('error', lost));
  const handle = async ({ record, message }: (typeof received)[number], share?: Share): Promise<readonly string[]> => {
    const { messageId } = record;
    if (message === undefined) {
      log('error', 'Delivery queue contained a malformed message', { messageId });
      count('JobsFailed');
      return [];
    }
    const failed = logged('error', lost, { ...message, messageId });
    const outcome = known && (await deliver(message, { ...deps, share }, known).catch(failed));
    if (outcome?.do === 'ack') return [];
    if (outcome !== undefined) await deps.hide(record, outcome.inSeconds);
    return [messageId];
  };
  const settled = shared.map(async ({ group, share }) => {
    const kept = await Promise.all(group.map((one) => handle(one, share)));
    await share?.giveBack();
    return kept.flat();
  });
  return (await Promise.all(settled)).flat();
}

/** Returns a handler that logs an error and returns undefined. At level `error` it also counts a failed job. */
function logged(level: 'warn' | 'error', text: string, fields: LogFields = {}): (error: unknown) => undefined {
  return (error) => {
    log(level, text, { ...fields, ...errorFields(error) });
    if (level === 'error') count('JobsFailed');
    return undefined;
  };
}
