import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DataFolder } from '../data-folder.ts';
import { freePort, startWatched } from '../processes.ts';
import { LocalStartError } from '../template/local-template.ts';
import { dynamoDbLocalCommand, installDynamoDbLocal } from './dynamodb-local/install.ts';
import type { EngineDatabase } from './embedded-database.ts';
import { openEngineDatabase } from './embedded-database.ts';

/** Engines of the tables: the embedded engine, which the npm packages contain, or Amazon's DynamoDB Local. */
export const engineNames = ['embedded', 'dynamodb-local'] as const;
/** Where the tables are: an engine that is started, or one that runs already. */
export type Engine = (typeof engineNames)[number] | { readonly endpoint: string };

type DynamoDbEngine = {
  readonly endpoint: string;
  /** Set only for the embedded engine. */
  readonly database: EngineDatabase | undefined;
  /** Settles when the engine exits by itself; never for an endpoint that runs already. */
  readonly failed: Promise<Error>;
  readonly stop: () => Promise<void>;
};

/** The embedded engine starts in a moment, Java in a second. On a busy machine both need many seconds. */
const readyWithinMs = { embedded: 30_000, 'dynamodb-local': 60_000 } as const;
/** Where each engine keeps its data: a file or folder of the data folder. */
const dataOf = { embedded: 'dynamodb.db', 'dynamodb-local': 'dynamodb-local' } as const;

/**
 * Starts an engine on the folder's data, or takes the given endpoint.
 *
 * @param engine DynamoDB Local and endpoints are for machines without an embedded engine.
 * @param report Takes a line before something takes long.
 * @throws LocalStartError for an engine that this machine lacks or that does not start, and for another engine's data.
 */
export async function startDynamoDbEngine(
  folder: DataFolder,
  engine: Engine = 'embedded',
  report?: (line: string) => void,
): Promise<DynamoDbEngine> {
  if (typeof engine !== 'string') {
    const never = new Promise<Error>(() => undefined);
    return { endpoint: engine.endpoint, database: undefined, failed: never, stop: () => Promise.resolve() };
  }
  refuseDataOfAnother(folder, engine);
  const data = folder.file(dataOf[engine]);
  if (engine === 'dynamodb-local') {
    await installDynamoDbLocal(report);
    mkdirSync(data, { recursive: true });
    return { ...(await run(engine, (port) => dynamoDbLocalCommand(port, data), folder)), database: undefined };
  }
  const binary = embeddedBinary();
  const command = (port: number) => [binary, '--host', '127.0.0.1', '--port', `${port}`, '--db-path', data];
  const running = await run(engine, command, folder);
  const database = openEngineDatabase(data);
  const stop = async (): Promise<void> => {
    database.close();
    await running.stop();
  };
  return { ...running, database, stop };
}

/**
 * Refuses a folder with data of another engine. Companies, checkpoints and messages in it belong to the table of that
 * engine, and the table of this engine would be empty.
 */
function refuseDataOfAnother(folder: DataFolder, engine: keyof typeof dataOf): void {
  const otherEngine = engineNames.find((name) => name !== engine && existsSync(folder.file(dataOf[name])));
  if (otherEngine === undefined) return;
  throw new LocalStartError(
    `${folder.path} holds data of the engine "${otherEngine}". Start with --engine ${otherEngine}, or choose another folder with LOCAL_DIR.`,
  );
}

async function run(
  engine: keyof typeof dataOf,
  command: (port: number) => readonly string[],
  folder: DataFolder,
): Promise<Omit<DynamoDbEngine, 'database'>> {
  const port = await freePort();
  const log = folder.file('dynamodb-engine.log');
  const { ended: exited, stop: end } = startWatched(command(port), log);
  let stopping = false;
  const failed = exited.then(() => {
    if (stopping) return new Promise<Error>(() => undefined);
    return new LocalStartError(`The DynamoDB engine stopped unexpectedly. Read the end of ${log}.`);
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    await end();
  };
  const listening = await Promise.race([accepts(port, readyWithinMs[engine]), failed]);
  if (listening instanceof Error) throw listening;
  if (!listening) {
    await stop();
    throw new LocalStartError(`The DynamoDB engine does not respond on port ${port}. Read ${log}.`);
  }
  return { endpoint: `http://127.0.0.1:${port}`, failed, stop };
}

function embeddedBinary(): string {
  try {
    const binary = join(dirname(fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/package.json'))), 'dynoxide');
    if (existsSync(binary)) return binary;
  } catch {
    // Not installed on this platform: the error below names the remedy.
  }
  throw new LocalStartError(
    `No DynamoDB engine for ${process.platform}-${process.arch}: the optional dependency @dynoxide/linux-x64 is not installed. ` +
      'On Linux x64 run "npm ci"; elsewhere run "npm start -- --engine dynamodb-local" (Java 17), or set AWS_ENDPOINT_URL_DYNAMODB to your own engine.',
  );
}

async function accepts(port: number, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    const socket = connect(port, '127.0.0.1');
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return true;
    await sleep(5);
  }
  return false;
}
