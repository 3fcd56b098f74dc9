import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../infra/local/engines/free-port.ts';

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
const READY_WITHIN_MS = 5000;

/**
 * A DynamoDB engine of its own, in memory, with the service's table: keys, the listing index `GSI1` and the due index
 * `GSI2`, as infra/ defines them. Where `AWS_ENDPOINT_URL_DYNAMODB` names an endpoint, the table is made there and
 * deleted at the end.
 */
export async function startEngine(tableName = 'orders-test'): Promise<TestEngine> {
  const given = process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  if (given !== undefined && given !== '') return tableAt(given, `${tableName}-${randomUUID()}`);
  const port = await freePort();
  const engine = spawn(binary, ['--host', '127.0.0.1', '--port', `${port}`], { stdio: 'ignore' });
  const exited = once(engine, 'exit');
  await untilListening(port);
  const table = await tableAt(`http://127.0.0.1:${port}`, tableName);
  const stop = async (): Promise<void> => {
    await table.stop();
    engine.kill('SIGTERM');
    await exited;
  };
  return { ...table, stop };
}

async function tableAt(endpoint: string, tableName: string): Promise<TestEngine> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const bare = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  await bare.send(new CreateTableCommand(tableDefinition(tableName)));
  await waitUntilTableExists({ client: bare, maxWaitTime: 10, minDelay: 1 }, { TableName: tableName });
  const client = DynamoDBDocumentClient.from(bare, { marshallOptions: { removeUndefinedValues: false } });
  const stop = async (): Promise<void> => {
    await bare.send(new DeleteTableCommand({ TableName: tableName }));
    bare.destroy();
  };
  return { endpoint, client, tableName, stop };
}

function tableDefinition(TableName: string) {
  const names = ['PK', 'SK', 'GSI1PK', 'GSI1SK', 'GSI2PK', 'GSI2SK'];
  const key = (partition: string, sort: string) => [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST' as const,
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
    KeySchema: key('PK', 'SK'),
    GlobalSecondaryIndexes: [
      { IndexName: 'GSI1', KeySchema: key('GSI1PK', 'GSI1SK'), Projection: { ProjectionType: 'ALL' as const } },
      { IndexName: 'GSI2', KeySchema: key('GSI2PK', 'GSI2SK'), Projection: { ProjectionType: 'KEYS_ONLY' as const } },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' as const },
  };
}

async function untilListening(port: number): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
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
