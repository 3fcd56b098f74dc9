import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Consumed } from '../persistence/dynamo-store.ts';
import { dynamoStore } from '../persistence/dynamo-store.ts';
import type { Store } from '../persistence/store.ts';

export type TableOptions = {
  readonly tableName: string;
  /** Another endpoint than the AWS SDK's own choice, which follows `AWS_ENDPOINT_URL_DYNAMODB`. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly onConsumed?: (consumed: Consumed) => void;
};

/** A call that takes longer has lost its answer: milliseconds for the connection, and for the whole request. */
const TIMEOUTS = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };

/** The table behind a client of its own. The client does not repeat calls: the store does, with what it knows of them. */
export function tableStore({ tableName, onConsumed, ...client }: TableOptions): Store {
  const base = new DynamoDBClient({ ...client, maxAttempts: 1, requestHandler: TIMEOUTS });
  const documents = DynamoDBDocumentClient.from(base);
  return dynamoStore({ client: documents, tableName, ...(onConsumed !== undefined && { onConsumed }) });
}
