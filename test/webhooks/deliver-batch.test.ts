import type { SQSRecord } from 'aws-lambda';
import { beforeEach, expect, test, vi } from 'vitest';
import { deliverBatch } from '#shared/webhooks/dispatch/deliver.ts';
import type { AckOrRetry } from '#shared/webhooks/dispatch/queue.ts';
import { ack, retrySoon } from '#shared/webhooks/dispatch/queue.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';

const message = (id: string, body = JSON.stringify({ companyId: 'c', deliveryId: id, dispatch: 1 })): SQSRecord => ({
  messageId: `m-${id}`,
  receiptHandle: `r-${id}`,
  body,
  attributes: {
    ApproximateReceiveCount: '2',
    SentTimestamp: '',
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
});

let hidden: string[];
const hide = ({ messageId }: SQSRecord, seconds: number): Promise<void> => {
  hidden.push(`${messageId} ${seconds}`);
  return Promise.resolve();
};

beforeEach(() => {
  hidden = [];
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

test('a call that hangs delays neither the calls of the others nor their delays', async () => {
  const hanging = Promise.withResolvers<AckOrRetry>();
  const called: string[] = [];
  const batch = deliverBatch(
    ['hangs', 'fails', 'works'].map((id) => message(id)),
    {
      hide,
      deliver: ({ deliveryId, receives }) => {
        called.push(`${deliveryId} ${receives}`);
        if (deliveryId === 'hangs') return hanging.promise;
        return Promise.resolve(deliveryId === 'fails' ? { do: 'retry', inSeconds: 60 } : ack);
      },
    },
  );
  await vi.waitFor(() => {
    expect(hidden).toEqual(['m-fails 60']);
  });
  expect(called).toEqual(['hangs 2', 'fails 2', 'works 2']);
  hanging.resolve(ack);
  expect(await batch).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-fails' }] });
});

test('what the service could not do fails that message alone, with the delay of the queue; what nobody understands goes', async () => {
  const answers: Readonly<Record<string, () => Promise<AckOrRetry>>> = {
    lost: () => Promise.reject(new StoreUnavailable('The table cannot be reached.')),
    again: () => Promise.resolve(retrySoon),
    done: () => Promise.resolve(ack),
  };
  const records = [...Object.keys(answers).map((id) => message(id)), message('odd', 'not a message')];
  const answer = await deliverBatch(records, { hide, deliver: ({ deliveryId }) => answers[deliveryId]!() });
  expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'm-lost' }, { itemIdentifier: 'm-again' }]);
  expect(hidden).toEqual(['m-again 1']);
});
