import type { BuildAppOptions } from 'fauxqs';
import { buildApp } from 'fauxqs';
import * as z from 'zod';
import type { DataFolder } from '../data-folder.ts';
import { region } from '../template/local-values.ts';

/** The two calls of event sources, in this process: over HTTP they took a fifth of the computing time of a delivery. */
export type QueueAccess = {
  /** Works like `ReceiveMessage` with all attributes; waits up to `waitSeconds` for the first message. */
  readonly receive: (queueUrl: string, count: number, waitSeconds: number) => Promise<readonly ReceivedMessage[]>;
  /** Works like `DeleteMessageBatch`, all or none. */
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
 * SQS on loopback, kept in the data folder so that messages and dead letters survive `kill -9`.
 *
 * The engine's own `startFauxqs` listens on every interface, therefore its app is mounted here by hand, with four
 * corrections: a receive is one transaction (a message on its way to the dead-letter queue is never in neither), it is
 * fair between message groups ("Amazon SQS fair queues"), a message made visible with `ChangeMessageVisibility` 0 keeps
 * its receive count (the engine writes NULL, which its schema refuses), and a queue that holds nothing does not look at
 * it fifty times a second.
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

/** @param groups of messages that are being sent, by their text */
function attach(store: SqsStore, persistence: Persistence, groups: Map<string, string>, loadQueues: () => void): void {
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
  // Loaded before it is attached: creating a queue again would otherwise erase its messages.
  loadQueues();
  store.persistence = persistence;
  for (const queue of store.allQueues()) queue.persistence = persistence;
}

/** A receive takes so many messages at most. */
const receivedAtMost = 10;

/** The next receive gets the oldest messages of the groups that have the fewest in flight. */
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
