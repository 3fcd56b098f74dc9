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
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDataFolder } from '#cdk-local/data-folder.ts';
import { startSqsEngine } from '#cdk-local/engines/sqs-engine.ts';

const region = 'sa-east-1';
const path = mkdtempSync(join(tmpdir(), 'sqs-engine-'));
const folder = openDataFolder(path, { layout: 1 });
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
  /** Begins to wait for a message, in this process: by the answer to another call it does wait. */
  const wait = async (seconds: number) => {
    const asked = performance.now();
    const received = engine.access.receive(QueueUrl ?? '', 1, seconds);
    const outcome = received.then(([message]) => ({ message, after: performance.now() - asked }));
    await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    return { ended: outcome };
  };
  return { QueueUrl: QueueUrl ?? '', receive, send, wait };
}

/** Whether a timer that looks at the queue again and again was started. */
function polls(timers: { readonly mock: { readonly calls: readonly unknown[][] } }): boolean {
  return timers.mock.calls.some(([, milliseconds]) => milliseconds === 20);
}

describe('a receive call that waits at an empty queue', () => {
  test('gets a message as soon as it is sent, and no timer runs until then', async () => {
    const timers = vi.spyOn(globalThis, 'setInterval');
    const { send, wait } = await createQueue('at-once');
    const { ended: outcome } = await wait(5);
    expect(polls(timers)).toBe(false);
    await send('now');
    const { message, after } = await outcome;
    expect(message?.Body).toBe('now');
    expect(after).toBeLessThan(4500);
  });

  test('gets a delayed message when its delay is over', async () => {
    const { send, wait } = await createQueue('delayed');
    const { ended: outcome } = await wait(10);
    await send('later', 1);
    const { message, after } = await outcome;
    expect(message?.Body).toBe('later');
    expect(after).toBeGreaterThan(1000);
    expect(after).toBeLessThan(6000);
  });

  test('gets a message that another call received and did not delete, when its visibility timeout ends or is changed', async () => {
    const { QueueUrl, receive, send, wait } = await createQueue('comes-back');
    await send('again');
    const first = await receive(0, 1);
    const second = await receive(10, 1000);
    expect([first.message?.Body, second.message?.Body]).toEqual(['again', 'again']);
    expect(second.after).toBeLessThan(6000);
    const { ended: outcome } = await wait(10);
    const { ReceiptHandle } = second.message ?? {};
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }));
    const third = await outcome;
    expect(third.message?.Body).toBe('again');
    expect(third.after).toBeLessThan(6000);
  });

  test('stops its timer when the last message that it was for is deleted', async () => {
    const { QueueUrl, receive, send, wait } = await createQueue('ends');
    await send('done');
    const { message } = await receive(1);
    let ticks = 0;
    const begin = globalThis.setInterval;
    vi.spyOn(globalThis, 'setInterval').mockImplementation((work, milliseconds) =>
      begin(() => {
        ticks += 1;
        work();
      }, milliseconds),
    );
    const cleared = vi.spyOn(globalThis, 'clearInterval');
    const { ended: outcome } = await wait(2);
    await expect.poll(() => ticks).toBeGreaterThan(2);
    expect(cleared).not.toHaveBeenCalled();
    const { ReceiptHandle } = message ?? {};
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    await expect.poll(() => cleared).toHaveBeenCalled();
    await outcome;
  });
});

describe('event sources', () => {
  test('receive the same message in the process as other consumers over HTTP', async () => {
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
    const { ReceiptHandle: _one, Attributes: first, ...expected } = Messages[0] ?? {};
    const { ReceiptHandle: _other, Attributes: second, ...received } = message ?? {};
    expect(received).toEqual({
      ...expected,
      MessageAttributes: { ...MessageAttributes, Bytes: { DataType: 'Binary', BinaryValue: '/wA=' } },
    });
    expect(second).toEqual({ ...first, ApproximateReceiveCount: '2' });
  });

  test('wait for a message as long as they request', async () => {
    const { QueueUrl, send } = await createQueue('waits');
    expect(await engine.access.receive(QueueUrl, 10, 1)).toEqual([]);
    const waiting = engine.access.receive(QueueUrl, 10, 10);
    await send('now');
    expect(await waiting).toMatchObject([{ Body: 'now', Attributes: { ApproximateReceiveCount: '1' } }]);
  });

  test('remove exactly the named messages, also from the file that the next start reads', async () => {
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
