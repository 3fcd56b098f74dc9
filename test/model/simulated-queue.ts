import type { DeadLetterQueue } from '#shared/webhooks/dispatch/sweep.ts';
import { receivesPerDispatch } from '#shared/webhooks/deliveries/states.ts';
import type { VirtualTime } from './virtual-time.ts';

type QueuedMessage = { readonly id: string; readonly body: string; readonly group: string; receives: number };
/** Gets the messages of a receive; what it does not delete comes again. */
type Consumer = (messages: readonly QueuedMessage[]) => Promise<void>;

/** How far back the counts of a queue are kept: SQS promises that they are right within about a minute. */
const countsKeptMs = 60_000;
/** Longer than a sweep, which looks at each dead letter once. */
const deadLetterHiddenMs = 60_000;

type QueueOptions = {
  readonly visibilityMs: number;
  readonly consumers: number;
  readonly batchSize: number;
  /** Share of invocations that are throttled: each burns a receive of its messages. */
  readonly throttled?: () => number;
  /** A receive gives nothing while so many messages are in flight: received, and neither deleted nor visible again. */
  readonly mostInFlight?: number;
  /** A message goes so long after it was sent. */
  readonly retentionMs?: number;
  /** After so many receives the next one moves a message to the dead letters; `Infinity` for a queue without them. */
  readonly mostReceives?: number;
  /** Share of received messages, while the queue is not reliable, of which another receive gets a copy. */
  readonly doubled?: number;
  /** A copy comes at most so long after its message, even if that was deleted meanwhile. Default: at the same time. */
  readonly copiesWithinMs?: number;
  /** A receive takes what became visible within so many milliseconds: without it each message comes alone. */
  readonly gathersMs?: number;
};
type Count = { readonly ms: number; readonly waiting: number; readonly inWork: number };

/**
 * A standard queue with redrive as SQS has it: any order, sometimes one message twice, concurrently or after it was
 * deleted. After the most receives the next one moves it, with its id, to the dead letters. Fair: the group with the
 * fewest messages in work is next.
 */
export function simulatedQueue(
  time: VirtualTime,
  chance: () => number,
  isReliable: () => boolean,
  {
    visibilityMs,
    consumers,
    batchSize,
    throttled = () => 0,
    mostInFlight = 120_000,
    retentionMs = Infinity,
    mostReceives = receivesPerDispatch,
    doubled = 0.05,
    copiesWithinMs = 0,
    gathersMs,
  }: QueueOptions,
) {
  const messages = new Map<string, QueuedMessage>();
  const visible = new Map<string, QueuedMessage[]>();
  const hiddenUntil = new Map<string, number>();
  const inWork = new Map<string, number>();
  const inFlight = new Set<string>();
  const dead = new Map<string, QueuedMessage & { visibleAt: number }>();
  /** Each is the count of its second, and from then on until the next one. */
  const counts: Count[] = [{ ms: -Infinity, waiting: 0, inWork: 0 }];
  let ids = 0;
  let busy = 0;
  let consume: Consumer = () => Promise.resolve();

  const count = (): void => {
    const ms = Math.floor(time.now() / 1000) * 1000;
    if (counts.at(-1)?.ms === ms) counts.pop();
    counts.push({ ms, waiting: messages.size - inFlight.size, inWork: inFlight.size });
    while ((counts[1]?.ms ?? Infinity) <= time.now() - countsKeptMs) counts.shift();
  };
  const remove = (id: string): void => {
    messages.delete(id);
    inFlight.delete(id);
    count();
  };
  const show = (id: string, ms: number): void => {
    const message = messages.get(id);
    if (message === undefined || hiddenUntil.get(id) !== ms) return;
    hiddenUntil.delete(id);
    inFlight.delete(id);
    count();
    const waiting = visible.get(message.group) ?? [];
    visible.set(message.group, waiting);
    waiting.push(message);
    if (gathersMs === undefined) pump();
    else time.at(time.now() + gathersMs, pump);
  };
  const hideUntil = (id: string, ms: number): void => {
    if (!messages.has(id)) return;
    hiddenUntil.set(id, ms);
    time.at(ms, () => {
      show(id, ms);
    });
  };
  /** The next message of the group with the least in work; undefined when nothing is visible. */
  const next = (): QueuedMessage | undefined => {
    let best: string | undefined;
    let least = Infinity;
    for (const [group, waiting] of visible) {
      const count = inWork.get(group) ?? 0;
      if (waiting.length > 0 && count < least) [best, least] = [group, count];
    }
    if (best === undefined) return undefined;
    const waiting = visible.get(best) ?? [];
    const [chosen] = waiting.splice(isReliable() ? 0 : Math.floor(chance() * waiting.length), 1);
    // Groups with as much in work take turns.
    visible.delete(best);
    if (waiting.length > 0) visible.set(best, waiting);
    return chosen !== undefined && messages.has(chosen.id) ? chosen : next();
  };
  const receive = (message: QueuedMessage): boolean => {
    message.receives += 1;
    inFlight.add(message.id);
    count();
    if (message.receives > mostReceives) {
      remove(message.id);
      dead.set(message.id, { ...message, visibleAt: 0 });
      return false;
    }
    hideUntil(message.id, time.now() + visibilityMs);
    return true;
  };
  const work = (batch: readonly QueuedMessage[]): void => {
    if (batch.length === 0 || chance() < throttled()) return;
    busy += 1;
    for (const { group } of batch) inWork.set(group, (inWork.get(group) ?? 0) + 1);
    void consume(batch.map((message) => ({ ...message }))).finally(() => {
      busy -= 1;
      for (const { group } of batch) inWork.set(group, (inWork.get(group) ?? 1) - 1);
      pump();
    });
  };
  const pump = (): void => {
    while (busy < consumers && inFlight.size < mostInFlight) {
      const batch: QueuedMessage[] = [];
      for (let message = next(); message !== undefined; message = batch.length < batchSize ? next() : undefined)
        if (receive(message)) batch.push(message);
      if (batch.length === 0) return;
      work(batch);
      for (const message of batch) if (!isReliable() && chance() < doubled) copy(message);
    }
  };
  /** Delivers a message again, after a time of any magnitude up to the longest. */
  const copy = (message: QueuedMessage): void => {
    const deliver = (): void => {
      if (isReliable()) return;
      // A server that missed the deletion still has it.
      if (copiesWithinMs > 0) messages.set(message.id, message);
      if (messages.has(message.id) && receive(message)) work([message]);
    };
    if (copiesWithinMs === 0) deliver();
    else time.at(time.now() + copiesWithinMs ** chance(), deliver);
  };
  /** @param hiddenMs how long what it gives is hidden */
  const receiveDead = (hiddenMs: number): ReturnType<DeadLetterQueue['receive']> => {
    const seen = [...dead.values()].filter(({ visibleAt }) => visibleAt <= time.now()).slice(0, 10);
    for (const deadLetter of seen) deadLetter.visibleAt = time.now() + hiddenMs;
    return Promise.resolve(seen.map(({ id, body }) => ({ id, body, receiptHandle: id })));
  };
  const deadLetters: DeadLetterQueue = {
    receive: () => receiveDead(deadLetterHiddenMs),
    remove: ({ receiptHandle }) => {
      dead.delete(receiptHandle);
      return Promise.resolve();
    },
  };
  return {
    messages,
    dead,
    deadLetters,
    receiveDead,
    send: (body: string, group: string, delaySeconds: number): void => {
      const id = `m-${String((ids += 1))}`;
      messages.set(id, { id, body, group, receives: 0 });
      count();
      hideUntil(id, time.now() + delaySeconds * 1000);
      if (retentionMs < Infinity)
        time.at(time.now() + retentionMs, () => {
          remove(id);
        });
    },
    delete: remove,
    /** How many messages waited, and how many were in work, so many milliseconds ago. */
    countBefore: (ms: number): Omit<Count, 'ms'> => counts.findLast((one) => one.ms <= time.now() - ms) ?? counts[0]!,
    hide: (id: string, seconds: number): void => {
      hideUntil(id, time.now() + seconds * 1000);
    },
    consumeWith: (consumer: Consumer): void => {
      consume = consumer;
    },
  };
}
