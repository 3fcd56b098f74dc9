import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { Reception } from '../deliveries/states.ts';
import { receive } from '../deliveries/states.ts';
import type { EndpointHealth } from '../endpoint-health.ts';
import { passageOf } from '../endpoint-health.ts';
import type { BacklogName } from '#shared/platform/outbox/backlog.ts';
import { validSecrets, addressOf } from '../settings.ts';
import { signatureHeaders } from '../signature.ts';
import { advanceBacklog } from '../backlog/advance.ts';
import type { AttemptFacts } from '../deliveries/store.ts';
import { readForAttempt, writeDelivery, writeSending } from '../deliveries/store.ts';
import { endpointBacklog, readBacklog } from '../backlog/store.ts';
import { CorruptItem, StoreUnavailable } from '#shared/platform/table/store.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import { countOutcome, recordCall, registerSlowCall } from './record.ts';
import type { DeliverDeps } from './record.ts';
import type { ReceivedMessage, Verdict } from './queue.ts';
import { acknowledge, returnAt, soon, parseDeliveryMessage } from './queue.ts';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { count } from './report.ts';

type Facts = AttemptFacts & { readonly delivery: Delivery; readonly endpointBacklog: EndpointHealth | undefined };

const maxDecisions = 4;

/**
 * One received message: at most one call of the partner. Claim → call → record: nothing is called without a claim in
 * the table, so that a worker that dies leaves a trace of its attempt.
 *
 * @throws StoreUnavailable, CorruptItem: the message comes again by itself
 */
export async function deliver(message: ReceivedMessage, deps: DeliverDeps): Promise<Verdict> {
  for (let decisions = 0; decisions < maxDecisions; decisions += 1) {
    const facts = await readForAttempt(deps.store, message.companyId, message.deliveryId);
    const { delivery } = facts;
    if (delivery === undefined) {
      deps.report({ kind: 'passed-over', message, because: 'absent' });
      return acknowledge;
    }
    const known = { ...facts, delivery, endpointBacklog: await readEndpointLine(deps, delivery, facts) };
    const passage = passageOf(delivery, facts.settings ?? { events: [] }, known.endpointBacklog, deps.now());
    const reception = receive(delivery, message, { now: deps.now(), claimId: deps.newId(), passage });
    const verdict = await follow(reception, known, message, deps);
    if (verdict !== 'changed meanwhile' && isOver(reception)) await letNextOut(delivery.turn?.backlog, deps, delivery);
    if (verdict !== 'changed meanwhile') return verdict;
  }
  return soon;
}

/** Carries out one decision; it is made again when the delivery changed between reading and writing. */
async function follow(
  reception: Reception,
  facts: Facts,
  message: ReceivedMessage,
  deps: DeliverDeps,
): Promise<Verdict | 'changed meanwhile'> {
  const { store } = deps;
  switch (reception.do) {
    case 'acknowledge':
      deps.report({ kind: 'passed-over', message, because: reception.because });
      return acknowledge;
    case 'dead-letter':
      return soon;
    case 'wait':
      return returnAt(reception.until, deps.now());
    case 'renew': {
      const { delivery, notBefore } = reception;
      const renewed = await writeSending(store, { delivery, notBefore, at: deps.now(), token: deps.newId() });
      return renewed.ok ? acknowledge : 'changed meanwhile';
    }
    case 'hold':
    case 'pause': {
      const { delivery } = reception;
      if (!(await writeDelivery(store, delivery)).ok) return 'changed meanwhile';
      deps.report({ kind: reception.do === 'hold' ? 'held' : 'paused', delivery });
      // A delivery that finds its endpoint failing, with no probe on the way, becomes the probe. What is held may have
      // been released after the settings were read.
      const isFirst = reception.do === 'hold' || facts.endpointBacklog?.backlog?.turn === undefined;
      if (isFirst) await letNextOut(delivery.backlog, deps, delivery, delivery);
      return acknowledge;
    }
    case 'give-up': {
      if (!(await writeDelivery(store, reception.delivery)).ok) return 'changed meanwhile';
      deps.report({ kind: 'given-up', delivery: reception.delivery });
      return soon;
    }
    case 'call':
      return call(reception, facts, message, deps);
  }
}

async function call(
  { delivery, claim, endpoint }: Extract<Reception, { do: 'call' }>,
  { body, secret, endpointBacklog: backlog }: Facts,
  message: ReceivedMessage,
  deps: DeliverDeps,
): Promise<Verdict | 'changed meanwhile'> {
  if (body === undefined || secret === undefined)
    throw new CorruptItem('A delivery has no body, or its company no secret.');
  const claimed = await writeDelivery(deps.store, delivery);
  // The write may have been repeated after its answer was lost: then the claim that is in the way is its own.
  if (!claimed.ok && claimed.present?.claim?.id !== claim.id) return 'changed meanwhile';
  if (claim.number === 1) deps.report({ kind: 'first-call', delivery });
  const { id } = delivery;
  const signature = signatureHeaders({ id, at: claim.at, body, secrets: validSecrets(secret, claim.at) });
  const headers = { ...fixedHeaders, ...signature, 'x-request-id': delivery.requestId };
  let slow: Promise<EndpointHealth> | undefined;
  const result = await deps.send({ endpoint, body, headers }, () => {
    if (backlog !== undefined) slow = registerSlowCall({ delivery, claim, backlog }, deps);
  });
  const verdict = await recordCall({ delivery, message, result }, deps);
  if (backlog !== undefined) await countOutcome({ delivery, backlog: (await slow) ?? backlog, result }, deps);
  return verdict;
}

const fixedHeaders = {
  'content-type': 'application/json; charset=utf-8',
  accept: 'application/json',
  'user-agent': 'banking-order-service-webhooks/1',
} as const;

/** One read: which endpoint is meant is known from the settings alone. */
async function readEndpointLine(
  { store }: DeliverDeps,
  { companyId, target }: Delivery,
  { settings }: AttemptFacts,
): Promise<EndpointHealth | undefined> {
  const endpoint = addressOf(target, settings ?? { events: [] });
  if (endpoint === undefined) return undefined;
  const name = endpointBacklog(endpoint);
  return { name, backlog: await readBacklog(store, companyId, name) };
}

/** Whether the delivery's turn has ended: its attempt was made, or will not be. */
function isOver(reception: Reception): boolean {
  return ['call', 'hold', 'pause', 'give-up'].includes(reception.do);
}

/** The delivery is written by now: the sweep finds a backlog that cannot go on. */
async function letNextOut(
  name: BacklogName | undefined,
  deps: DeliverDeps,
  { companyId }: Delivery,
  newcomer?: Delivery,
): Promise<void> {
  if (name === undefined) return;
  try {
    await advanceBacklog(deps, { companyId, name, ...(newcomer && { newcomer }) });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    log('warn', 'backlog left to the sweep', { companyId, ...errorFields(error) });
  }
}

type BatchDeps = {
  readonly deliver: (message: ReceivedMessage) => Promise<Verdict>;
  /** Sets the delay, seconds, before the message is received again. */
  readonly hide: (record: SQSRecord, seconds: number) => Promise<void>;
};

/**
 * Messages of one receive, all at the same time: a partner who hangs delays no call of another. What is not
 * acknowledged is reported as failed, each message for itself: its receives are counted by SQS. Its delay is set as
 * soon as its own call has ended.
 */
export async function deliverBatch(records: readonly SQSRecord[], deps: BatchDeps): Promise<SQSBatchResponse> {
  const isDone = await Promise.all(records.map((record) => settle(record, deps)));
  const failed = records.filter((_, at) => isDone[at] !== true);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

async function settle(record: SQSRecord, deps: BatchDeps): Promise<boolean> {
  const verdict = await verdictOn(record, deps);
  if (verdict?.do === 'return') await deps.hide(record, verdict.inSeconds);
  return verdict?.do === 'acknowledge';
}

/** Undefined when the service failed: the message comes again after the queue's visibility timeout. */
async function verdictOn({ messageId, body, attributes }: SQSRecord, { deliver }: BatchDeps) {
  const message = parseDeliveryMessage(body);
  if (message === undefined) {
    log('error', 'message not understood', { messageId });
    count('WorkFailed');
    return acknowledge;
  }
  try {
    return await deliver({ ...message, id: messageId, receives: Number(attributes.ApproximateReceiveCount) });
  } catch (error) {
    log('error', 'delivery not attempted or not recorded', { ...message, messageId, ...errorFields(error) });
    count('WorkFailed');
    return undefined;
  }
}
