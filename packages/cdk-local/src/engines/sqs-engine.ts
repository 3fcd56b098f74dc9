import type { BuildAppOptions } from 'fauxqs';
import { buildApp } from 'fauxqs';
import * as z from 'zod';
import type { DataFolder } from '../data-folder.ts';
import { region } from '../template/local-values.ts';

/** The two calls of event sources, made in this process. Over HTTP they took a fifth of a delivery's computing time. */
export type QueueAccess = {
  /** Works like `ReceiveMessage` with all attributes; waits up to `waitSeconds` for the first message. */
  readonly receive: (queueUrl: string, count: number, waitSeconds: number) => Promise<readonly ReceivedMessage[]>;
  /** Works like `DeleteMessageBatch`, all or none. */
  readonly remove: (queueUrl: string, receiptHandles: readonly string[]) => void;
};

/** A message as the engine returns it over HTTP. */
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

type Message = { readonly body: string; messageGroupId?: string };

type Queue = {
  messages: Message[];
  readonly inflightMessages: ReadonlyMap<string, { readonly message: Message }>;
  readonly delayedMessages: readonly unknown[];
  readonly pollWaiters: readonly unknown[];
  pollTimer?: NodeJS.Timeout | undefined;
  enqueue(message: Message): void;
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

/** The function of `fauxqs/dist/sqs/actions/receiveMessage.js`. */
type ReceiveMessage = (
  input: Readonly<Record<string, unknown>>,
  store: SqsStore,
) => Promise<{ readonly Messages?: readonly ReceivedMessage[] }>;

/**
 * Starts SQS on loopback. It stores its data in the data folder, so that messages and dead letters survive `kill -9`.
 *
 * The engine's own `startFauxqs` listens on every interface. Therefore this function builds the engine's app itself,
 * with four corrections:
 * - A receive is one transaction: a message that moves to the dead-letter queue is always in one of the two queues.
 * - A receive is fair between message groups ("Amazon SQS fair queues").
 * - A message made visible with `ChangeMessageVisibility` 0 keeps its receive count. The engine writes NULL, which its
 *   schema refuses.
 * - The timer of an empty queue does not run fifty times a second.
 */
export async function startSqsEngine(folder: DataFolder) {
  const base = import.meta.resolve('fauxqs');
  const load = async <T>(path: string, name: string): Promise<T> => {
    const module = (await import(new URL(path, base).href)) as Record<string, new (...parameters: unknown[]) => T>;
    const engine = module[name];
    if (engine === undefined) throw new Error(`fauxqs has no ${name} in ${path}.`);
    return new engine(folder.file('sqs'));
  };
  const { receiveMessage } = (await import(new URL('./sqs/actions/receiveMessage.js', base).href)) as {
    readonly receiveMessage: ReceiveMessage;
  };
  const sqsStore = await load<Stores['sqsStore']>('./sqs/sqsStore.js', 'SqsStore');
  const snsStore = await load<Stores['snsStore']>('./sns/snsStore.js', 'SnsStore');
  const s3Store = await load<Stores['s3Store']>('./s3/s3Store.js', 'S3Store');
  const persistence = await load<Persistence>('./persistence.js', 'PersistenceManager');
  const groups = new Map<string, string>();
  attach(sqsStore as unknown as SqsStore, persistence, groups, () => {
    persistence.loadSqsQueues(sqsStore);
  });
  const app = buildApp({
    logger: false,
    host: '127.0.0.1',
    defaultRegion: region,
    stores: { sqsStore, snsStore, s3Store },
  });
  app.addHook('preHandler', (request, _reply, done) => {
    for (const { MessageBody, MessageGroupId } of Sent.safeParse(request.body).data?.Entries ?? [])
      groups.set(MessageBody, MessageGroupId);
    done();
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

/** The part of `SendMessageBatch` that the engine leaves out: the groups of a standard queue. */
const Sent = z.object({ Entries: z.array(z.object({ MessageBody: z.string(), MessageGroupId: z.string() })) });

/** Applies the corrections to the engine. @param groups Groups of messages that are being sent, by their body. */
function attach(store: SqsStore, persistence: Persistence, groups: Map<string, string>, loadQueues: () => void): void {
  // The write-ahead log survives the end of the process. Only a power cut would need an fsync of every message.
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
    queue.dequeue = (...options) => {
      let received: unknown;
      putQuietFirst(queue);
      persistence.transaction(() => {
        received = dequeue(...options);
      });
      return received;
    };
    const enqueue = queue.enqueue.bind(queue);
    queue.enqueue = (message) => {
      const messageGroupId = groups.get(message.body);
      groups.delete(message.body);
      enqueue(messageGroupId === undefined ? message : Object.assign(message, { messageGroupId }));
    };
    sleepWhileEmpty(queue);
    return queue;
  };
  // Queues are loaded before `persistence` is attached: otherwise their creation would erase their messages.
  loadQueues();
  store.persistence = persistence;
  for (const queue of store.allQueues()) queue.persistence = persistence;
}

/** Maximum number of messages of one receive. */
const receivedAtMost = 10;

/** Orders a queue so that the next receive gets the oldest messages of the groups with the fewest in flight. */
function putQuietFirst(queue: Queue): void {
  if (queue.messages.length <= receivedAtMost) return;
  const groupOf = ({ messageGroupId = '' }: Message): string => messageGroupId;
  const oldest = new Map<string, Message[]>();
  for (const message of queue.messages) {
    const known = oldest.get(groupOf(message)) ?? [];
    if (known.length === 0) oldest.set(groupOf(message), known);
    if (known.length < receivedAtMost) known.push(message);
  }
  if (oldest.size === 1) return;
  const inFlight = new Map<string, number>();
  const begin = (group: string): unknown => inFlight.set(group, (inFlight.get(group) ?? 0) + 1);
  for (const { message } of queue.inflightMessages.values()) begin(groupOf(message));
  const first = new Set<Message>();
  while (first.size < receivedAtMost) {
    const groups = [...oldest].filter(([, { length }]) => length > 0);
    const [quietest] = groups.toSorted(([a], [b]) => (inFlight.get(a) ?? 0) - (inFlight.get(b) ?? 0));
    const next = quietest?.[1].shift();
    if (quietest === undefined || next === undefined) break;
    begin(quietest[0]);
    first.add(next);
  }
  queue.messages = [...first, ...queue.messages.filter((message) => !first.has(message))];
}

/** Stops the timer of a queue without messages in flight or delayed: the timer only makes these visible again. */
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
    // A delayed message wakes no waiting receiver, so the timer must start. For messages in flight it started when the
    // receiver began to wait.
    queue.startPollTimerIfNeeded();
  };
}
