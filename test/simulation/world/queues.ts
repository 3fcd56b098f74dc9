import type { VirtualTime } from '#test/model/virtual-time.ts';
import { simulatedQueue } from '#test/model/simulated-queue.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { Weather } from './actors.ts';

export const queueUrls = {
  QUEUE_URL: 'https://sqs.world/deliveries',
  DRAIN_QUEUE_URL: 'https://sqs.world/drains',
  DEAD_LETTER_QUEUE_URL: 'https://sqs.world/dead',
} as const;

type Entry = {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly DelaySeconds: number;
};

/** Both queues and the dead letters, by what the SDK's calls say. */
export function queuesOf(
  time: VirtualTime,
  draws: Draws,
  faultSchedule: () => Weather,
  settings: { readonly maxConcurrency: number; readonly maxDrains: number },
  timeouts: { readonly notifier: number; readonly drainer: number },
) {
  // Messages in flight at most: so few in some lives that the crowd reaches it as a million partners reach SQS's own.
  const mostInFlight = draws.chance(0.25) ? 20 : 120_000;
  const isReliable = (): boolean => faultSchedule().queue === 0;
  const chance = (): number => draws.between(0, 1_000_000) / 1_000_000;
  const deliveries = simulatedQueue(time, chance, isReliable, {
    visibilityMs: 6000 * timeouts.notifier,
    consumers: settings.maxConcurrency,
    batchSize: 5,
    throttled: () => faultSchedule().queue / 10,
    mostInFlight,
  });
  const drains = simulatedQueue(time, chance, isReliable, {
    visibilityMs: 6000 * timeouts.drainer,
    consumers: settings.maxDrains,
    batchSize: 1,
  });
  return {
    deliveries,
    drains,
    isNarrow: mostInFlight < 120_000,
    send: (url: string, entries: readonly Entry[]): { readonly Failed: readonly { Id: string; Code: string }[] } => {
      const to = url === queueUrls.DRAIN_QUEUE_URL ? drains : deliveries;
      const Failed: { Id: string; Code: string }[] = [];
      for (const { Id, MessageBody, MessageGroupId, DelaySeconds } of entries)
        if (draws.chance(faultSchedule().queue / 5)) Failed.push({ Id, Code: 'InternalError' });
        else to.send(MessageBody, MessageGroupId, DelaySeconds);
      return { Failed };
    },
    hide: ({ ReceiptHandle, VisibilityTimeout }: { ReceiptHandle: string; VisibilityTimeout: number }): object => {
      deliveries.hide(ReceiptHandle, VisibilityTimeout);
      return {};
    },
    receiveDead: async ({ VisibilityTimeout }: { VisibilityTimeout: number }): Promise<object> => {
      const found = await deliveries.receiveDead(1000 * VisibilityTimeout);
      return {
        Messages: found.map(({ id, body, receiptHandle }) => ({
          MessageId: id,
          Body: body,
          ReceiptHandle: receiptHandle,
        })),
      };
    },
    removeDead: async (receiptHandle: string): Promise<object> => {
      await deliveries.deadLetters.remove({ id: receiptHandle, body: '', receiptHandle });
      return {};
    },
  };
}
