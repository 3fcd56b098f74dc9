import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { FunctionDefinition } from '../functions/function-definitions.ts';
import type { FunctionLog } from '../functions/function-log.ts';
import type { FunctionRuntime } from '../functions/function-runtime.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Predicate } from './filter-pattern.ts';
import type { Position, StreamRecord } from './shard-reader.ts';
import { listShards, pageSize, readShard } from './shard-reader.ts';
import type { Bell, Loop } from './stopping.ts';
import { createBell, pauseUntil } from './stopping.ts';
import type { BatchDependencies, StreamFailurePolicy } from './stream-batch.ts';
import { deliverBatch } from './stream-batch.ts';

/** A mapping from a table's stream to a function. */
export type StreamSource = {
  readonly id: string;
  readonly target: FunctionDefinition;
  readonly stream: { readonly table: string; readonly arn: string; readonly eventArn: string; readonly region: string };
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  readonly accepts: Predicate;
  readonly batchSize: number;
  readonly windowMs: number;
  readonly policy: StreamFailurePolicy;
  /** Where discarded records are reported; absent: nowhere, as on Lambda. */
  readonly reportDiscarded: ((report: DiscardReport) => Promise<void>) | undefined;
};

export type DiscardReport = {
  readonly reason: string;
  readonly invocations: number;
  readonly shardId: string;
  readonly records: readonly StreamRecord[];
};

type StreamDependencies = {
  readonly client: DynamoDBStreamsClient;
  readonly runtime: FunctionRuntime;
  readonly checkpoints: Checkpoints;
  /** Sequence number of a table's newest record, where the engine tells it without a request. */
  readonly newestRecord?: ((table: string) => bigint) | undefined;
  readonly log: FunctionLog;
};

/**
 * Pause between two looks at a quiet stream; whatever a function does rings the bell earlier. Looks for what another
 * process writes become rare with time.
 */
const idleMs = { withRequest: 100, without: 20, atLast: 200 } as const;
/** From one read to the next: in the middle of traffic a read takes what several functions wrote. */
const betweenReadsMs = 10;
/** Where page after page holds nothing that the mapping accepts, reads become fewer. */
const fruitless = { pages: 8, betweenReadsMs: 50 } as const;
const afterErrorMs = 500;
/** Shards come and go every few hours on DynamoDB itself, never on the embedded engine. */
const shardsEveryMs = 10_000;
const closed = 'CLOSED';

/** How far a table's stream has been read. */
export type StreamReading = {
  readonly table: string;
  /** Sequence number that the reader has passed in every shard; undefined where that is not known. */
  readonly passed: () => bigint | undefined;
};

/** Feeds a function from all shards of a stream, children after their parents, each shard in order. */
export function startStreamSource(source: StreamSource, use: StreamDependencies): Loop & { reads: StreamReading } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const reading = new Map<string, Promise<void>>();
  const bells: Bell[] = [createBell()];
  use.runtime.afterInvocation(() => {
    for (const bell of bells) bell.ring();
  });

  const follow = async (): Promise<void> => {
    const known = use.checkpoints.get(checkpointOf(source, '*')) !== undefined;
    let atHorizon = known || source.startingPosition === 'TRIM_HORIZON';
    while (!signal.aborted) {
      const shards = await attempt(source, use, signal, () => listShards(use.client, source.stream.arn));
      const ids = new Set(shards?.map(({ ShardId }) => ShardId));
      for (const { ShardId: id, ParentShardId: parent } of shards ?? []) {
        if (id === undefined || reading.has(id)) continue;
        if (parent !== undefined && ids.has(parent) && use.checkpoints.get(checkpointOf(source, parent)) !== closed)
          continue;
        const bell = createBell();
        bells.push(bell);
        reading.set(id, followShard(source, use, signal, id, atHorizon ? 'TRIM_HORIZON' : 'LATEST', bell));
      }
      if (shards !== undefined) {
        // From now on this mapping exists: shards that appear later are read from their beginning, also after a
        // restart.
        use.checkpoints.set(checkpointOf(source, '*'), 'FOLLOWED');
        atHorizon = true;
      }
      await pauseUntil(shardsEveryMs, signal);
    }
  };
  const following = follow();
  const passed = (): bigint | undefined => {
    const positions = [...reading.keys()].map((id) => use.checkpoints.get(checkpointOf(source, id)));
    return lowest(positions.map((one) => (one === undefined || one === closed ? undefined : BigInt(one))));
  };
  return {
    reads: { table: source.stream.table, passed },
    stop: async () => {
      stopping.abort();
      await following;
      await Promise.all(reading.values());
    },
  };
}

async function followShard(
  source: StreamSource,
  use: StreamDependencies,
  signal: AbortSignal,
  shardId: string,
  start: 'TRIM_HORIZON' | 'LATEST',
  bell: Bell,
): Promise<void> {
  const checkpoint = checkpointOf(source, shardId);
  const reached = use.checkpoints.get(checkpoint);
  if (reached === closed) return;
  const position: Position = reached === undefined ? start : { after: reached };
  const reader = readShard(use.client, source.stream, shardId, position);
  const deliver = createDeliver(source, use, signal, shardId);
  let waiting: StreamRecord[] = [];
  let waitingSince = 0;
  let lastRead: string | undefined;
  let pagesInVain = 0;
  while (!signal.aborted) {
    const readAt = performance.now();
    const page = await attempt(source, use, signal, () => reader.read().then((records) => records ?? closed));
    if (page === undefined) continue;
    if (page !== closed) {
      const accepted = page.filter(({ event }) => source.accepts(event));
      if (waiting.length === 0) waitingSince = performance.now();
      waiting = [...waiting, ...accepted];
      pagesInVain = accepted.length > 0 ? 0 : pagesInVain + 1;
      lastRead = page.at(-1)?.sequence ?? lastRead;
    }
    const full = waiting.length >= source.batchSize || performance.now() - waitingSince >= source.windowMs;
    if (waiting.length > 0 && (full || page === closed)) {
      // Stopped within a batch: it is not done with, and read again at the next start.
      if (!(await deliver(waiting))) return;
      waiting = [];
    }
    if (waiting.length === 0 && lastRead !== undefined) use.checkpoints.pass(checkpoint, lastRead);
    if (page === closed) {
      use.checkpoints.set(checkpoint, closed);
      return;
    }
    if (page.length === pageSize) continue;
    const betweenMs = pagesInVain > fruitless.pages ? fruitless.betweenReadsMs : betweenReadsMs;
    await pauseUntil(Math.max(0, betweenMs - (performance.now() - readAt)), signal);
    const { newestRecord } = use;
    const seen = lastRead ?? reached ?? (start === 'TRIM_HORIZON' ? '0' : undefined);
    if (newestRecord === undefined || seen === undefined || waiting.length > 0) {
      if (page.length === 0) await bell.wait(idleMs.withRequest, signal);
      continue;
    }
    await untilNewer(BigInt(seen), () => newestRecord(source.stream.table), bell, signal);
  }
}

async function untilNewer(seen: bigint, newest: () => bigint, bell: Bell, signal: AbortSignal): Promise<void> {
  for (let pause: number = idleMs.without; newest() <= seen; pause = Math.min(2 * pause, idleMs.atLast)) {
    if (signal.aborted) return;
    await bell.wait(pause, signal);
  }
}

/** Makes what delivers records in batches; it gives false when the environment stopped before the end. */
function createDeliver(source: StreamSource, use: StreamDependencies, signal: AbortSignal, shardId: string) {
  const dependencies: BatchDependencies = {
    invoke: (records) => use.runtime.invoke(source.target, { Records: records.map(({ event }) => event) }),
    discard: async (records, reason, invocations) => {
      use.log.failure(source.id, `${records.length} records discarded: ${reason}`);
      const report = async (): Promise<boolean> => {
        await source.reportDiscarded?.({ reason, invocations, shardId, records });
        return true;
      };
      // Without its report a discarded record would be lost without a trace: the shard waits for the queue.
      while ((await attempt(source, use, signal, report)) !== true) signal.throwIfAborted();
    },
    progress: ({ sequence }) => {
      use.checkpoints.set(checkpointOf(source, shardId), sequence);
    },
    pause: async (milliseconds) => {
      await pauseUntil(milliseconds, signal);
      signal.throwIfAborted();
    },
    now: () => Date.now(),
  };
  return async (records: readonly StreamRecord[]): Promise<boolean> => {
    for (let at = 0; at < records.length; at += source.batchSize) {
      try {
        await deliverBatch(records.slice(at, at + source.batchSize), source.policy, dependencies);
      } catch (error) {
        if (signal.aborted) return false;
        throw error;
      }
    }
    return true;
  };
}

/** Runs a call to the engine; a failure is logged and answered with undefined after a pause. */
async function attempt<T>(
  source: StreamSource,
  use: StreamDependencies,
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!signal.aborted)
      use.log.failure(source.id, `The stream or the destination of its failures cannot be reached: ${String(error)}`);
    await pauseUntil(afterErrorMs, signal);
    return undefined;
  }
}

/** Undefined when one of them is not known, and for none. */
export function lowest(positions: readonly (bigint | undefined)[]): bigint | undefined {
  return positions
    .slice(1)
    .reduce((low, one) => (low === undefined || one === undefined ? undefined : one < low ? one : low), positions[0]);
}

const checkpointOf = (source: StreamSource, shardId: string): string => `${source.id} ${source.stream.arn} ${shardId}`;
