import { dueInRealTime } from '#sandbox';
import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { DueWork } from './due.ts';
import { dueIn } from './due.ts';
import type { DueFamily, DueKind } from './due-kinds.ts';
import { dueFamilies, dueKinds } from './due-kinds.ts';
import type { DueRun } from './run.ts';
import { isTimeUp } from './run.ts';

const MessageShape = z.object({
  kind: z.enum(dueKinds),
  companyId: z.string(),
  id: z.string(),
  dueAt: z.string(),
  /** The time of a re-drive: the job is done whatever its time. */
  redrivenAt: z.string().optional(),
});
/** A message of a queue of due jobs: one job. */
export type DueMessage = z.output<typeof MessageShape>;

/** Parses a message of a queue of due jobs; undefined for any other text. */
export function parseDueMessage(text: string): DueMessage | undefined {
  try {
    return MessageShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The queue of a family's due jobs. */
export type DueQueue = {
  /** Whether no message waits, as far as SQS knows. Those in work do not count. */
  readonly isEmpty: () => Promise<boolean>;
  /** Sends at most ten messages, each with its company as message group. Returns how many were not taken. */
  readonly send: (batch: readonly DueMessage[]) => Promise<number>;
};

/** The limit of SQS for one call. */
const maxBatch = 10;
/** Calls to the queue at the same time. */
const sendersAtOnce = 10;
/** A run sends jobs that became due in these seconds, even if messages wait: two or three runs see each job. */
const freshSeconds = 180;
/** In every run of these minutes all due jobs are sent, also those that the queue should have. */
const allEveryMinutes = 10;
const endOfTime: Instant = '9999-12-31T23:59:59.999Z';

/** Options of a run that sends due jobs. */
export type EnqueueOptions = {
  /** By kind: jobs are sent so many seconds after they are due. */
  readonly graceSeconds?: Readonly<Partial<Record<DueKind, number>>>;
  /** Jobs of these kinds are sent whatever their time, marked with the time of the re-drive. */
  readonly redrive?: { readonly kinds: readonly DueKind[]; readonly at: Instant };
};
/** `pending`: due jobs that were not sent. `lateSeconds`: how long the oldest one could have been sent. */
type KindQueued = { pending: number; lateSeconds: number };
export type Enqueued = {
  readonly queued: number;
  readonly failed: number;
  readonly due: Readonly<Partial<Record<DueKind, Readonly<KindQueued>>>>;
};

/**
 * Sends the due jobs of a family to its queue. The index is the truth: a message that is lost, or sent twice, does no
 * harm. While the queue holds messages, a run sends only jobs that have just become due. Every tenth minute, and when
 * the queue is empty, it sends all of them.
 */
export async function enqueueDue(
  run: DueRun,
  family: DueFamily,
  queue: DueQueue,
  { graceSeconds = {}, redrive }: EnqueueOptions = {},
): Promise<Enqueued> {
  const at = run.now();
  const due: Partial<Record<DueKind, KindQueued>> = {};
  for (const kind of dueFamilies[family]) due[kind] = { pending: 0, lateSeconds: 0 };
  let failed = 0;
  const lost = (error: unknown): void => {
    failed += 1;
    run.failed({}, error);
  };
  const freshAfter = plusSeconds(at, -freshSeconds);
  const isEmpty = (): Promise<boolean> =>
    queue.isEmpty().catch((error: unknown) => {
      lost(error);
      return false;
    });
  const sendsAll = redrive !== undefined || isMinuteOfAll(at) || (await isEmpty());
  const sender = senderTo(queue, lost);
  const take = async (work: DueWork): Promise<void> => {
    const isRedriven = redrive?.kinds.includes(work.kind) === true;
    const readyAt = plusSeconds(work.dueAt, graceSeconds[work.kind] ?? 0);
    if (!isRedriven && readyAt > at) return;
    const count = (due[work.kind] ??= { pending: 0, lateSeconds: 0 });
    count.lateSeconds = Math.max(count.lateSeconds, secondsBetween(readyAt, at));
    if (!sendsAll && readyAt <= freshAfter) count.pending += 1;
    else await sender.add(isRedriven ? { ...work, redrivenAt: redrive.at } : work);
  };
  // Jobs that have just become due come first: a long backlog must not hide them.
  const between = plusSeconds(freshAfter, -Math.max(0, ...Object.values(graceSeconds)));
  const everything = redrive === undefined ? { until: at } : ({ until: endOfTime, order: 'NEWEST_FIRST' } as const);
  for (const range of sendsAll ? [everything] : [{ after: between, until: at }, { until: between }])
    for await (const work of dueInRealTime(run.store, dueIn(run.store, family, range, lost))) {
      if (isTimeUp(run)) break;
      await take(work);
    }
  const queued = await sender.end();
  return { queued, failed, due };
}

function isMinuteOfAll(at: Instant): boolean {
  return Number(at.slice(14, 16)) % allEveryMinutes === 0;
}

/** Collects messages into calls of ten, several of them concurrently. `end` returns how many messages were taken. */
export function senderTo({ send }: Pick<DueQueue, 'send'>, lost: (error: unknown) => void) {
  let batch: DueMessage[] = [];
  let queued = 0;
  const running = new Set<Promise<void>>();
  const flush = (): void => {
    const messages = batch;
    batch = [];
    const sending = Promise.try(send, messages)
      .then((refused) => {
        queued += messages.length - refused;
        if (refused > 0) lost(new Error(`SQS did not take ${refused} of ${messages.length} messages.`));
      }, lost)
      .finally(() => running.delete(sending));
    running.add(sending);
  };
  return {
    add: async (message: DueMessage): Promise<void> => {
      batch.push(message);
      if (batch.length < maxBatch) return;
      flush();
      if (running.size >= sendersAtOnce) await Promise.race(running);
    },
    end: async (): Promise<number> => {
      if (batch.length > 0) flush();
      await Promise.all(running);
      return queued;
    },
  };
}
