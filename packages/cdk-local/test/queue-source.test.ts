import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ReceivedMessage } from '#cdk-local/engines/sqs-engine.ts';
import { startQueueSource } from '#cdk-local/event-sources/queue-source.ts';

const target = { id: 'F', name: 'F', arn: 'F', module: '', exportName: '', timeoutMs: 1, memoryMb: 1, environment: {} };
const queue = { url: 'queue', arn: 'arn', retentionSeconds: 60 };
const mapping = { id: 'M', target, queue, batchSize: 1, reportsItemFailures: false };
const message = (id: number): ReceivedMessage => ({
  MessageId: `${id}`,
  ReceiptHandle: `${id}`,
  Body: '{}',
  MD5OfBody: '',
});

type World = {
  readonly begun: () => number;
  /** How many batches would have been in work at most, had each look at the queue brought all that it asked for. */
  readonly reach: () => number;
  readonly answerOne: () => void;
  readonly busy: (is: boolean) => void;
  /** How often the source asked whether the function is busy. */
  readonly lookedAtLoad: () => number;
};

/** A queue with a hundred messages, a limit of messages a look, and a function that responds on demand. */
async function withSource(perLook: number, use: (world: World) => Promise<void>) {
  const open: (() => void)[] = [];
  const removed: string[] = [];
  let busy = false;
  let next = 0;
  let [begun, reach, looks] = [0, 0, 0];
  const source = startQueueSource(
    { ...mapping, maximumConcurrency: 8 },
    {
      access: {
        receive: async (_url, count) => {
          if (next >= 100) await sleep(5);
          reach = Math.max(reach, open.length + count);
          return Array.from({ length: Math.min(count, perLook, 100 - next) }, () => message((next += 1)));
        },
        remove: (_url, handles) => void removed.push(...handles),
      },
      runtime: {
        find: () => target,
        isBusy: () => {
          looks += 1;
          return busy;
        },
        invoke: async () => {
          begun += 1;
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
    begun: () => begun,
    reach: () => reach,
    answerOne: () => open.shift()?.(),
    lookedAtLoad: () => looks,
    busy: (is) => {
      busy = is;
    },
  });
  const stopped = source.stop();
  for (const answered of open) answered();
  await stopped;
  expect(removed).toHaveLength(begun);
}

test('a queue source processes as many batches concurrently as the mapping allows', () =>
  withSource(10, async ({ begun, reach, answerOne }) => {
    await expect.poll(begun).toBe(8);
    answerOne();
    await expect.poll(begun).toBe(9);
    expect(reach()).toBe(8);
  }));

test('a queue source gives a busy function no third batch until the function has time again', () =>
  withSource(1, async ({ begun, busy, lookedAtLoad }) => {
    busy(true);
    await expect.poll(begun).toBe(2);
    const looked = lookedAtLoad();
    await expect.poll(lookedAtLoad).toBeGreaterThan(looked + 2);
    expect(begun()).toBe(2);
    busy(false);
    await expect.poll(begun).toBe(8);
  }));
