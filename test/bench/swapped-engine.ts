import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { openDataFolder } from '#infra/local/data-folder.ts';
import { startDynamoDbEngine } from '#infra/local/engines/dynamodb-engine.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { cpuMs, familyOf, findProcess } from './processes.ts';

/** Engines of data folders, as the local environment runs them, one of which is behind a store at a time. */
export type SwappedEngine = {
  readonly store: Store;
  /** Calls of the store and the units that they took, since the count began again. */
  readonly counted: { calls: number; units: number };
  /** Computing time of the engine's process, milliseconds. */
  readonly usedMs: () => number;
  readonly client: () => DynamoDBDocumentClient;
  /** From now on the store is that folder's, whose engine is started unless it runs. */
  readonly use: (folder: string) => Promise<void>;
  readonly stopAll: () => Promise<void>;
};

export function swappedEngine(tableName: string): SwappedEngine {
  const counted = { calls: 0, units: 0 };
  type Running = Awaited<ReturnType<typeof startOn>>;
  const running = new Map<string, Running>();
  let used: Running | undefined;
  const present = (): Running => {
    if (used === undefined) throw new Error('No engine is used.');
    return used;
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
    use: async (folder) => {
      used = running.get(folder) ?? (await startOn(folder));
      running.set(folder, used);
    },
    stopAll: async () => {
      used = undefined;
      for (const one of running.values()) await one.stop();
      running.clear();
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
