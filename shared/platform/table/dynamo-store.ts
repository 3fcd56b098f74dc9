import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { endAfterMs } from '../call-limit.ts';
import { newContention } from './contention.ts';
import type { DynamoStoreOptions, Table } from './dynamo-reads.ts';
import { dynamoReads } from './dynamo-reads.ts';
import { dynamoWrites } from './dynamo-writes.ts';
import { retrying } from './retry.ts';
import type { Store } from './store.ts';

/** The table on DynamoDB. */
export function dynamoStore({
  client,
  tableName,
  onConsumed,
  sleep,
  random,
  elapsedMs = () => performance.now(),
}: DynamoStoreOptions): Store {
  const table: Table = {
    client,
    tableName,
    retry: retrying(sleep, random, elapsedMs),
    contention: newContention(elapsedMs),
    measure: onConsumed === undefined ? 'NONE' : 'TOTAL',
    count: (operation, consumed) => {
      const units = [consumed ?? []].flat().reduce((sum, part) => sum + (part.CapacityUnits ?? 0), 0);
      onConsumed?.({ operation, units });
    },
  };
  return { ...dynamoReads(table), ...dynamoWrites(table) };
}

/**
 * The table of this environment, by the SDK's own settings (region, credentials, `AWS_ENDPOINT_URL`). The store itself
 * retries, with the same token, so the SDK tries once. A call times out after three seconds.
 */
export function connectStore(tableName: string, options: Partial<DynamoStoreOptions> = {}): Store {
  const database = new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: endAfterMs(3000),
  });
  const client = DynamoDBDocumentClient.from(database, { marshallOptions: { removeUndefinedValues: true } });
  return dynamoStore({ client, tableName, ...options });
}
