import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ConditionalCheckFailedException, DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Loop } from '../event-sources/loop.ts';
import { pauseUntil, startLoop } from '../event-sources/loop.ts';
import type { Expiry, LocalTable } from './dynamodb-table.ts';

export type EngineDatabase = ReturnType<typeof openEngineDatabase>;

type ExpiredKey = Readonly<Record<string, { readonly S: string }>>;

/** Maximum rows of one statement, so that neither the engine nor this thread waits longer than a few milliseconds. */
const chunk = 500;

/**
 * At every write the engine reads the newest record of a stream. It has no index for this and would scan all records.
 * SQLite uses an index on an expression only if the query contains exactly the same expression.
 */
const sequence = 'CAST(sequence_number AS INTEGER)';
const indexRecords = `CREATE INDEX IF NOT EXISTS _stream_records_by_sequence ON _stream_records (table_name, ${sequence})`;
const newestRecord = `SELECT COALESCE(MAX(${sequence}), 0) AS newest FROM _stream_records WHERE table_name = ?`;
const deleteRecords = `
  DELETE FROM _stream_records WHERE id IN (
    SELECT id FROM (
      SELECT id, ${sequence} AS sequence, created_at FROM _stream_records
      WHERE table_name = :table ORDER BY ${sequence} LIMIT ${chunk}
    )
    WHERE (sequence < :passed OR created_at < :oldest)
      AND sequence < (SELECT MAX(${sequence}) FROM _stream_records WHERE table_name = :table)
  )`;

/**
 * Opens the database of a running engine, which has created its tables by then. This process does in it the work of
 * DynamoDB that the engine leaves out.
 */
export function openEngineDatabase(file: string) {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec(indexRecords);
  const forget = database.prepare(deleteRecords);
  const newest = database.prepare(newestRecord);
  newest.setReadBigInts(true);
  return {
    /** Returns the sequence number of a stream's newest record, or 0. A request would cost a hundred times as much. */
    newestRecord: (table: string): bigint => newest.get(table)?.['newest'] as bigint,
    /**
     * Deletes at most a chunk of the oldest records of a table's stream: records before the sequence number `passed` or
     * written before `oldest` (epoch seconds). The newest record stays: the engine numbers new records from it.
     *
     * @returns Whether there may be more to delete.
     */
    forgetRecords: (table: string, { passed, oldest }: { readonly passed: bigint; readonly oldest: number }): boolean =>
      Number(forget.run({ table, passed, oldest }).changes) === chunk,
    /** Keys of items that expired before `now` (epoch seconds), a chunk at most. */
    expiredKeys: (expiry: Expiry, now: number): readonly ExpiredKey[] => {
      const { indexItems, selectKeys } = expiryStatements(expiry);
      database.exec(indexItems);
      return database
        .prepare(selectKeys)
        .all({ now })
        .map((row) => Object.fromEntries(expiry.keys.map((name) => [name, { S: String(row[name]) }])));
    },
    close: (): void => {
      database.close();
    },
  };
}

/** Returns the statements for expired items. The index contains only items with an expiry. */
function expiryStatements({ table, attribute, keys }: Expiry): { indexItems: string; selectKeys: string } {
  const expiry = `CAST(json_extract(item_json, '$.${attribute}.N') AS INTEGER)`;
  const expires = `json_extract(item_json, '$.${attribute}.N') IS NOT NULL`;
  const columns = keys.map((name) => `json_extract(item_json, '$.${name}.S') AS ${name}`);
  return {
    indexItems: `CREATE INDEX IF NOT EXISTS "${table}::expiry" ON "${table}" (${expiry}) WHERE ${expires}`,
    selectKeys: `SELECT ${columns.join(', ')} FROM "${table}" WHERE ${expires} AND ${expiry} < :now LIMIT ${chunk}`,
  };
}

type CompactionDependencies = {
  readonly database: EngineDatabase;
  readonly client: DynamoDBClient;
  readonly table: LocalTable;
  /** Sequence number that every reader of the stream has passed; undefined if a reader's position is unknown. */
  readonly passed: () => bigint | undefined;
  readonly failure: (text: string) => void;
  /** Epoch seconds. */
  readonly now: () => number;
};

const everyMs = 10_000;
/** How long DynamoDB keeps the records of a stream. */
const keptSeconds = 24 * 60 * 60;

/**
 * Deletes old data of the engine every 10 seconds, as DynamoDB does: expired items, and stream records that are older
 * than 24 hours. It also deletes stream records that all readers have passed.
 */
export function startCompaction(use: CompactionDependencies): Loop {
  return startLoop(async (signal) => {
    while (!signal.aborted) {
      await compact(use, signal).catch((error: unknown) => {
        use.failure(`Cannot delete old data: ${String(error)}`);
      });
      await pauseUntil(everyMs, signal);
    }
  });
}

async function compact(use: CompactionDependencies, signal: AbortSignal): Promise<void> {
  const { database, client, now } = use;
  const { name, expiry } = use.table;
  const before = { passed: use.passed() ?? 0n, oldest: now() - keptSeconds };
  while (!signal.aborted && database.forgetRecords(name, before)) await nextTurn();
  for (;;) {
    const keys = database.expiredKeys(expiry, now());
    for (const Key of keys) {
      if (signal.aborted) return;
      await deleteItem(client, expiry, Key, now());
    }
    if (keys.length === 0) return;
  }
}

/** Deletes an expired item, unless a write meanwhile changed its expiry. */
async function deleteItem(
  client: DynamoDBClient,
  { table, attribute }: Expiry,
  Key: ExpiredKey,
  now: number,
): Promise<void> {
  const input = {
    TableName: table,
    Key,
    ConditionExpression: '#expiry < :now',
    ExpressionAttributeNames: { '#expiry': attribute },
    ExpressionAttributeValues: { ':now': { N: `${now}` } },
  };
  try {
    await client.send(new DeleteItemCommand(input));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
