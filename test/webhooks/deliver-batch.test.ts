import type { SQSRecord } from 'aws-lambda';
import { beforeEach, expect, test, vi } from 'vitest';
import { deliverBatch } from '#shared/webhooks/dispatch/deliver.ts';
import type { CallDeps } from '#shared/webhooks/dispatch/call.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { companyId, notifierWorld, t0 } from './notifier-world.ts';

const message = (id: string, body = JSON.stringify({ companyId, deliveryId: id, dispatch: 1 })): SQSRecord => ({
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
let lines: Record<string, unknown>[];
const hide = ({ messageId }: SQSRecord, seconds: number): Promise<void> => {
  hidden.push(`${messageId} ${seconds}`);
  return Promise.resolve();
};

beforeEach(() => {
  hidden = [];
  lines = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    return lines.push(JSON.parse(String(line)) as Record<string, unknown>) > 0;
  });
});

/** What was logged, and how many faults the alarm of failed jobs counts. */
const readReported = () => ({
  logged: lines.filter(({ message: text }) => text !== undefined),
  jobsFailed: lines.filter((line) => line['JobsFailed'] === 1 && line['worker'] === 'deliver-notification').length,
});
const notRecorded = { level: 'error', message: 'Cannot attempt a delivery or record its attempt' };

const responses: Record<string, () => Promise<CallResult>> = {};
const world = () =>
  notifierWorld({ now: () => t0, send: ({ headers }) => responses[headers['webhook-id'] ?? '']?.() ?? failed() });
const failed = (): Promise<CallResult> => Promise.resolve({ outcome: 'FAILED', error: 'STATUS', httpStatus: 500 });
const delivered = (): Promise<CallResult> => Promise.resolve({ outcome: 'DELIVERED', httpStatus: 200 });

test('a call that hangs delays neither the calls of the others nor their delays, and one read is for all', async () => {
  const { deps, given, counted } = await world();
  const hanging = Promise.withResolvers<CallResult>();
  Object.assign(responses, { hangs: () => hanging.promise, fails: failed, works: delivered });
  for (const id of ['hangs', 'fails', 'works']) await given(id);
  let reads = 0;
  const store: CallDeps['store'] = { ...deps.store, read: (keys) => ((reads += 1), deps.store.read(keys)) };
  const batch = deliverBatch(
    ['hangs', 'fails', 'works'].map((id) => message(id)),
    { ...deps, store, hide, companyShare: 30 },
  );
  await expect.poll(() => hidden).toEqual(['m-fails 60']);
  // The one that failed looks at the count of its address.
  expect([reads, counted.reads]).toEqual([2, 10]);
  hanging.resolve({ outcome: 'DELIVERED', httpStatus: 200 });
  expect(await batch).toEqual(['m-fails']);
});

test('a message fails alone, with the delay of the queue, when its attempt is lost; a malformed message is removed', async () => {
  const { deps, given, counted, present } = await world();
  Object.assign(responses, { lost: () => Promise.reject(new StoreUnavailable('x')), again: failed, done: delivered });
  for (const id of ['lost', 'again', 'done']) await given(id);
  const records = [...['lost', 'again', 'done'].map((id) => message(id)), message('odd', 'not a message')];
  const kept = await deliverBatch(records, { ...deps, hide, companyShare: 30 });
  expect(kept).toEqual(['m-lost', 'm-again']);
  expect(hidden).toEqual(['m-again 60']);
  expect(readReported()).toMatchObject({
    logged: [
      { level: 'error', message: 'Delivery queue contained a malformed message', messageId: 'm-odd' },
      {
        ...notRecorded,
        companyId,
        deliveryId: 'lost',
        dispatch: 1,
        messageId: 'm-lost',
        errorName: 'StoreUnavailable',
      },
    ],
    jobsFailed: 2,
  });
  // Three deliveries with their bodies, what is the company's, and the failures of the address.
  expect(counted.reads).toBe(10);
  expect(await present('again')).toMatchObject({ messageId: 'm-again' });
});

test('the last receive that SQS counts is the last of its dispatch', async () => {
  const { deps, given, present } = await world();
  Object.assign(responses, { again: failed });
  await given('again');
  const last = message('again');
  const attributes = { ...last.attributes, ApproximateReceiveCount: '5' };
  expect(await deliverBatch([{ ...last, attributes }], { ...deps, hide, companyShare: 30 })).toEqual([]);
  expect(await present('again')).toMatchObject({ dispatch: 2 });
});

test('all messages of a receive fail, with no call to an endpoint, when the table cannot be read', async () => {
  const { deps, given } = await world();
  await given('works');
  const store = { ...deps.store, read: () => Promise.reject(new StoreUnavailable('x')) };
  const kept = await deliverBatch([message('works')], { ...deps, store, hide, companyShare: 30 });
  expect(kept).toEqual(['m-works']);
  expect(readReported()).toMatchObject({ logged: [{ ...notRecorded, errorName: 'StoreUnavailable' }], jobsFailed: 1 });
});

test('an item that cannot be understood fails its message alone', async () => {
  const { deps, given, table } = await world();
  Object.assign(responses, { corrupt: delivered, works: delivered });
  for (const id of ['corrupt', 'works']) await given(id);
  const key = keys.delivery(companyId, 'corrupt');
  await table.writeOne({ update: key, set: { status: 'ODD' }, when: { equals: { version: 1 } } });
  const kept = await deliverBatch([message('corrupt'), message('works')], { ...deps, hide, companyShare: 30 });
  expect(kept).toEqual(['m-corrupt']);
});
