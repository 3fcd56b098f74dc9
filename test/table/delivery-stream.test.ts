import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outgoingOf } from '#shared/webhooks/dispatch/queue.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { reenqueueOverdue } from '#shared/webhooks/deliveries/states.ts';
import { createDelivery, writeDelivery, writeDispatch } from '#shared/webhooks/deliveries/store.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { webhookSecretItem } from '#shared/webhooks/settings-store.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';

const at = '2026-03-02T12:00:00.000Z';
const companyId = randomUUID();

let engine: TestEngine;
let store: Store;
beforeAll(async () => {
  engine = await startEngine('stream');
  store = dynamoStore({ client: engine.client, tableName: engine.tableName });
});
afterAll(async () => {
  await engine.stop();
});

/** All that the table's stream has carried so far. */
async function streamed(): Promise<readonly unknown[]> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBStreamsClient({ endpoint: engine.endpoint, region: 'us-east-1', credentials });
  const { Table } = await engine.client.send(new DescribeTableCommand({ TableName: engine.tableName }));
  const StreamArn = Table?.LatestStreamArn;
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
  const records = [];
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' as const };
    let next = (await client.send(new GetShardIteratorCommand(start))).ShardIterator;
    for (let pages = 0; next !== undefined && pages < 5; pages += 1) {
      const page = await client.send(new GetRecordsCommand({ ShardIterator: next }));
      records.push(...(page.Records ?? []));
      next = page.NextShardIterator;
    }
  }
  client.destroy();
  return records;
}

it('the stream carries the keys that the relay needs, and no secret, body or endpoint of a delivery', async () => {
  const secret = { companyId, current: 'whsec_nobody-may-see-this', createdAt: at, version: 1 };
  await store.writeOne({ put: webhookSecretItem(secret) });
  const id = randomUUID();
  const notification = {
    ...{ id, event: 'E', createdAt: at, requestId: 'r', body: '{"name":"Maria Silva"}' },
    resource: { type: 'PAY_IN', id: 'o-1' } as const,
    target: { endpoint: 'https://partner.example/token-in-the-path' },
  };
  const created = await createDelivery(store, companyId, notification, randomUUID());
  const later = plusSeconds(at, 600);
  const again = reenqueueOverdue(created, later, 300)!;
  const notBefore = plusSeconds(later, 60);
  await writeDispatch(store, { delivery: again, notBefore, at: later, token: randomUUID() });
  await writeDelivery(store, { ...again, version: again.version + 1, endpoint: 'https://partner.example/' });

  const records = await streamed();
  expect(records.length).toBeGreaterThanOrEqual(5);
  expect(JSON.stringify(records)).not.toMatch(/whsec|Maria|partner\.example/u);
  const { outgoing, malformed } = outgoingOf(records, later);
  expect(malformed).toBe(0);
  expect(outgoing).toMatchObject([
    { message: { companyId, deliveryId: id, dispatch: 1 }, delaySeconds: 0 },
    { message: { companyId, deliveryId: id, dispatch: 2 }, delaySeconds: 60 },
  ]);
});
