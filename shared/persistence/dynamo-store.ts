import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoReads } from './dynamo-reads.ts';
import { dynamoWrites } from './dynamo-writes.ts';
import { retrying } from './retry.ts';
import type { Store } from './store.ts';

export type Consumed = { readonly operation: 'read' | 'query' | 'write'; readonly units: number };
export type DynamoStoreOptions = {
  readonly client: Pick<DynamoDBDocumentClient, 'send'>;
  readonly tableName: string;
  /** Told the capacity units of every call; the measurement behind docs/capacity.md. */
  readonly onConsumed?: (consumed: Consumed) => void;
  readonly sleep?: (milliseconds: number) => Promise<void>;
};

/** What reads and writes share: the table, the retries and the count of units. */
export type Table = {
  readonly client: DynamoStoreOptions['client'];
  readonly tableName: string;
  readonly retry: ReturnType<typeof retrying>;
  readonly measure: 'NONE' | 'TOTAL';
  readonly count: (operation: Consumed['operation'], consumed: Capacity | readonly Capacity[] | undefined) => void;
};
type Capacity = { readonly CapacityUnits?: number | undefined };

/** The table on DynamoDB. Conditions, updates and queries mean what `store.ts` says. */
export function dynamoStore({ client, tableName, onConsumed, sleep }: DynamoStoreOptions): Store {
  const table: Table = {
    client,
    tableName,
    retry: retrying(sleep),
    measure: onConsumed === undefined ? 'NONE' : 'TOTAL',
    count: (operation, consumed) => {
      const units = [consumed ?? []].flat().reduce((sum, part) => sum + (part.CapacityUnits ?? 0), 0);
      onConsumed?.({ operation, units });
    },
  };
  return { ...dynamoReads(table), ...dynamoWrites(table) };
}
