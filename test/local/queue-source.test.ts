import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ReceivedMessage } from '#infra/local/engines/sqs-engine.ts';
import { startQueueSource } from '#infra/local/event-sources/queue-source.ts';

const target = { id: 'F', name: 'F', arn: 'F', module: '', exportName: '', timeoutMs: 1, memoryMb: 1, environment: {} };
const queue = { url: 'queue', arn: 'arn', retentionSeconds: 60 };
const mapping = { id: 'M', target, queue, batchSize: 1, reportsItemFailures: false };
const message = (id: number): ReceivedMessage => ({
  MessageId: `${id}`,
  ReceiptHandle: `${id}`,
  Body: '{}',
  MD5OfBody: '',
});

/** A queue with a hundred messages, and a function that answers when it is told to. */
async function withSource(use: (world: { begun: () => number; busy: (is: boolean) => void }) => Promise<void>) {
  const open: (() => void)[] = [];
  const removed: string[] = [];
  let busy = false;
  let next = 0;
  const source = startQueueSource(
    { ...mapping, maximumConcurrency: 8 },
    {
      access: {
        receive: async (_url, count) => {
          if (next >= 100) await sleep(5);
          return Array.from({ length: Math.min(count, 100 - next) }, () => message((next += 1)));
        },
        remove: (_url, handles) => void removed.push(...handles),
      },
      runtime: {
        find: () => target,
        isBusy: () => busy,
        invoke: async () => {
          await new Promise<void>((answered) => open.push(answered));
          return { ok: true, payload: undefined };
        },
        afterInvocation: () => undefined,
        stop: () => Promise.resolve(),
      },
      log: { file: '', show: () => undefined, failure: () => undefined, note: () => undefined, close: () => undefined },
    },
  );
  await use({
    begun: () => open.length,
    busy: (is) => {
      busy = is;
    },
  });
  const stopped = source.stop();
  for (const answered of open) answered();
  await stopped;
  expect(removed).toHaveLength(open.length);
}

test('as many batches are in work as the mapping allows', () =>
  withSource(async ({ begun }) => {
    await expect.poll(begun).toBe(8);
    await sleep(50);
    expect(begun()).toBe(8);
  }));

test('a function that computes all the time gets no more beside two batches, until it has time again', () =>
  withSource(async ({ begun, busy }) => {
    busy(true);
    // One look at the queue takes as many messages as there is room for.
    await expect.poll(begun).toBeGreaterThan(0);
    const first = begun();
    await sleep(100);
    expect(begun()).toBe(first);
    busy(false);
    await expect.poll(begun).toBe(8);
  }));
