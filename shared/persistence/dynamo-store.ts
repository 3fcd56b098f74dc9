import type { DynamoDBDocumentClient, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import {
  BatchGetCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import {
  conditionExpression,
  filterExpression,
  keyExpression,
  placeholders,
  updateExpression,
} from './dynamo-expressions.ts';
import { retrying } from './retry.ts';
import type { FailedCondition, Item, Key, Page, Put, Query, Store, Update, Write, WriteOutcome } from './store.ts';
import { StoreUnavailable } from './store.ts';

export type Consumed = { readonly operation: 'read' | 'query' | 'write'; readonly units: number };
export type DynamoStoreOptions = {
  readonly client: Pick<DynamoDBDocumentClient, 'send'>;
  readonly tableName: string;
  /** Told the capacity units of every call; the measurement behind docs/capacity.md. */
  readonly onConsumed?: (consumed: Consumed) => void;
  readonly sleep?: (milliseconds: number) => Promise<void>;
};

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type RawItem = Parameters<typeof unmarshall>[0];
type Capacity = { readonly CapacityUnits?: number | undefined };

/** The table on DynamoDB. Conditions, updates and queries mean what `store.ts` says. */
export function dynamoStore({ client, tableName, onConsumed, sleep }: DynamoStoreOptions): Store {
  const retry = retrying(sleep);
  const count = (operation: Consumed['operation'], consumed: Capacity | readonly Capacity[] | undefined): void => {
    if (onConsumed === undefined) return;
    const units = [consumed ?? []].flat().reduce((sum, part) => sum + (part.CapacityUnits ?? 0), 0);
    onConsumed({ operation, units });
  };
  const measure = onConsumed === undefined ? 'NONE' : 'TOTAL';

  const readOne = async (Key: Key): Promise<Item | undefined> => {
    const input = {
      TableName: tableName,
      Key: bare(Key),
      ConsistentRead: true,
      ReturnConsumedCapacity: measure,
    } as const;
    const answer = await retry(() => client.send(new GetCommand(input)));
    count('read', answer.ConsumedCapacity);
    return answer.Item as Item | undefined;
  };

  const readMany = async (keys: readonly Key[]): Promise<readonly (Item | undefined)[]> => {
    const found: Item[] = [];
    let wanted: Record<string, { Keys: Key[]; ConsistentRead: boolean }> = {
      [tableName]: { Keys: keys.map(bare), ConsistentRead: true },
    };
    for (let round = 0; round < 5; round += 1) {
      const input = { RequestItems: wanted, ReturnConsumedCapacity: measure } as const;
      const answer = await retry(() => client.send(new BatchGetCommand(input)));
      count('read', answer.ConsumedCapacity);
      found.push(...((answer.Responses?.[tableName] ?? []) as Item[]));
      const left = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
      if (left.length === 0) return keys.map((key) => found.find((item) => item.PK === key.PK && item.SK === key.SK));
      wanted = { [tableName]: { Keys: left as Key[], ConsistentRead: true } };
    }
    throw new StoreUnavailable('DynamoDB left keys of a batch unread five times.');
  };

  return {
    read: async (keys) => {
      const [first, ...rest] = keys;
      if (first === undefined) return [];
      return rest.length === 0 ? [await readOne(first)] : readMany(keys);
    },
    query: async (query) => {
      const answer = await retry(() => client.send(new QueryCommand(queryInput(query, tableName, measure))));
      count('query', answer.ConsumedCapacity);
      const items = (answer.Items ?? []) as Item[];
      return answer.LastEvaluatedKey === undefined
        ? { items }
        : { items, next: answer.LastEvaluatedKey as NonNullable<Page['next']> };
    },
    writeOne: async (write) => {
      const command =
        'put' in write
          ? new PutCommand({ ...putInput(write, tableName), ReturnConsumedCapacity: measure })
          : new UpdateCommand({ ...updateInput(write, tableName), ReturnConsumedCapacity: measure });
      return retry(async (): Promise<WriteOutcome> => {
        try {
          const answer = await client.send(command as PutCommand);
          count('write', answer.ConsumedCapacity);
          return { ok: true };
        } catch (error) {
          if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
          const raw = (error as { Item?: RawItem }).Item;
          return { ok: false, failed: [failedCondition(0, raw)] };
        }
      });
    },
    write: async (writes, token) => {
      const input = {
        TransactItems: writes.map((write) => transactItem(write, tableName)),
        ClientRequestToken: token,
        ReturnConsumedCapacity: measure,
      } as const;
      return retry(async (): Promise<WriteOutcome> => {
        try {
          const answer = await client.send(new TransactWriteCommand(input));
          count('write', answer.ConsumedCapacity);
          return { ok: true };
        } catch (error) {
          const failed = failedConditions(error);
          if (failed !== undefined) return { ok: false, failed };
          throw error;
        }
      });
    },
  };
}

/** The item that failed a condition comes back with the failure: no second read to learn why. */
const OLD = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

const bare = ({ PK, SK }: Key): { PK: string; SK: string } => ({ PK, SK });

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

function putInput(write: Put, TableName: string) {
  const p = placeholders();
  const condition = write.when && { ConditionExpression: conditionExpression(write.when, p) };
  return { TableName, Item: write.put, ...condition, ...p.attributes(), ...OLD };
}

function updateInput(write: Update, TableName: string) {
  const p = placeholders();
  const UpdateExpression = updateExpression(write, p);
  const ConditionExpression = conditionExpression(write.when, p);
  return { TableName, Key: bare(write.update), UpdateExpression, ConditionExpression, ...p.attributes(), ...OLD };
}

function transactItem(write: Write, TableName: string): TransactItem {
  if ('put' in write) return { Put: putInput(write, TableName) };
  if ('update' in write) return { Update: updateInput(write, TableName) };
  const p = placeholders();
  if ('check' in write) {
    const ConditionExpression = conditionExpression(write.when, p);
    return { ConditionCheck: { TableName, Key: bare(write.check), ConditionExpression, ...p.attributes(), ...OLD } };
  }
  const condition = write.when && { ConditionExpression: conditionExpression(write.when, p) };
  return { Delete: { TableName, Key: bare(write.delete), ...condition, ...p.attributes(), ...OLD } };
}

/**
 * The failed conditions of a cancelled transaction; undefined where something else (a conflict, throttling) cancelled it,
 * alone or beside a condition: then nothing is known about the conditions that were not judged, and it is tried again.
 */
function failedConditions(error: unknown): readonly FailedCondition[] | undefined {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return undefined;
  const reasons = (error as { CancellationReasons?: readonly { Code?: string; Item?: RawItem }[] }).CancellationReasons;
  if (reasons === undefined) return undefined;
  const codes = new Set(reasons.map((reason) => reason.Code ?? 'None'));
  codes.delete('None');
  codes.delete('ConditionalCheckFailed');
  if (codes.size > 0) return undefined;
  const failed = reasons.flatMap((reason, index) =>
    reason.Code === 'ConditionalCheckFailed' ? [failedCondition(index, reason.Item)] : [],
  );
  return failed.length > 0 ? failed : undefined;
}

/** The document client leaves the item of an error as raw attribute values. */
function failedCondition(index: number, item: RawItem | undefined): FailedCondition {
  const nothing = item === undefined || Object.keys(item).length === 0;
  return nothing ? { index } : { index, item: unmarshall(item) as Item };
}
