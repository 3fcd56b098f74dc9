import type { SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import type { LocalQueue } from '../engines/sqs-queues.ts';
import type { QueueAccess, ReceivedMessage } from '../engines/sqs-engine.ts';
import type { FunctionDefinition } from '../functions/function-definitions.ts';
import type { FunctionLog } from '../functions/function-log.ts';
import type { FunctionRuntime } from '../functions/function-runtime.ts';
import { region } from '../template/local-values.ts';
import type { Loop } from './loop.ts';
import { pauseUntil, startLoop } from './loop.ts';

/** A mapping from a queue to a function. */
type QueueSource = {
  readonly id: string;
  readonly target: FunctionDefinition;
  readonly queue: Pick<LocalQueue, 'url' | 'retentionSeconds'> & { readonly arn: string };
  readonly batchSize: number;
  readonly reportsItemFailures: boolean;
  /** Maximum number of concurrent batches. */
  readonly maximumConcurrency: number;
};

export type QueueDependencies = {
  readonly access: QueueAccess;
  readonly runtime: FunctionRuntime;
  readonly log: FunctionLog;
};

/**
 * Maximum number of concurrent batches while the function's thread is busy: more batches in one thread could exceed the
 * time of an invocation. A thread that waits for a partner's response is not busy.
 */
const besideBusy = 2;
const busyPauseMs = 10;
const longPollSeconds = 20;
const afterErrorMs = 500;
/** SQS hands out ten messages at most. */
const receiveLimit = 10;

const partialBatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() })
  .nullish();

/**
 * Feeds a function from a queue ("Using Lambda with Amazon SQS"). A message that does not fail is deleted. A failed
 * message is visible again when its visibility timeout ends. The function may change the timeout; the mapping never
 * does.
 */
export function startQueueSource(source: QueueSource, use: QueueDependencies): Loop {
  return startLoop(async (signal) => {
    const inWork = new Set<Promise<void>>();
    while (!signal.aborted) {
      const capacity = source.maximumConcurrency - inWork.size;
      if (capacity <= 0) {
        await Promise.race(inWork);
        continue;
      }
      if (inWork.size >= besideBusy && use.runtime.isBusy(source.target)) {
        await Promise.race([...inWork, pauseUntil(busyPauseMs, signal)]);
        continue;
      }
      const messages = await receive(source, use, Math.min(receiveLimit, capacity * source.batchSize), signal);
      for (let at = 0; at < messages.length; at += source.batchSize) {
        const batch = messages.slice(at, at + source.batchSize);
        const work = process(source, use, batch).finally(() => inWork.delete(work));
        inWork.add(work);
      }
    }
    await Promise.all(inWork);
  });
}

async function receive(
  source: QueueSource,
  use: QueueDependencies,
  count: number,
  signal: AbortSignal,
): Promise<readonly ReceivedMessage[]> {
  const stopped = Promise.withResolvers<readonly ReceivedMessage[]>();
  const stop = (): void => {
    stopped.resolve([]);
  };
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([use.access.receive(source.queue.url, count, longPollSeconds), stopped.promise]);
  } catch (error) {
    if (signal.aborted) return [];
    use.log.failure(source.id, `Cannot read the queue: ${String(error)}`);
    await pauseUntil(afterErrorMs, signal);
    return [];
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function process(source: QueueSource, use: QueueDependencies, batch: readonly ReceivedMessage[]): Promise<void> {
  const remove = (messages: readonly ReceivedMessage[]): void => {
    if (messages.length === 0) return;
    use.access.remove(
      source.queue.url,
      messages.map(({ ReceiptHandle }) => ReceiptHandle),
    );
  };
  try {
    const oldest = Date.now() - source.queue.retentionSeconds * 1000;
    const isRetained = ({ Attributes }: ReceivedMessage): boolean => !(Number(Attributes?.['SentTimestamp']) < oldest);
    const messages = batch.filter(isRetained);
    // The engine never deletes messages; SQS would have deleted these.
    remove(batch.filter((message) => !isRetained(message)));
    if (messages.length === 0) return;
    const Records = messages.map((message) => toRecord(source, message));
    const outcome = await use.runtime.invoke(source.target, { Records });
    if (!outcome.ok) return;
    const failed = failedMessages(source, messages, outcome.payload);
    remove(messages.filter(({ MessageId }) => !failed.has(MessageId)));
  } catch (error) {
    use.log.failure(source.id, `Cannot finish a batch: ${String(error)}`);
  }
}

/**
 * Returns the ids of the messages to keep. A result of another shape, or with a message that is not in the batch, fails
 * the whole batch.
 */
function failedMessages(source: QueueSource, batch: readonly ReceivedMessage[], payload: unknown): ReadonlySet<string> {
  if (!source.reportsItemFailures) return new Set();
  const all = new Set(batch.map(({ MessageId }) => MessageId));
  const response = partialBatchResponse.safeParse(payload);
  if (!response.success) return all;
  const failed = new Set((response.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  return [...failed].every((id) => all.has(id)) ? failed : all;
}

/** Converts a message to Lambda's record. @throws Error for message attributes, which no sender of the service sets. */
function toRecord(source: QueueSource, message: ReceivedMessage): SQSRecord {
  if (message.MessageAttributes !== undefined)
    throw new Error('The local environment does not support message attributes.');
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: (message.Attributes ?? {}) as unknown as SQSRecord['attributes'],
    messageAttributes: {},
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: source.queue.arn,
    awsRegion: region,
  };
}
