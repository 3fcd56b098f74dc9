import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { filterExpression, keyExpression, placeholders } from './dynamo-expressions.ts';
import type { Contention } from './contention.ts';
import type { Retry } from './retry.ts';
import type { Item, Key, Page, Query, Store } from './store.ts';

export type Consumed = { readonly operation: 'read' | 'query' | 'write'; readonly units: number };
export type DynamoStoreOptions = {
  readonly client: Pick<DynamoDBDocumentClient, 'send'>;
  readonly tableName: string;
  /** Reports the capacity units of every call, for docs/capacity.md. */
  readonly onConsumed?: (consumed: Consumed) => void;
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** Returns a number from 0 to below 1. */
  readonly random?: () => number;
  /** The time of a clock that never goes back, milliseconds; that of the process by default. */
  readonly elapsedMs?: () => number;
};

export type Table = {
  readonly client: DynamoStoreOptions['client'];
  readonly tableName: string;
  readonly retry: Retry;
  readonly contention: Contention;
  readonly measure: 'NONE' | 'TOTAL';
  readonly count: (operation: Consumed['operation'], consumed: Capacity | readonly Capacity[] | undefined) => void;
};
type Capacity = { readonly CapacityUnits?: number | undefined };

/** DynamoDB is busy and left part of a batch unread: a retry reads the rest. */
class UnprocessedKeys extends Error {
  override readonly name = 'ThrottlingException';
}

/*
 * Assertions of this file: the client gives records of any value; stored items have the attributes that were written.
 */

export function dynamoReads(table: Table): Pick<Store, 'read' | 'query'> {
  const { client, tableName, retry, measure, count } = table;
  return {
    read: async (keys) => {
      const [first, ...rest] = keys;
      if (first === undefined) return [];
      return rest.length === 0 ? [await readOne(table, first)] : readMany(table, keys);
    },
    query: async (query) => {
      const response = await retry(() => client.send(new QueryCommand(queryInput(query, tableName, measure))));
      count('query', response.ConsumedCapacity);
      const items = (response.Items ?? []) as Item[];
      return response.LastEvaluatedKey === undefined
        ? { items }
        : { items, next: response.LastEvaluatedKey as NonNullable<Page['next']> };
    },
  };
}

async function readOne({ client, tableName, retry, measure, count }: Table, key: Key): Promise<Item | undefined> {
  const input = {
    TableName: tableName,
    Key: bare(key),
    ConsistentRead: true,
    ReturnConsumedCapacity: measure,
  } as const;
  const response = await retry(() => client.send(new GetCommand(input)));
  count('read', response.ConsumedCapacity);
  return response.Item as Item | undefined;
}

async function readMany(table: Table, keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
  const { client, tableName, retry, measure, count } = table;
  const found: Item[] = [];
  let wanted: readonly Key[] = keys.map(bare);
  await retry(async () => {
    const RequestItems = { [tableName]: { Keys: [...wanted], ConsistentRead: true } };
    const response = await client.send(new BatchGetCommand({ RequestItems, ReturnConsumedCapacity: measure }));
    count('read', response.ConsumedCapacity);
    found.push(...((response.Responses?.[tableName] ?? []) as Item[]));
    wanted = (response.UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[];
    if (wanted.length > 0) throw new UnprocessedKeys();
  });
  return keys.map((key) => found.find((item) => item.PK === key.PK && item.SK === key.SK));
}

/** A key without the other attributes of an item. */
export function bare({ PK, SK }: Key): { PK: string; SK: string } {
  return { PK, SK };
}

function queryInput(query: Query, tableName: string, measure: 'NONE' | 'TOTAL') {
  const p = placeholders();
  const KeyConditionExpression = keyExpression(query, p);
  const filters = query.filters ?? [];
  return {
    TableName: tableName,
    KeyConditionExpression,
    ...(filters.length > 0 && { FilterExpression: filterExpression(filters, p) }),
    ...p.attributes(),
    ...(query.index === undefined ? { ConsistentRead: true } : { IndexName: query.index }),
    ...(query.limit !== undefined && { Limit: query.limit }),
    ...(query.after !== undefined && { ExclusiveStartKey: query.after }),
    ScanIndexForward: query.ascending ?? true,
    ReturnConsumedCapacity: measure,
  } as const;
}
