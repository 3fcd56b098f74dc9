import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { errorFields, log } from '#shared/platform/log.ts';
import type { BacklogName, Delivery } from '#shared/platform/outbox/delivery.ts';
import { CorruptItem } from '#shared/platform/table/store.ts';
import { advanceBacklog, orLeaveToSweep } from '../backlog/advance.ts';
import type { Decision } from '../deliveries/states.ts';
import { decide } from '../deliveries/states.ts';
import type { AttemptFacts } from '../deliveries/store.ts';
import { readForAttempt, writeDelivery, writeDispatch } from '../deliveries/store.ts';
import type { EndpointHealth } from '../health/circuit.ts';
import { admit } from '../health/circuit.ts';
import { countOutcome, readEndpointHealth, registerSlot } from '../health/endpoint-health.ts';
import { validSecrets } from '../settings.ts';
import type { AckOrRetry, ReceivedMessage } from './queue.ts';
import { ack, parseDeliveryMessage, retryAt, retrySoon } from './queue.ts';
import type { DeliverDeps } from './record.ts';
import { recordCall } from './record.ts';
import { count } from './report.ts';
import { signatureHeaders } from './signature.ts';

type Facts = AttemptFacts & { readonly delivery: Delivery; readonly health: EndpointHealth | undefined };

const maxDecisions = 4;

/**
 * One received message: at most one call of the partner. Claim → call → record: no call without a claim in the table,
 * so that a worker that dies leaves a trace of its attempt.
 * @throws StoreUnavailable, CorruptItem: the queue repeats the message
 */
export async function deliver(message: ReceivedMessage, deps: DeliverDeps): Promise<AckOrRetry> {
  for (let decisions = 0; decisions < maxDecisions; decisions += 1) {
    const facts = await readForAttempt(deps.store, message.companyId, message.deliveryId);
    const { delivery } = facts;
    if (delivery === undefined) {
      deps.report({ kind: 'passed-over', message, because: 'absent' });
      return ack;
    }
    const settings = facts.settings ?? { companyId: message.companyId, events: [] };
    const health = (await readEndpointHealth(deps.store, settings, [delivery.target]))(delivery.target);
    const known = { ...facts, delivery, health };
    const admission = admit(delivery, settings, health, deps.now());
    const decision = decide(delivery, message, { now: deps.now(), claimId: deps.newId(), admission });
    const ackOrRetry = await follow(decision, known, message, deps);
    if (ackOrRetry === 'changed meanwhile') continue;
    // Its attempt ended, or there is none: the delivery is in flight no more.
    if (['call', 'hold', 'defer', 'fail'].includes(decision.do))
      await releaseNext(delivery.releasedFrom?.backlog, deps, delivery);
    return ackOrRetry;
  }
  return retrySoon;
}

/** Carries out one decision. The caller decides again when the delivery changed meanwhile. */
async function follow(
  decision: Decision,
  facts: Facts,
  message: ReceivedMessage,
  deps: DeliverDeps,
): Promise<AckOrRetry | 'changed meanwhile'> {
  const { store } = deps;
  switch (decision.do) {
    case 'ack':
      deps.report({ kind: 'passed-over', message, because: decision.because });
      return ack;
    case 'dead-letter':
      return retrySoon;
    case 'wait':
      return retryAt(decision.until, deps.now());
    case 're-enqueue': {
      const { delivery, notBefore } = decision;
      const enqueued = await writeDispatch(store, { delivery, notBefore, at: deps.now(), token: deps.newId() });
      return enqueued.ok ? ack : 'changed meanwhile';
    }
    case 'hold':
    case 'defer': {
      const { delivery } = decision;
      if (!(await writeDelivery(store, delivery)).ok) return 'changed meanwhile';
      deps.report({ kind: decision.do === 'hold' ? 'held' : 'deferred', delivery });
      // With no probe in flight a deferred delivery becomes the probe. A hold may be over since the settings were read.
      if (decision.do === 'hold' || facts.health?.backlog?.inFlight === undefined)
        await releaseNext(delivery.backlog, deps, delivery, delivery);
      return ack;
    }
    case 'fail': {
      if (!(await writeDelivery(store, decision.delivery)).ok) return 'changed meanwhile';
      deps.report({ kind: 'failed', delivery: decision.delivery });
      return retrySoon;
    }
    case 'call':
      return call(decision, facts, message, deps);
  }
}

async function call(
  { delivery, claim, endpoint }: Extract<Decision, { do: 'call' }>,
  { body, secret, health }: Facts,
  message: ReceivedMessage,
  deps: DeliverDeps,
): Promise<AckOrRetry | 'changed meanwhile'> {
  if (body === undefined || secret === undefined)
    throw new CorruptItem('A delivery has no body, or its company no secret.');
  const claimed = await writeDelivery(deps.store, delivery);
  // After a lost response the repeated write finds its own claim.
  if (!claimed.ok && claimed.present?.claim?.id !== claim.id) return 'changed meanwhile';
  if (claim.number === 1) deps.report({ kind: 'first-call', delivery });
  const { id } = delivery;
  const signature = signatureHeaders({ id, at: claim.at, body, secrets: validSecrets(secret, claim.at) });
  const headers = { ...fixedHeaders, ...signature, 'x-request-id': delivery.requestId };
  let registered: Promise<EndpointHealth> | undefined;
  const result = await deps.send({ endpoint, body, headers }, () => {
    if (health !== undefined) registered = registerSlot({ delivery, claim, health }, deps);
  });
  const ackOrRetry = await recordCall({ delivery, message, result }, deps);
  if (health !== undefined) await countOutcome({ delivery, health: (await registered) ?? health, result }, deps);
  return ackOrRetry;
}

const fixedHeaders = {
  'content-type': 'application/json; charset=utf-8',
  accept: 'application/json',
  'user-agent': 'banking-order-service-webhooks/1',
} as const;

/** Releases the next delivery of a backlog, after the write of this one. */
async function releaseNext(
  name: BacklogName | undefined,
  deps: DeliverDeps,
  { companyId }: Delivery,
  candidate?: Delivery,
): Promise<void> {
  if (name === undefined) return;
  const next = { companyId, name, ...(candidate && { candidate }) };
  await orLeaveToSweep('backlog left to the sweep', companyId, () => advanceBacklog(deps, next));
}

type BatchDeps = {
  readonly deliver: (message: ReceivedMessage) => Promise<AckOrRetry>;
  /** Sets the delay, seconds, before the message is received again. */
  readonly hide: (record: SQSRecord, seconds: number) => Promise<void>;
};

/**
 * The messages of one receive, all at the same time: a partner that hangs delays no call of another. Each message that
 * is not acknowledged is reported as failed, so that SQS counts its receives. Its delay is set when its call has ended.
 */
export async function deliverBatch(records: readonly SQSRecord[], deps: BatchDeps): Promise<SQSBatchResponse> {
  const isDone = await Promise.all(records.map((record) => settle(record, deps)));
  const failed = records.filter((_, at) => isDone[at] !== true);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

async function settle(record: SQSRecord, deps: BatchDeps): Promise<boolean> {
  const ackOrRetry = await attempt(record, deps);
  if (ackOrRetry?.do === 'retry') await deps.hide(record, ackOrRetry.inSeconds);
  return ackOrRetry?.do === 'ack';
}

/** Undefined after an error of the service: the message comes again after the queue's visibility timeout. */
async function attempt({ messageId, body, attributes }: SQSRecord, { deliver }: BatchDeps) {
  const message = parseDeliveryMessage(body);
  if (message === undefined) {
    log('error', 'message not understood', { messageId });
    count('JobsFailed');
    return ack;
  }
  try {
    return await deliver({ ...message, id: messageId, receives: Number(attributes.ApproximateReceiveCount) });
  } catch (error) {
    log('error', 'delivery not attempted or not recorded', { ...message, messageId, ...errorFields(error) });
    count('JobsFailed');
    return undefined;
  }
}
