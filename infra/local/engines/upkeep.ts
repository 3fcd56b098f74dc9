import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ConditionalCheckFailedException, DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Loop } from '../event-sources/stopping.ts';
import { pauseUntil } from '../event-sources/stopping.ts';
import type { LocalTable } from './dynamodb-tables.ts';
import type { EngineDatabase, Expiry } from './engine-database.ts';

type UpkeepDependencies = {
  readonly database: EngineDatabase;
  readonly client: DynamoDBClient;
  readonly tables: readonly LocalTable[];
  /** Sequence number that every reader of a table's stream has passed; undefined when one has passed none. */
  readonly passed: (table: string) => bigint | undefined;
  readonly failure: (text: string) => void;
  /** Epoch seconds. */
  readonly now: () => number;
};

const everyMs = 10_000;
/** How long DynamoDB keeps the records of a stream. */
const keptSeconds = 24 * 60 * 60;

/**
 * Bounds the engine's data by what is kept, as DynamoDB does: deletes expired items, and records of streams that all
 * readers have passed or that are too old.
 */
export function startUpkeep(use: UpkeepDependencies): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await tidy(use, signal).catch((error: unknown) => {
        use.failure(`Old data could not be deleted: ${String(error)}`);
      });
      await pauseUntil(everyMs, signal);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function tidy(use: UpkeepDependencies, signal: AbortSignal): Promise<void> {
  for (const { name, expiry } of use.tables) {
    const before = { passed: use.passed(name) ?? 0n, oldest: use.now() - keptSeconds };
    while (!signal.aborted && use.database.forgetRecords(name, before)) await nextTurn();
    if (expiry !== undefined) await deleteExpired(expiry, use, signal);
  }
}

async function deleteExpired(expiry: Expiry, { database, client, now }: UpkeepDependencies, signal: AbortSignal) {
  for (;;) {
    const keys = database.expiredKeys(expiry, now());
    for (const Key of keys) {
      if (signal.aborted) return;
      await deleteItem(client, expiry, Key, now());
    }
    if (keys.length === 0) return;
  }
}

/** Not when it was written again meanwhile. */
async function deleteItem(
  client: DynamoDBClient,
  { table, attribute }: Expiry,
  Key: Record<string, { S: string }>,
  now: number,
): Promise<void> {
  const input = {
    ...{ TableName: table, Key, ConditionExpression: '#expiry < :now' },
    ExpressionAttributeNames: { '#expiry': attribute },
    ExpressionAttributeValues: { ':now': { N: `${now}` } },
  };
  try {
    await client.send(new DeleteItemCommand(input));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
