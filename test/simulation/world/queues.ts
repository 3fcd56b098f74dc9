import { workerNames, workers } from '#functions/workers.ts';
import type { DueFamily } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilyNames, dueQueueVariable, jobsAtOnce, maxJobWorkers } from '#shared/platform/jobs/due-kinds.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import { simulatedQueue } from '#test/model/simulated-queue.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { Weather } from './actors.ts';

export const queueUrls = {
  QUEUE_URL: 'https://sqs.world/deliveries',
  DRAIN_QUEUE_URL: 'https://sqs.world/drains',
  DEAD_LETTER_QUEUE_URL: 'https://sqs.world/dead',
} as const;

export const dueQueueUrl = (family: DueFamily): string => `https://sqs.world/due/${family}`;
/** The environment variables with the URLs of the queues of due jobs. */
export const dueQueueUrls = Object.fromEntries(
  dueFamilyNames.map((family) => [dueQueueVariable(family), dueQueueUrl(family)]),
);
/** As infra/aws/constructs/due-queues.ts has it: what waits so long is sent again. */
const dueRetentionMs = 3_600_000;
/** What a run sends in so many milliseconds comes in one receive. */
const gathersMs = 20;
/** Two workers often have the same job: each must find that the other one has taken it. */
const doubled = 0.4;
/** A copy of a due job comes at the same time, after its next call, or when the job is done and due again. */
const copiesWithinMs = 200_000;
/** SQS counts messages approximately: in so many milliseconds at most a change is counted. */
const countLagMs = 60_000;

type Queue = ReturnType<typeof simulatedQueue>;
type Entry = {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly DelaySeconds?: number;
};

/** All queues and the dead letters, by what the SDK's calls say. */
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
  const due = dueQueuesOf(time, chance, isReliable, () => faultSchedule().queue / 10);
  const byUrl = new Map<string, Queue>([
    [queueUrls.QUEUE_URL, deliveries],
    [queueUrls.DRAIN_QUEUE_URL, drains],
    ...[...due].map(([family, queue]) => [dueQueueUrl(family), queue] as const),
  ]);
  const at = (url: string): Queue => {
    const queue = byUrl.get(url);
    if (queue === undefined) throw new Error(`There is no queue ${url}.`);
    return queue;
  };
  return {
    deliveries,
    drains,
    due,
    isNarrow: mostInFlight < 120_000,
    send: (url: string, entries: readonly Entry[]): { readonly Failed: readonly { Id: string; Code: string }[] } => {
      const to = at(url);
      const Failed: { Id: string; Code: string }[] = [];
      for (const { Id, MessageBody, MessageGroupId, DelaySeconds = 0 } of entries)
        if (draws.chance(faultSchedule().queue / 5)) Failed.push({ Id, Code: 'InternalError' });
        else to.send(MessageBody, MessageGroupId, DelaySeconds);
      return { Failed };
    },
    hide: (url: string, receiptHandle: string, seconds: number): object => {
      at(url).hide(receiptHandle, seconds);
      return {};
    },
    attributes: (url: string): { readonly Attributes: Readonly<Record<string, string>> } => {
      const lagMs = draws.chance(faultSchedule().queue) ? draws.between(0, countLagMs) : 0;
      const { waiting, inWork } = at(url).countBefore(lagMs);
      return {
        Attributes: {
          ApproximateNumberOfMessages: String(waiting),
          ApproximateNumberOfMessagesNotVisible: String(inWork),
        },
      };
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

/** The queues of due jobs, one a family, without dead letters: a worker removes what it received too often. */
function dueQueuesOf(
  time: VirtualTime,
  chance: () => number,
  isReliable: () => boolean,
  throttled: () => number,
): ReadonlyMap<DueFamily, Queue> {
  const options = { consumers: maxJobWorkers, batchSize: jobsAtOnce, retentionMs: dueRetentionMs };
  return new Map(
    workerNames.flatMap((name) => {
      const { due: family, timeoutSeconds } = workers[name];
      if (family === undefined) return [];
      const own = {
        ...options,
        visibilityMs: 6000 * timeoutSeconds,
        throttled,
        gathersMs,
        doubled,
        copiesWithinMs,
        mostReceives: Infinity,
      };
      return [[family, simulatedQueue(time, chance, isReliable, own)]];
    }),
  );
}
