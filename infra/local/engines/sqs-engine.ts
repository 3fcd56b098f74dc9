import type { BuildAppOptions } from 'fauxqs';
import { buildApp } from 'fauxqs';
import type { DataFolder } from '../data-folder.ts';
import { region } from '../template/local-values.ts';

/** The two calls of event sources, in this process: over HTTP they were a fifth of what it computes for a delivery. */
export type QueueAccess = {
  /** As `ReceiveMessage` with all attributes; waits for as long for the first message. */
  readonly receive: (queueUrl: string, count: number, waitSeconds: number) => Promise<readonly ReceivedMessage[]>;
  /** As `DeleteMessageBatch`, all or none. */
  readonly remove: (queueUrl: string, receiptHandles: readonly string[]) => void;
};

/** A message as the engine answers it over HTTP. */
export type ReceivedMessage = {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MessageAttributes?: unknown;
};

type Stores = NonNullable<BuildAppOptions['stores']>;

/** The used part of `fauxqs/dist/persistence.js`: the package does not export it, its version is pinned. */
type Persistence = {
  readonly db: { exec(sql: string): void; prepare(sql: string): { run(...values: string[]): unknown } };
  transaction(work: () => void): void;
  loadSqsQueues(store: Stores['sqsStore']): void;
  updateMessageReady(messageId: string): void;
  close(): void;
};

type Queue = {
  readonly inflightMessages: { readonly size: number };
  readonly delayedMessages: readonly unknown[];
  readonly pollWaiters: readonly unknown[];
  pollTimer?: NodeJS.Timeout | undefined;
  enqueue(message: unknown): void;
  dequeue(...parameters: unknown[]): unknown;
  deleteMessage(receiptHandle: string): boolean;
  processTimers(): void;
  startPollTimerIfNeeded(): void;
  persistence?: Persistence;
};

type SqsStore = {
  persistence?: Persistence;
  getQueue(url: string): Queue | undefined;
  createQueue(...parameters: unknown[]): Queue;
  allQueues(): Iterable<Queue>;
};

/** As `fauxqs/dist/sqs/actions/receiveMessage.js`. */
type ReceiveMessage = (
  input: Readonly<Record<string, unknown>>,
  store: SqsStore,
) => Promise<{ readonly Messages?: readonly ReceivedMessage[] }>;

/**
 * SQS on loopback, kept in the data folder so that messages and dead letters survive `kill -9`.
 *
 * The engine's own `startFauxqs` listens on every interface, therefore its app is mounted here by hand, with three
 * corrections: a receive is one transaction (a message on its way to the dead-letter queue is never in neither), a
 * message made visible with `ChangeMessageVisibility` 0 keeps its receive count (the engine writes NULL, which its
 * schema refuses), and a queue that holds nothing does not look at it fifty times a second.
 */
export async function startSqsEngine(folder: DataFolder) {
  const base = import.meta.resolve('fauxqs');
  const load = async <T>(path: string, name: string): Promise<T> => {
    const module = (await import(new URL(path, base).href)) as Record<string, new (...parameters: unknown[]) => T>;
    const made = module[name];
    if (made === undefined) throw new Error(`fauxqs has no ${name} in ${path}.`);
    return new made(folder.file('sqs'));
  };
  const { receiveMessage } = (await import(new URL('./sqs/actions/receiveMessage.js', base).href)) as {
    readonly receiveMessage: ReceiveMessage;
  };
  const sqsStore = await load<Stores['sqsStore']>('./sqs/sqsStore.js', 'SqsStore');
  const snsStore = await load<Stores['snsStore']>('./sns/snsStore.js', 'SnsStore');
  const s3Store = await load<Stores['s3Store']>('./s3/s3Store.js', 'S3Store');
  const persistence = await load<Persistence>('./persistence.js', 'PersistenceManager');
  attach(sqsStore as unknown as SqsStore, persistence, () => {
    persistence.loadSqsQueues(sqsStore);
  });
  const app = buildApp({
    logger: false,
    host: '127.0.0.1',
    defaultRegion: region,
    stores: { sqsStore, snsStore, s3Store },
  });
  app.addHook('onClose', () => {
    persistence.close();
  });
  return {
    endpoint: await app.listen({ host: '127.0.0.1', port: 0 }),
    access: accessTo(sqsStore as unknown as SqsStore, persistence, receiveMessage),
    stop: () => app.close(),
  };
}

function accessTo(store: SqsStore, persistence: Persistence, receiveMessage: ReceiveMessage): QueueAccess {
  const all = { MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] };
  return {
    receive: async (QueueUrl, MaxNumberOfMessages, WaitTimeSeconds) =>
      (await receiveMessage({ QueueUrl, MaxNumberOfMessages, WaitTimeSeconds, ...all }, store)).Messages ?? [],
    remove: (queueUrl, receiptHandles) => {
      const queue = store.getQueue(queueUrl);
      if (queue === undefined) throw new Error(`There is no queue ${queueUrl}.`);
      persistence.transaction(() => {
        for (const handle of receiptHandles) queue.deleteMessage(handle);
      });
    },
  };
}

function attach(store: SqsStore, persistence: Persistence, loadQueues: () => void): void {
  // The write-ahead log survives the death of the process; an fsync of every message would guard against a power cut.
  persistence.db.exec('PRAGMA synchronous = NORMAL');
  const ready = persistence.db.prepare(
    'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
  );
  persistence.updateMessageReady = (messageId) => {
    ready.run(messageId);
  };
  const createQueue = store.createQueue.bind(store);
  store.createQueue = (...parameters) => {
    const queue = createQueue(...parameters);
    const dequeue = queue.dequeue.bind(queue);
    queue.dequeue = (...what) => {
      let received: unknown;
      persistence.transaction(() => {
        received = dequeue(...what);
      });
      return received;
    };
    sleepWhileEmpty(queue);
    return queue;
  };
  // Loaded before it is attached: creating a queue again would otherwise erase its messages.
  loadQueues();
  store.persistence = persistence;
  for (const queue of store.allQueues()) queue.persistence = persistence;
}

/** The timer of a queue brings back messages that are in flight or delayed: without any of them it need not run. */
function sleepWhileEmpty(queue: Queue): void {
  const waitsForTime = (): boolean => queue.inflightMessages.size > 0 || queue.delayedMessages.length > 0;
  const start = queue.startPollTimerIfNeeded.bind(queue);
  queue.startPollTimerIfNeeded = () => {
    if (queue.pollWaiters.length > 0 && waitsForTime()) start();
  };
  const process = queue.processTimers.bind(queue);
  queue.processTimers = () => {
    process();
    if (waitsForTime()) return;
    clearInterval(queue.pollTimer);
    queue.pollTimer = undefined;
  };
  const enqueue = queue.enqueue.bind(queue);
  queue.enqueue = (message) => {
    enqueue(message);
    // A delayed message wakes no receiver. What is in flight was so before a receiver began to wait.
    queue.startPollTimerIfNeeded();
  };
}
