import type { DeadLetterQueue } from '#shared/webhooks/dispatch/sweep.ts';
import { receivesPerDispatch } from '#shared/webhooks/deliveries/states.ts';
import type { VirtualTime } from './virtual-time.ts';

type QueuedMessage = { readonly id: string; readonly body: string; receives: number; visibleAt: number };
/** Gets a received message; what it does not delete comes again. */
type Consumer = (message: QueuedMessage) => Promise<void>;

const visibilityMs = 90_000;
const usualConsumers = 4;

/**
 * A standard queue with redrive as SQS has it: any order, now and then a message twice at once, and after five receives
 * the next one moves it, with its id, to the dead letters.
 */
export function simulatedQueue(time: VirtualTime, chance: () => number, isReliable: () => boolean) {
  const messages = new Map<string, QueuedMessage>();
  const dead = new Map<string, QueuedMessage>();
  let ids = 0;
  let busy = 0;
  let consumers = usualConsumers;
  let consume: Consumer = () => Promise.resolve();

  const receive = (message: QueuedMessage): void => {
    message.receives += 1;
    if (message.receives > receivesPerDispatch) {
      messages.delete(message.id);
      dead.set(message.id, { ...message, visibleAt: 0 });
      return;
    }
    message.visibleAt = time.now() + visibilityMs;
    time.at(message.visibleAt, pump);
    busy += 1;
    void consume({ ...message }).finally(() => {
      busy -= 1;
      pump();
    });
  };
  const pump = (): void => {
    while (busy < consumers) {
      const visible = [...messages.values()].filter(({ visibleAt }) => visibleAt <= time.now());
      const chosen = visible[Math.floor(chance() * visible.length)];
      if (chosen === undefined) return;
      receive(chosen);
      if (!isReliable() && chance() < 0.05 && messages.has(chosen.id)) receive(chosen);
    }
  };
  const showAt = (id: string, ms: number): void => {
    const message = messages.get(id);
    if (message === undefined) return;
    message.visibleAt = ms;
    time.at(ms, pump);
  };
  const deadLetters: DeadLetterQueue = {
    receive: () => {
      const visible = [...dead.values()].filter(({ visibleAt }) => visibleAt <= time.now()).slice(0, 10);
      for (const deadLetter of visible) deadLetter.visibleAt = time.now() + 2000;
      return Promise.resolve(visible.map(({ id, body }) => ({ id, body, receiptHandle: id })));
    },
    remove: ({ receiptHandle }) => {
      dead.delete(receiptHandle);
      return Promise.resolve();
    },
  };
  return {
    messages,
    dead,
    deadLetters,
    send: (body: string, delaySeconds: number): void => {
      const id = `m-${String((ids += 1))}`;
      messages.set(id, { id, body, receives: 0, visibleAt: 0 });
      showAt(id, time.now() + delaySeconds * 1000);
    },
    delete: (id: string): void => void messages.delete(id),
    hide: (id: string, seconds: number): void => {
      showAt(id, time.now() + seconds * 1000);
    },
    /** So many messages are worked on at once from now on. */
    employ: (count: number): void => {
      consumers = count;
    },
    consumeWith: (consumer: Consumer): void => {
      consume = consumer;
    },
  };
}
