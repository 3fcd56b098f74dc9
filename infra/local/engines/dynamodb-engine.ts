import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, closeSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DataFolder } from '../data-folder.ts';
import { LocalStartError } from '../template/local-template.ts';
import { freePort } from './free-port.ts';

export interface DynamoDbEngine {
  readonly endpoint: string;
  /** Settles when the engine ends without having been asked to; never when the endpoint is not ours. */
  readonly failed: Promise<Error>;
  readonly stop: () => Promise<void>;
}

/**
 * The shell between this process and the engine ends the engine as soon as its standard input closes, which happens also when
 * this process is killed with -9: no orphan keeps the database open.
 */
const WATCHDOG =
  'exec 3<&0; "$@" 3<&- </dev/null & engine=$!; (read -r _ <&3; kill "$engine" 2>/dev/null) & wait "$engine"';

const READY_WITHIN_MS = 5000;

/**
 * Starts the embedded engine on the folder's database, or takes the endpoint given.
 *
 * @param endpoint Any DynamoDB endpoint with streams (`AWS_ENDPOINT_URL_DYNAMODB`), for machines without a binary.
 * @throws {LocalStartError} when there is neither an endpoint nor a binary, or the engine does not start.
 */
export async function startDynamoDbEngine(folder: DataFolder, endpoint?: string): Promise<DynamoDbEngine> {
  if (endpoint !== undefined) {
    return { endpoint, failed: new Promise<Error>(() => undefined), stop: () => Promise.resolve() };
  }
  const binary = embeddedBinary();
  const port = await freePort();
  const log = openSync(folder.file('dynamodb-engine.log'), 'w');
  const command = [binary, '--host', '127.0.0.1', '--port', `${port}`, '--db-path', folder.file('dynamodb.db')];
  // Its own process group: Ctrl-C in the terminal reaches this process alone, which then stops in order.
  const shell = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', ...command], { stdio: ['pipe', log, log], detached: true });
  closeSync(log);
  shell.stdin?.on('error', () => undefined);
  const exited = once(shell, 'exit');
  let stopping = false;
  const failed = exited.then(() => {
    if (stopping) return new Promise<Error>(() => undefined);
    return new LocalStartError(
      `The DynamoDB engine ended by itself; its last words are in ${folder.file('dynamodb-engine.log')}.`,
    );
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    shell.stdin?.end();
    await exited;
  };
  const listening = await Promise.race([accepts(port), failed]);
  if (listening instanceof Error) throw listening;
  if (!listening) {
    await stop();
    throw new LocalStartError(
      `The DynamoDB engine does not answer on port ${port}; see ${folder.file('dynamodb-engine.log')}.`,
    );
  }
  return { endpoint: `http://127.0.0.1:${port}`, failed, stop };
}

function embeddedBinary(): string {
  try {
    const binary = join(dirname(fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/package.json'))), 'dynoxide');
    if (existsSync(binary)) return binary;
  } catch {
    // Not installed on this platform: the message below says what to do.
  }
  throw new LocalStartError(
    `No DynamoDB engine for ${process.platform}-${process.arch}: the optional dependency @dynoxide/linux-x64 is not installed. ` +
      'Set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB endpoint (DynamoDB Local, for instance), or run npm ci on Linux x64.',
  );
}

async function accepts(port: number): Promise<boolean> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    const socket = connect(port, '127.0.0.1');
    const connected = await new Promise<boolean>((answer) => {
      socket
        .once('connect', () => {
          answer(true);
        })
        .once('error', () => {
          answer(false);
        });
    });
    socket.destroy();
    if (connected) return true;
    await sleep(5);
  }
  return false;
}
