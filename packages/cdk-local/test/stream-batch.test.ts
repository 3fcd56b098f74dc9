import { describe, expect, test } from 'vitest';
import type { BatchDependencies, StreamFailurePolicy } from '#cdk-local/event-sources/stream-batch.ts';
import { deliverBatch } from '#cdk-local/event-sources/stream-batch.ts';
import type { StreamRecord } from '#cdk-local/event-sources/shard-reader.ts';
import type { InvokeOutcome } from '#cdk-local/functions/function-thread.ts';
import { fc } from '#test/support/properties.ts';

const now = Date.UTC(2026, 10, 20);

function record(sequence: number, ageSeconds = 0): StreamRecord {
  return {
    sequence: `${sequence}`,
    createdAt: new Date(now - ageSeconds * 1000),
    event: { eventName: 'INSERT', dynamodb: { SequenceNumber: `${sequence}` } },
  };
}

const failure: InvokeOutcome = { ok: false, reason: 'error', errorType: 'Error', errorMessage: 'no', trace: [] };
const success = (payload: unknown = null): InvokeOutcome => ({ ok: true, payload });
const reported = (...sequences: unknown[]): InvokeOutcome =>
  success({ batchItemFailures: sequences.map((itemIdentifier) => ({ itemIdentifier })) });

const usual: StreamFailurePolicy = {
  reportsItemFailures: true,
  bisects: false,
  maximumRetries: 2,
  maximumAgeSeconds: Infinity,
};

/** Delivers and tells what happened: the batches invoked, what was discarded and why, and the checkpoints. */
async function deliver(
  records: readonly StreamRecord[],
  policy: StreamFailurePolicy,
  response: (batch: string[], call: number) => InvokeOutcome,
) {
  const invoked: string[][] = [];
  const discarded: string[] = [];
  const progress: string[] = [];
  const use: BatchDependencies = {
    invoke: (batch) => {
      const sequences = batch.map(({ sequence }) => sequence);
      invoked.push(sequences);
      return Promise.resolve(response(sequences, invoked.length));
    },
    discard: (batch, reason) => {
      discarded.push(...batch.map(({ sequence }) => `${sequence} ${reason}`));
      return Promise.resolve();
    },
    progress: ({ sequence }) => progress.push(sequence),
    pause: () => Promise.resolve(),
    now: () => now,
  };
  await deliverBatch(records, policy, use);
  return { invoked, discarded, progress };
}

const three = [record(1), record(2), record(3)];

describe('batches of a stream', () => {
  test('a batch that succeeds is invoked once', async () => {
    const { invoked, progress } = await deliver(three, usual, () => success());
    expect(invoked).toEqual([['1', '2', '3']]);
    expect(progress).toEqual(['3']);
  });

  test('a batch that keeps failing is retried as often as the mapping allows, then discarded as a whole', async () => {
    const { invoked, discarded, progress } = await deliver(three, usual, () => failure);
    expect(invoked).toHaveLength(3);
    expect(discarded).toEqual(['1 RetryAttemptsExhausted', '2 RetryAttemptsExhausted', '3 RetryAttemptsExhausted']);
    expect(progress).toEqual(['3']);
  });

  test('a reported failure retries its record and all later ones, and no earlier record', async () => {
    const { invoked, progress } = await deliver(three, usual, (_batch, call) =>
      call === 1 ? reported('3', '2') : success(),
    );
    expect(invoked).toEqual([
      ['1', '2', '3'],
      ['2', '3'],
    ]);
    expect(progress).toEqual(['1', '3']);
  });

  test('records after a success have retries of their own', async () => {
    const policy = { ...usual, maximumRetries: 1 };
    const { discarded } = await deliver(three, policy, (_batch, call) =>
      call < 3 ? reported(`${call + 1}`) : success(),
    );
    expect(discarded).toEqual([]);
  });

  test.each([
    ['names a record that is not in the batch', reported('9')],
    ['names an empty identifier', reported('')],
    ['has another shape', success({ batchItemFailures: 'all' })],
  ])('an answer that %s fails the whole batch', async (_what, response) => {
    const { invoked } = await deliver(three, usual, (_batch, call) => (call === 1 ? response : success()));
    expect(invoked[1]).toEqual(['1', '2', '3']);
  });

  test('without ReportBatchItemFailures the answer is not looked at', async () => {
    const { invoked } = await deliver(three, { ...usual, reportsItemFailures: false }, () => reported('1'));
    expect(invoked).toHaveLength(1);
  });

  test('bisecting isolates a poisonous record: the others get through, it alone is discarded', async () => {
    const policy = { ...usual, bisects: true, maximumRetries: 1 };
    const poison = (batch: string[]): InvokeOutcome => (batch.includes('2') ? failure : success());
    const { discarded, progress } = await deliver([...three, record(4)], policy, poison);
    expect(discarded).toEqual(['2 RetryAttemptsExhausted']);
    expect(progress.at(-1)).toBe('4');
  });

  test('records above the maximum age are discarded without a call', async () => {
    const policy = { ...usual, maximumAgeSeconds: 60 };
    const { invoked, discarded } = await deliver([record(1, 61), record(2, 59)], policy, () => success());
    expect(discarded).toEqual(['1 RecordAgeExceeded']);
    expect(invoked).toEqual([['2']]);
  });

  test('every record is processed or discarded once, and checkpoints only move forward, whatever fails', async () => {
    const failing = fc.uniqueArray(fc.integer({ min: 1, max: 12 }));
    await fc.assert(
      fc.asyncProperty(failing, fc.boolean(), fc.boolean(), async (bad, bisects, partial) => {
        const records = Array.from({ length: 12 }, (_, index) => record(index + 1));
        const succeeded = new Set<string>();
        const { discarded, progress } = await deliver(records, { ...usual, bisects }, (batch) => {
          const at = batch.findIndex((sequence) => bad.includes(Number(sequence)));
          for (const sequence of at < 0 || partial ? batch.slice(0, at < 0 ? undefined : at) : [])
            succeeded.add(sequence);
          return at < 0 ? success() : partial ? reported(batch[at]) : failure;
        });
        const given = discarded.map((text) => text.split(' ')[0] ?? '');
        expect([...succeeded, ...given].map(Number).toSorted((a, b) => a - b)).toEqual(
          records.map(({ sequence }) => Number(sequence)),
        );
        expect(progress.map(Number)).toEqual(progress.map(Number).toSorted((a, b) => a - b));
        expect(progress.at(-1)).toBe('12');
        if (bisects) expect(given.map(Number).toSorted((a, b) => a - b)).toEqual(bad.toSorted((a, b) => a - b));
      }),
    );
  });
});
