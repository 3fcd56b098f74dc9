import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { indexes } from '#shared/platform/table/store.ts';
import { startDynamoDbLocal } from '#tools/emulators/dynamodb-local.ts';
import { freePort } from '@banking-order/cdk-local';

export type TestEngine = {
  readonly endpoint: string;
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly stop: () => Promise<void>;
};

const binary = fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/package.json')).replace(
  /package\.json$/u,
  'dynoxide',
);
const readyWithinMs = 60_000;

/**
 * Whether `npm run tool -- tools/emulators/reference.ts` runs the tests on Amazon's DynamoDB Local, and not on the
 * embedded engine.
 */
export const isReferenceEngine = process.env['TEST_ENGINE'] === 'dynamodb-local';

/**
 * A DynamoDB engine of its own, in memory, with the service's table: its keys and its indexes, as infra/ defines them.
 * DynamoDB Local is slower after every table that it had, up to eight times at the end of the suite: it is not shared.
 */
export async function startEngine(tableName = 'orders-test'): Promise<TestEngine> {
  const { endpoint, stop: stopEngine } = await (isReferenceEngine ? startReference() : startEmbedded());
  const table = await tableAt(endpoint, tableName);
  const stop = async (): Promise<void> => {
    await table.stop();
    await stopEngine();
  };
  return { ...table, stop };
}

type Engine = { readonly endpoint: string; readonly stop: () => Promise<void> };

async function startReference(): Promise<Engine> {
  const log = join(mkdtempSync(join(tmpdir(), 'dynamodb-local-')), 'server.log');
  return startDynamoDbLocal({ log });
}

async function startEmbedded(): Promise<Engine> {
  const port = await freePort();
  const engine = spawn(binary, ['--host', '127.0.0.1', '--port', `${port}`], { stdio: 'ignore' });
  const exited = once(engine, 'exit');
  await untilListening(port);
  const stop = async (): Promise<void> => {
    engine.kill('SIGTERM');
    await exited;
  };
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}

/** The service's table at an engine that runs already. */
export async function tableAt(endpoint: string, tableName: string): Promise<TestEngine> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const bare = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  await createTable(bare, tableName);
  await waitUntilTableExists({ client: bare, maxWaitTime: 60, minDelay: 1 }, { TableName: tableName });
  const client = DynamoDBDocumentClient.from(bare, { marshallOptions: { removeUndefinedValues: false } });
  const stop = async (): Promise<void> => {
    await bare.send(new DeleteTableCommand({ TableName: tableName }));
    bare.destroy();
  };
  return { endpoint, client, tableName, stop };
}

/** DynamoDB Local that has just started beside others fails at times: its table is asked for again. */
async function createTable(client: DynamoDBClient, tableName: string, triesLeft = 4): Promise<void> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(tableName)));
  } catch (error) {
    // The try before made it, although its answer was an error.
    if (error instanceof ResourceInUseException && triesLeft < 4) return;
    if (triesLeft === 0) throw error;
    await sleep(500);
    await createTable(client, tableName, triesLeft - 1);
  }
}

function tableDefinition(TableName: string) {
  const names = new Set(['PK', 'SK', ...Object.values(indexes).flatMap(({ partition, sort }) => [partition, sort])]);
  const key = (partition: string, sort: string) => [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST' as const,
    AttributeDefinitions: [...names].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
    KeySchema: key('PK', 'SK'),
    GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, { partition, sort }]) => {
      return { IndexName, KeySchema: key(partition, sort), Projection: { ProjectionType: 'KEYS_ONLY' as const } };
    }),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' as const },
  };
}

async function untilListening(port: number): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline) {
    const socket = connect(port, '127.0.0.1');
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => {
        resolve(true);
      });
      socket.once('error', () => {
        resolve(false);
      });
    });
    socket.destroy();
    if (connected) return;
    await sleep(5);
  }
  throw new Error('The DynamoDB engine does not answer.');
}
