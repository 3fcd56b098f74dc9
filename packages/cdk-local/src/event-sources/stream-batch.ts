import * as z from 'zod';
import type { InvokeOutcome } from '../functions/function-thread.ts';
import type { StreamRecord } from './shard-reader.ts';

/** The mapping's settings for failures. Infinity where Lambda has -1. */
export type StreamFailurePolicy = {
  readonly reportsItemFailures: boolean;
  readonly bisects: boolean;
  readonly maximumRetries: number;
  readonly maximumAgeSeconds: number;
};

type DiscardReason = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

export type BatchDependencies = {
  readonly invoke: (records: readonly StreamRecord[]) => Promise<InvokeOutcome>;
  /** Takes records that will not be tried again. Resolves when they are reported. */
  readonly discard: (records: readonly StreamRecord[], reason: DiscardReason, invocations: number) => Promise<void>;
  /** Notes that all records up to this one were processed or discarded. */
  readonly progress: (record: StreamRecord) => void;
  /** Rejects when the environment stops. */
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly now: () => number;
};

const firstPauseMs = 100;
const longestPauseMs = 5000;

const partialBatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() })
  .nullish();

/**
 * Delivers a batch of one shard, in order, until it succeeded or is discarded.
 *
 * Sources: "Understanding Lambda event source mappings for DynamoDB", "Configuring partial batch response with
 * DynamoDB". After a failure the batch is retried from the lowest sequence number reported. With bisecting the rest is
 * first split into halves, which does not count as a retry.
 */
export async function deliverBatch(
  batch: readonly StreamRecord[],
  policy: StreamFailurePolicy,
  use: BatchDependencies,
): Promise<void> {
  let records = batch;
  let failures = 0;
  const discard = async (count: number, reason: DiscardReason): Promise<void> => {
    const discarded = records.slice(0, count);
    records = records.slice(count);
    const last = discarded.at(-1);
    if (last === undefined) return;
    await use.discard(discarded, reason, failures);
    use.progress(last);
  };
  for (;;) {
    const oldest = use.now() - policy.maximumAgeSeconds * 1000;
    const fresh = records.findIndex(({ createdAt }) => createdAt.getTime() >= oldest);
    await discard(fresh < 0 ? records.length : fresh, 'RecordAgeExceeded');
    if (records.length === 0) return;
    const outcome = await use.invoke(records);
    const failed = firstFailure(records, outcome, policy);
    const last = records[(failed ?? records.length) - 1];
    if (last !== undefined) use.progress(last);
    if (failed === undefined) return;
    failures = failed > 0 ? 1 : failures + 1;
    records = records.slice(failed);
    if (policy.bisects && records.length > 1) {
      const half = Math.ceil(records.length / 2);
      await deliverBatch(records.slice(0, half), policy, use);
      await deliverBatch(records.slice(half), policy, use);
      return;
    }
    if (failures > policy.maximumRetries) return discard(records.length, 'RetryAttemptsExhausted');
    await use.pause(Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1)));
  }
}

/** Index of the first record to try again; undefined when all succeeded. */
function firstFailure(
  records: readonly StreamRecord[],
  outcome: InvokeOutcome,
  policy: StreamFailurePolicy,
): number | undefined {
  if (!outcome.ok) return 0;
  if (!policy.reportsItemFailures) return undefined;
  const response = partialBatchResponse.safeParse(outcome.payload);
  // A result of another shape, or with a record that is not in the batch, fails the whole batch.
  if (!response.success) return 0;
  const reported = (response.data?.batchItemFailures ?? []).map(({ itemIdentifier }) =>
    records.findIndex(({ sequence }) => sequence === itemIdentifier),
  );
  return reported.length === 0 ? undefined : Math.max(0, Math.min(...reported));
}
