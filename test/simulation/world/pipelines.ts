import type { DynamoDBBatchResponse, SQSBatchResponse } from 'aws-lambda';
import { workerNames, workers } from '#functions/workers.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Weather } from './actors.ts';
import type { queuesOf } from './queues.ts';
import type { rightsJudge } from './rights.ts';
import type { StreamRecord } from './stream.ts';
import { sources, streamOf } from './stream.ts';

type RunWorker = (name: WorkerName, event: unknown) => Promise<unknown>;
type Over = {
  readonly runWorker: RunWorker;
  /** A step of the world: what it is, and about what. */
  readonly add: (kind: string, text: string) => void;
  readonly rights: Pick<ReturnType<typeof rightsJudge>, 'maySource'>;
};

const keysOf = (batch: readonly StreamRecord[]): string => batch.map(({ dynamodb }) => dynamodb.Keys.PK.S).join(' ');

/** The table's stream with its two event sources. */
export function readersOf(
  time: VirtualTime,
  draws: Draws,
  { runWorker, add, rights }: Over,
): ReturnType<typeof streamOf> {
  return streamOf(time, draws, [
    {
      ...sources.relay,
      read: async (batch) => {
        add('relay', keysOf(batch));
        if (!rights.maySource('relay-deliveries', 'stream', keysOf(batch))) return 'FAILED';
        const result = (await runWorker('relay-deliveries', { Records: batch })) as DynamoDBBatchResponse | undefined;
        if (result === undefined) return 'FAILED';
        const failedFrom = result.batchItemFailures[0]?.itemIdentifier;
        return failedFrom === undefined ? 'DONE' : { failedFrom };
      },
      giveUp: () => {
        rights.maySource('relay-deliveries', 'relayFailures: sends', 'SendMessage');
      },
    },
    {
      ...sources.chain,
      read: async (batch) => {
        add('chain', keysOf(batch));
        if (!rights.maySource('chain-entries', 'stream', keysOf(batch))) return 'FAILED';
        return (await runWorker('chain-entries', { Records: batch })) === undefined ? 'FAILED' : 'DONE';
      },
    },
  ]);
}

/** The event sources of all queues: what a function does not delete comes again. */
export function consumeQueues(
  queues: ReturnType<typeof queuesOf>,
  draws: Draws,
  faultSchedule: () => Weather,
  { runWorker, add, rights }: Over,
): void {
  const { deliveries, drains } = queues;
  deliveries.consumeWith(async (batch) => {
    add('deliver', batch.map(({ body }) => body).join(' '));
    if (!rights.maySource('deliver-notification', 'deliveryQueue: receives', 'ReceiveMessage')) return;
    const Records = batch.map(({ id, body, receives }) => ({
      ...{ messageId: id, receiptHandle: id, body },
      attributes: { ApproximateReceiveCount: String(receives) },
    }));
    const result = (await runWorker('deliver-notification', { Records })) as SQSBatchResponse | undefined;
    if (result === undefined) return;
    const failed = new Set(result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { id } of batch) if (!failed.has(id) && !draws.chance(faultSchedule().crash)) deliveries.delete(id);
  });
  drains.consumeWith(async (batch) => {
    add('drain', batch.map(({ body }) => body).join(' '));
    if (!rights.maySource('drain-backlogs', 'drainQueue: receives', 'ReceiveMessage')) return;
    const Records = batch.map(({ id, body }) => ({ messageId: id, body }));
    const result = await runWorker('drain-backlogs', { Records });
    if (result !== undefined) for (const { id } of batch) drains.delete(id);
  });
  for (const name of workerNames) consumeDue(name, queues, draws, faultSchedule, { runWorker, add, rights });
}

/** The event source of the queue of a worker's due jobs, if it has one. */
function consumeDue(
  name: WorkerName,
  { due }: ReturnType<typeof queuesOf>,
  draws: Draws,
  faultSchedule: () => Weather,
  { runWorker, add, rights }: Over,
): void {
  const family = workers[name].due;
  const queue = family && due.get(family);
  queue?.consumeWith(async (batch) => {
    add(`due ${name}`, batch.map(({ body }) => body).join(' '));
    if (!rights.maySource(name, `dueQueue: ${family}`, 'ReceiveMessage')) return;
    const Records = batch.map(({ id, body, receives }) => ({
      ...{ messageId: id, receiptHandle: id, body, eventSource: 'aws:sqs' },
      attributes: { ApproximateReceiveCount: String(receives) },
    }));
    const result = (await runWorker(name, { Records })) as SQSBatchResponse | undefined;
    if (result === undefined) return;
    const failed = new Set(result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { id } of batch) if (!failed.has(id) && !draws.chance(faultSchedule().crash)) queue.delete(id);
  });
}
