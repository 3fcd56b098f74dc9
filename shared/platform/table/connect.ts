import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoStoreOptions } from './dynamo-table.ts';
import { dynamoStore } from './dynamo-store.ts';
import type { Store } from './store.ts';

/**
 * The table of this environment, by the SDK's own settings (region, credentials, `AWS_ENDPOINT_URL`). The SDK tries
 * once: the store itself decides what is tried again, with the same token. A call that hangs is given up after three
 * seconds.
 */
export function connectStore(tableName: string, options: Partial<DynamoStoreOptions> = {}): Store {
  const database = new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
  const client = DynamoDBDocumentClient.from(database, { marshallOptions: { removeUndefinedValues: true } });
  return dynamoStore({ client, tableName, ...options });
}
