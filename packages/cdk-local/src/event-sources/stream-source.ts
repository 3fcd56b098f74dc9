import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { FunctionDefinition } from '../functions/function-definitions.ts';
import type { FunctionLog } from '../functions/function-log.ts';
import type { FunctionRuntime } from '../functions/function-runtime.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Predicate } from './filter-pattern.ts';
import type { Loop, WakeSignal } from './loop.ts';
import { createWakeSignal, pauseUntil, startLoop } from './loop.ts';
import type { StreamRecord } from './shard-reader.ts';
import { listShards, pageSize, readShard } from './shard-reader.ts';
import type { BatchDependencies, StreamFailurePolicy } from './stream-batch.ts';
import { deliverBatch } from './stream-batch.ts';

/** A mapping from a table's stream to a function. */
export type StreamSource = {
  readonly id: string;
  readonly target: FunctionDefinition;
  readonly stream: { readonly arn: string; readonly eventArn: string };
  readonly accepts: Predicate;
  readonly batchSize: number;
  readonly policy: StreamFailurePolicy;
  /** Reports discarded records. Absent: they are not reported, as on Lambda. */
  readonly reportDiscarded: ((report: DiscardReport) => Promise<void>) | undefined;
};

type DiscardReport = {
  readonly reason: string;
  readonly invocations: number;
  readonly shardId: string;
  readonly records: readonly StreamRecord[];
};

export type StreamDependencies = {
  readonly streams: DynamoDBStreamsClient;
  readonly runtime: FunctionRuntime;
  readonly checkpoints: Checkpoints;
  /** Returns the sequence number of the table's newest record without a request. Only the embedded engine has it. */
  readonly newestRecord?: (() => bigint) | undefined;
  readonly log: FunctionLog;
};

/** Pauses between two checks of a stream without new records. The end of any invocation ends a pause. */
const idleMs = { withRequest: 100, without: 20, atLast: 200 } as const;
/** Minimum time between two reads under load, so that one read gets the writes of several functions. */
const betweenReadsMs = 10;
/** After this many pages in a row without a record that the mapping accepts, reads are slower. */
const fruitless = { pages: 8, betweenReadsMs: 50 } as const;
const afterErrorMs = 500;
/** A new shard follows a closed one every few hours on DynamoDB Local, never on the embedded engine. */
const shardsEveryMs = 10_000;
const closed = 'CLOSED';

/** Position of a reader in a stream: the sequence number that it has passed; undefined if unknown. */
export type StreamReading = { readonly passed: () => bigint | undefined };

/** Feeds a function from a stream, one shard after the other: a local engine has one open shard. */
export function startStreamSource(source: StreamSource, use: StreamDependencies): Loop & { reads: StreamReading } {
  const wakeSignal = createWakeSignal();
  use.runtime.afterInvocation(wakeSignal.wake);
  let current: string | undefined;
  const loop = startLoop(async (signal) => {
    while (!signal.aborted) {
      current = await attempt(source, use, signal, () => nextShard(source, use));
      if (current === undefined) await pauseUntil(shardsEveryMs, signal);
      else await followShard(source, use, signal, current, wakeSignal);
    }
  });
  const passed = (): bigint | undefined => {
    const position = current && use.checkpoints.get(checkpointOf(source, current));
    return position === undefined || position === closed ? undefined : BigInt(position);
  };
  return { ...loop, reads: { passed } };
}

/**
 * The oldest shard that is not read to its end.
 *
 * @throws Error when there are several: the order between them would be unknown.
 */
async function nextShard(source: StreamSource, use: StreamDependencies): Promise<string | undefined> {
  const shards = await listShards(use.streams, source.stream.arn);
  const unread = shards.filter(({ ShardId: id = '' }) => use.checkpoints.get(checkpointOf(source, id)) !== closed);
  const [next, second] = unread.filter(
    ({ ParentShardId: parent }) => !unread.some(({ ShardId }) => ShardId === parent),
  );
  if (second !== undefined) throw new Error('The stream has several open shards; the local environment reads one.');
  return next?.ShardId;
}

/** Reads a shard until it is closed, or the environment stops. */
async function followShard(
  source: StreamSource,
  use: StreamDependencies,
  signal: AbortSignal,
  shardId: string,
  wakeSignal: WakeSignal,
): Promise<void> {
  const checkpoint = checkpointOf(source, shardId);
  let last = use.checkpoints.get(checkpoint);
  const reader = readShard(use.streams, source.stream, shardId, last);
  const deliver = createDeliver(source, use, signal, shardId);
  let pagesInVain = 0;
  while (!signal.aborted) {
    const readAt = performance.now();
    const page = await attempt(source, use, signal, () => reader.read().then((records) => records ?? closed));
    if (page === undefined) continue;
    if (page === closed) {
      use.checkpoints.set(checkpoint, closed);
      return;
    }
    const accepted = page.filter(({ event }) => source.accepts(event));
    pagesInVain = accepted.length > 0 ? 0 : pagesInVain + 1;
    // The environment stopped within a batch: the next start reads the batch again.
    if (!(await deliver(accepted))) return;
    last = page.at(-1)?.sequence ?? last;
    if (page.length > 0 && last !== undefined) use.checkpoints.pass(checkpoint, last);
    if (page.length === pageSize) continue;
    const betweenMs = pagesInVain > fruitless.pages ? fruitless.betweenReadsMs : betweenReadsMs;
    await pauseUntil(Math.max(0, betweenMs - (performance.now() - readAt)), signal);
    if (use.newestRecord !== undefined) await untilNewer(BigInt(last ?? 0), use.newestRecord, wakeSignal, signal);
    else if (page.length === 0) await wakeSignal.wait(idleMs.withRequest, signal);
  }
}

async function untilNewer(
  seen: bigint,
  newest: () => bigint,
  wakeSignal: WakeSignal,
  signal: AbortSignal,
): Promise<void> {
  for (let pause: number = idleMs.without; newest() <= seen; pause = Math.min(2 * pause, idleMs.atLast)) {
    if (signal.aborted) return;
    await wakeSignal.wait(pause, signal);
  }
}

/** Returns a function that delivers records in batches. It returns false if the environment stopped before the end. */
function createDeliver(source: StreamSource, use: StreamDependencies, signal: AbortSignal, shardId: string) {
  const dependencies: BatchDependencies = {
    invoke: (records) => use.runtime.invoke(source.target, { Records: records.map(({ event }) => event) }),
    discard: async (records, reason, invocations) => {
      use.log.failure(source.id, `${records.length} records discarded: ${reason}`);
      const report = async (): Promise<boolean> => {
        await source.reportDiscarded?.({ reason, invocations, shardId, records });
        return true;
      };
      // The shard waits until the report is sent: otherwise a discarded record would be lost without a trace.
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

/** Runs a call to the engine; a failure is logged and returns undefined after a pause. */
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
      use.log.failure(source.id, `Cannot reach the stream or its failure destination: ${String(error)}`);
    await pauseUntil(afterErrorMs, signal);
    return undefined;
  }
}

const checkpointOf = (source: StreamSource, shardId: string): string => `${source.id} ${source.stream.arn} ${shardId}`;
