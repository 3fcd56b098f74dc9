import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from '../sha256.ts';
import type { DynamoStoreOptions } from './dynamo-table.ts';
import { dynamoStore } from './dynamo-store.ts';
import type { Store } from './store.ts';

/** What the SDK asks how calls are tried again. Its own, for one try, is a tenth of a call's computing. */
const once: NonNullable<DynamoDBClientConfig['retryStrategy']> = { retry: (next, args) => next(args) };

/**
 * The table of this environment, by the SDK's own settings (region, credentials, `AWS_ENDPOINT_URL`). The SDK tries
 * once: the store itself decides what is tried again, with the same token. A call that hangs is given up after three
 * seconds.
 */
export function connectStore(tableName: string, options: Partial<DynamoStoreOptions> = {}): Store {
  const database = new DynamoDBClient({
    maxAttempts: 1,
    retryStrategy: once,
    sha256: Sha256,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
  // Nothing is logged by the client; for that it makes a copy of every request and answer without what is sensitive.
  // And it spells out for each call which SDK makes it: who calls, the table knows by the function's role.
  database.middlewareStack.remove('loggerMiddleware');
  database.middlewareStack.remove('getUserAgentMiddleware');
  const client = DynamoDBDocumentClient.from(database, { marshallOptions: { removeUndefinedValues: true } });
  return dynamoStore({ client, tableName, ...options });
}
