import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { openDataFolder } from '#infra/local/data-folder.ts';
import { startDynamoDbEngine } from '#infra/local/engines/dynamodb-engine.ts';
import { dynamoStore } from '#shared/persistence/dynamo-store.ts';
import type { Store } from '#shared/persistence/store.ts';
import { cpuMs, familyOf, findProcess } from './processes.ts';

/** A data folder's engine, as the local environment runs it, which may be stopped and started again under a store. */
export type SwappedEngine = {
  readonly store: Store;
  /** Calls of the store and the units that they took, since the count began again. */
  readonly counted: { calls: number; units: number };
  /** Computing time of the engine's process, milliseconds. */
  readonly usedMs: () => number;
  readonly client: () => DynamoDBDocumentClient;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export function swappedEngine(path: string, tableName: string): SwappedEngine {
  const counted = { calls: 0, units: 0 };
  let running: Awaited<ReturnType<typeof startOn>> | undefined;
  const present = (): NonNullable<typeof running> => {
    if (running === undefined) throw new Error('The engine is stopped.');
    return running;
  };
  const client = { send: (command: never) => present().client.send(command) } as unknown as DynamoDBDocumentClient;
  const onConsumed = ({ units }: { readonly units: number }): void => {
    counted.calls += 1;
    counted.units += units;
  };
  return {
    store: dynamoStore({ client, tableName, onConsumed }),
    counted,
    usedMs: () => cpuMs(present().processId),
    client: () => present().client,
    start: async () => {
      running = await startOn(path);
    },
    stop: async () => {
      await running?.stop();
      running = undefined;
    },
  };
}

async function startOn(path: string) {
  const folder = openDataFolder(path);
  const engine = await startDynamoDbEngine(folder);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const database = new DynamoDBClient({ endpoint: engine.endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  const client = DynamoDBDocumentClient.from(database, { marshallOptions: { removeUndefinedValues: true } });
  const file = folder.file('dynamodb.db');
  const processId = findProcess(familyOf(process.pid), 'dynoxide', file);
  if (processId === undefined) throw new Error('The engine has no process.');
  return {
    client,
    processId,
    stop: async () => {
      database.destroy();
      await engine.stop();
      folder.release();
    },
  };
}
