import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSRecord } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { queueWorker } from '#shared/platform/queue-worker.ts';
import { catchLog } from '#test/support/edge.ts';

const record = (id: string): SQSRecord => ({ messageId: id, receiptHandle: `r-${id}` }) as SQSRecord;
const Records = ['a', 'b', 'c'].map(record);
const run = (...worker: Parameters<typeof queueWorker>) => queueWorker(...worker)({ Records }, {} as Context);
const noUrl = () => 'https://sqs/none';

test('a queue worker reports the messages that it keeps as failed, in its order, and the others as done', async () => {
  expect(await run(() => Promise.resolve(['c', 'a']), noUrl)).toEqual({
    batchItemFailures: [{ itemIdentifier: 'c' }, { itemIdentifier: 'a' }],
  });
  expect(await run(() => Promise.resolve([]), noUrl)).toEqual({ batchItemFailures: [] });
});

test('a queue worker that fails reports no message as done: the invocation fails', async () => {
  const failure = new Error('broken');
  await expect(run(() => Promise.reject(failure), noUrl)).rejects.toBe(failure);
});

test('a queue worker leaves the end of its time to Lambda: Middy does not watch it', async () => {
  const watched = () => {
    throw new Error('The time is watched.');
  };
  const worker = queueWorker(() => Promise.resolve(['a']), noUrl);
  expect(await worker({ Records }, { getRemainingTimeInMillis: watched } as Partial<Context> as Context)).toEqual({
    batchItemFailures: [{ itemIdentifier: 'a' }],
  });
});

test('a queue worker sets the delay of a message in its queue, and only logs that it cannot', async () => {
  const send = vi.spyOn(SQSClient.prototype, 'send').mockImplementation((() => Promise.resolve()) as never);
  const hiding = () =>
    run(
      async ([first], hide) => {
        if (first !== undefined) await hide(first, 60);
        return ['a'];
      },
      ({ messageId }) => `https://sqs/${messageId}`,
    );
  await hiding();
  expect(send.mock.calls.map(([{ input }]) => input)).toEqual([
    { QueueUrl: 'https://sqs/a', ReceiptHandle: 'r-a', VisibilityTimeout: 60 },
  ]);
  send.mockImplementation((() => Promise.reject(new Error('no queue'))) as never);
  const logged = catchLog();
  expect(await hiding()).toEqual({ batchItemFailures: [{ itemIdentifier: 'a' }] });
  expect(logged()).toMatchObject([
    { level: 'warn', message: 'Cannot set the delay of an SQS message', messageId: 'a', errorMessage: 'no queue' },
  ]);
});
