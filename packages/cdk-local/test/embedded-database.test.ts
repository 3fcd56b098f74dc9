import { CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DataFolder } from '#cdk-local/data-folder.ts';
import { openDataFolder } from '#cdk-local/data-folder.ts';
import { startDynamoDbEngine } from '#cdk-local/engines/dynamodb-engine.ts';
import type { EngineDatabase } from '#cdk-local/engines/embedded-database.ts';
import { startCompaction } from '#cdk-local/engines/embedded-database.ts';
import { passedByAll } from '#cdk-local/event-sources/event-sources.ts';
import { listShards, readShard } from '#cdk-local/event-sources/shard-reader.ts';

const region = 'sa-east-1';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const path = mkdtempSync(join(tmpdir(), 'compaction-'));
const table = 'Kept';
const expiry = { table, attribute: 'expiresAt', keys: ['PK', 'SK'] };
const now = 1_800_000_000;

let folder: DataFolder;
let engine: Awaited<ReturnType<typeof startDynamoDbEngine>>;
let client: DynamoDBClient;
let streams: DynamoDBStreamsClient;
let streamArn: string;

beforeAll(async () => {
  folder = openDataFolder(path, { layout: 1 });
  engine = await startDynamoDbEngine(folder);
  client = new DynamoDBClient({ region, credentials, endpoint: engine.endpoint });
  streams = new DynamoDBStreamsClient({ region, credentials, endpoint: engine.endpoint });
  const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [text('PK'), text('SK')],
      KeySchema: [
        { AttributeName: 'PK', KeyType: 'HASH' },
        { AttributeName: 'SK', KeyType: 'RANGE' },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    }),
  );
  streamArn = TableDescription?.LatestStreamArn ?? '';
});
afterAll(async () => {
  await engine.stop();
  folder.release();
  rmSync(path, { recursive: true });
});

function databaseOf({ database }: typeof engine): EngineDatabase {
  if (database === undefined) throw new Error('The embedded engine has a database.');
  return database;
}

async function put(id: string, expiresAt?: number): Promise<void> {
  const Item = {
    PK: { S: id },
    SK: { S: 'ITEM' },
    ...(expiresAt !== undefined && { expiresAt: { N: `${expiresAt}` } }),
  };
  await client.send(new PutItemCommand({ TableName: table, Item }));
}

async function isThere(id: string): Promise<boolean> {
  const Key = { PK: { S: id }, SK: { S: 'ITEM' } };
  return (await client.send(new GetItemCommand({ TableName: table, Key }))).Item !== undefined;
}

async function readerAfter(sequence: string) {
  const [shard] = await listShards(streams, streamArn);
  return readShard(streams, { arn: streamArn, eventArn: streamArn }, shard?.ShardId ?? '', sequence);
}

const idsOf = (records: Awaited<ReturnType<Awaited<ReturnType<typeof readerAfter>>['read']>>) =>
  records?.map(({ event }) => event.dynamodb?.Keys?.['PK']?.S);

/** What the engine's file holds, seen from another connection. */
function inFile(sql: string, ...values: string[]): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(folder.file('dynamodb.db'));
  const rows = database.prepare(sql).all(...values);
  database.close();
  return rows;
}
const sequences = () =>
  inFile('SELECT sequence_number FROM _stream_records ORDER BY id').map((row) => row['sequence_number']);

describe('the stream of the embedded engine', () => {
  test('finds its newest record by an index, with the SQL of the engine itself', () => {
    const newest =
      'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?1';
    const binary = fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/package.json')).replace(
      'package.json',
      'dynoxide',
    );
    expect(readFileSync(binary).includes(newest)).toBe(true);
    const plan = inFile(`EXPLAIN QUERY PLAN ${newest}`, table).map(({ detail }) => detail);
    expect(plan).toEqual([expect.stringContaining('COVERING INDEX _stream_records_by_sequence')]);
  });

  test('drops the records that every reader has passed, and a reader continues from its position', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await put(id);
    const [, second = ''] = sequences().slice(-4);
    const reader = await readerAfter(String(second));
    expect(databaseOf(engine).forgetRecords(table, { passed: BigInt(String(second)), oldest: 0 })).toBe(false);
    expect(sequences()).toHaveLength(3);
    expect(idsOf(await reader.read())).toEqual(['c', 'd']);
  });

  test('keeps its newest record, whatever the readers have passed: the engine counts on from it', async () => {
    await put('last');
    const last = BigInt(String(sequences().at(-1)));
    databaseOf(engine).forgetRecords(table, { passed: last + 100n, oldest: 0 });
    expect(sequences()).toEqual([`${last}`]);
    const reader = await readerAfter(`${last}`);
    await put('e');
    expect(sequences()).toEqual([`${last}`, `${last + 1n}`]);
    expect(databaseOf(engine).newestRecord(table)).toBe(last + 1n);
    expect(databaseOf(engine).newestRecord('Other')).toBe(0n);
    expect(idsOf(await reader.read())).toEqual(['e']);
  });

  test('drops records that are too old although no reader has passed them', async () => {
    await put('f');
    const before = sequences();
    databaseOf(engine).forgetRecords(table, { passed: 0n, oldest: Math.floor(Date.now() / 1000) - 60 });
    expect([before.length > 0, sequences()]).toEqual([true, before]);
    databaseOf(engine).forgetRecords(table, { passed: 0n, oldest: Math.floor(Date.now() / 1000) + 60 });
    expect(sequences()).toHaveLength(1);
  });

  test('counts as passed only records that all readers have passed, and none while one reader has no position', () => {
    const reader = (position: bigint | undefined) => ({
      stop: () => Promise.resolve(),
      reads: { passed: () => position },
    });
    const other = { stop: () => Promise.resolve() };
    expect(passedByAll([reader(7n), reader(5n), other])).toBe(5n);
    expect(passedByAll([reader(7n), reader(undefined)])).toBeUndefined();
    expect(passedByAll([other])).toBeUndefined();
  });
});

describe('compaction', () => {
  test('deletes expired items, keeps items that expire later or never, and drops passed records of the stream', async () => {
    await put('over', now - 1);
    await put('at-its-end', now);
    await put('for-ever');
    expect(databaseOf(engine).expiredKeys(expiry, now)).toEqual([{ PK: { S: 'over' }, SK: { S: 'ITEM' } }]);
    const failures: string[] = [];
    const loop = startCompaction({
      database: databaseOf(engine),
      client,
      table: { name: table, streamArn, expiry },
      passed: () => BigInt(Number.MAX_SAFE_INTEGER),
      failure: (text) => failures.push(text),
      now: () => now,
    });
    await expect.poll(() => isThere('over')).toBe(false);
    await loop.stop();
    expect([await isThere('at-its-end'), await isThere('for-ever'), failures]).toEqual([true, true, []]);
    expect(sequences().length).toBeLessThan(4);
  });

  test('an item that was written again meanwhile is not deleted', async () => {
    await put('at-its-end', now);
    let asked = 0;
    const loop = startCompaction({
      database: {
        ...databaseOf(engine),
        expiredKeys: () => (asked++ === 0 ? [{ PK: { S: 'at-its-end' }, SK: { S: 'ITEM' } }] : []),
      },
      client,
      table: { name: table, streamArn, expiry },
      passed: () => undefined,
      failure: (text) => expect.fail(text),
      now: () => now,
    });
    await expect.poll(() => asked).toBeGreaterThan(1);
    await loop.stop();
    expect(await isThere('at-its-end')).toBe(true);
  });
});
