import { dynamoReads } from './dynamo-reads.ts';
import type { DynamoStoreOptions, Table } from './dynamo-table.ts';
import { dynamoWrites } from './dynamo-writes.ts';
import { retrying } from './retry.ts';
import type { Store } from './store.ts';

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
