import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDataFolder } from '#infra/local/data-folder.ts';
import { startSqsEngine } from '#infra/local/engines/sqs-engine.ts';

const region = 'sa-east-1';
const path = mkdtempSync(join(tmpdir(), 'sqs-engine-'));
const folder = openDataFolder(path);
let engine: Awaited<ReturnType<typeof startSqsEngine>>;
let client: SQSClient;

beforeAll(async () => {
  engine = await startSqsEngine(folder);
  client = new SQSClient({
    region,
    endpoint: engine.endpoint,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});
afterAll(async () => {
  client.destroy();
  await engine.stop();
  folder.release();
  rmSync(path, { recursive: true });
});

async function createQueue(name: string) {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name }));
  const receive = async (WaitTimeSeconds: number, VisibilityTimeout = 30) => {
    const asked = performance.now();
    const { Messages: [message] = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, VisibilityTimeout }),
    );
    return { message, after: performance.now() - asked };
  };
  const send = (MessageBody: string, DelaySeconds = 0) =>
    client.send(new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds }));
  return { QueueUrl: QueueUrl ?? '', receive, send };
}

/** Whether a timer that looks at the queue again and again was started. */
function polls(timers: { readonly mock: { readonly calls: readonly unknown[][] } }): boolean {
  return timers.mock.calls.some(([, milliseconds]) => milliseconds === 20);
}

describe('whoever waits at an empty queue', () => {
  test('gets what is sent at once, and until then no timer runs', async () => {
    const timers = vi.spyOn(globalThis, 'setInterval');
    const { receive, send } = await createQueue('at-once');
    const waiting = receive(5);
    await sleep(100);
    expect(polls(timers)).toBe(false);
    await send('now');
    const { message, after } = await waiting;
    expect(message?.Body).toBe('now');
    expect(after).toBeLessThan(3000);
  });

  test('gets what is sent with a delay when that is over', async () => {
    const { receive, send } = await createQueue('delayed');
    const waiting = receive(10);
    await sleep(100);
    await send('later', 1);
    const { message, after } = await waiting;
    expect(message?.Body).toBe('later');
    expect(after).toBeGreaterThan(1000);
    expect(after).toBeLessThan(6000);
  });

  test('gets what another one received and did not delete, when its time is over or is changed', async () => {
    const { QueueUrl, receive, send } = await createQueue('comes-back');
    await send('again');
    const first = await receive(0, 1);
    const second = await receive(10, 1000);
    expect([first.message?.Body, second.message?.Body]).toEqual(['again', 'again']);
    expect(second.after).toBeLessThan(6000);
    const waiting = receive(10);
    await sleep(100);
    const { ReceiptHandle } = second.message ?? {};
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }));
    const third = await waiting;
    expect(third.message?.Body).toBe('again');
    expect(third.after).toBeLessThan(6000);
  });

  test('lets the timer end with the last message that it was for', async () => {
    const { QueueUrl, receive, send } = await createQueue('ends');
    await send('done');
    const { message } = await receive(1);
    const waiting = receive(2);
    await sleep(100);
    const ended = vi.spyOn(globalThis, 'clearInterval');
    await sleep(100);
    expect(ended).not.toHaveBeenCalled();
    const { ReceiptHandle } = message ?? {};
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    await vi.waitFor(() => {
      expect(ended).toHaveBeenCalled();
    });
    await waiting;
  });
});

describe('event sources', () => {
  test('receive in the process what others receive over HTTP', async () => {
    const { QueueUrl } = await createQueue('same');
    const MessageAttributes = {
      Text: { DataType: 'String', StringValue: 'olá' },
      Bytes: { DataType: 'Binary', BinaryValue: Buffer.from([0xff, 0x00]) },
    };
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'both', MessageAttributes }));
    const all = { MessageSystemAttributeNames: ['All' as const], MessageAttributeNames: ['All'] };
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0, WaitTimeSeconds: 0, ...all }),
    );
    const [message] = await engine.access.receive(QueueUrl, 10, 5);
    const { ReceiptHandle: _one, Attributes: first, ...told } = Messages[0] ?? {};
    const { ReceiptHandle: _other, Attributes: second, ...received } = message ?? {};
    expect(received).toEqual({
      ...told,
      MessageAttributes: { ...MessageAttributes, Bytes: { DataType: 'Binary', BinaryValue: '/wA=' } },
    });
    expect(second).toEqual({ ...first, ApproximateReceiveCount: '2' });
  });

  test('wait for a message as long as they say', async () => {
    const { QueueUrl, send } = await createQueue('waits');
    expect(await engine.access.receive(QueueUrl, 10, 1)).toEqual([]);
    const waiting = engine.access.receive(QueueUrl, 10, 10);
    await send('now');
    expect(await waiting).toMatchObject([{ Body: 'now', Attributes: { ApproximateReceiveCount: '1' } }]);
  });

  test('remove what they name, also from what is kept for the next start, and nothing else', async () => {
    const { QueueUrl, send } = await createQueue('removes');
    for (const body of ['one', 'two', 'three']) await send(body);
    const messages = await engine.access.receive(QueueUrl, 10, 1);
    const done = messages.filter(({ Body }) => Body !== 'two').map(({ ReceiptHandle }) => ReceiptHandle);
    engine.access.remove(QueueUrl, done);
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessagesNotVisible'] }),
    );
    expect(Attributes).toEqual({ ApproximateNumberOfMessagesNotVisible: '1' });
    using kept = new DatabaseSync(join(path, 'sqs', 'fauxqs.db'), { readOnly: true });
    const rows = kept.prepare("SELECT body FROM sqs_messages WHERE queue_name = 'removes'").all();
    expect(rows.map(({ body }) => body)).toEqual(['two']);
  });
});

test('a message of a group with little in flight is received before a burst of another group', async () => {
  const { QueueUrl } = await createQueue('fair');
  const send = (MessageBody: string, MessageGroupId: string) =>
    client.send(new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: '1', MessageBody, MessageGroupId }] }));
  const receive = async (): Promise<readonly (string | undefined)[]> => {
    const asked = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 5, VisibilityTimeout: 30 });
    return ((await client.send(asked)).Messages ?? []).map(({ Body }) => Body);
  };
  for (let place = 0; place < 20; place += 1) await send(`burst-${place}`, 'bursting');
  expect(await receive()).toEqual([0, 1, 2, 3, 4].map((place) => `burst-${place}`));
  await send('quiet-0', 'quiet');
  await send('quiet-1', 'quiet');
  expect(await receive()).toEqual(['quiet-0', 'quiet-1', 'burst-5', 'burst-6', 'burst-7']);
  expect(await receive()).toEqual([8, 9, 10, 11, 12].map((place) => `burst-${place}`));
});
