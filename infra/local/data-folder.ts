import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalStartError } from './template/local-template.ts';

/** Where a local environment keeps everything it must know at its next start. */
export interface DataFolder {
  readonly path: string;
  /** Absolute path of a file in the folder. */
  readonly file: (name: string) => string;
  /** Writes down where the running environment is reached: for commands that work on it from another process. */
  readonly announce: (endpoints: Endpoints) => void;
  /** Gives the folder back. */
  readonly release: () => void;
}

/** Name of the file that says how a running environment is reached; there as long as it runs. */
export const ENDPOINTS_FILE = 'endpoints.json';

/** Addresses that are others at every start. */
export interface Endpoints {
  readonly baseUrl: string;
  /** Endpoints for the AWS SDK (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL_SQS`). */
  readonly dynamodb: string;
  readonly sqs: string;
  readonly region: string;
  /** The first table of the template: this service has one. */
  readonly tableName: string;
}

/**
 * Opens the folder for one process at a time.
 *
 * The lock is an exclusive SQLite transaction, so the kernel releases it with the process, also after `kill -9`:
 * there is no stale lock and no process id that could belong to somebody else by now.
 *
 * @throws {LocalStartError} when another environment runs on the folder.
 */
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = (name: string): string => join(folder, name);
  const lock = new DatabaseSync(file('lock.db'));
  try {
    // A run that was killed a moment ago may still be on its way out.
    lock.exec('PRAGMA busy_timeout = 1500; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new LocalStartError(
      `${folder} is in use by another local environment${runningProcess(file(ENDPOINTS_FILE))}. Stop it, or choose another folder with LOCAL_DIR.`,
      { cause: error },
    );
  }
  // Of a run that was killed: its addresses are nobody's any more.
  rmSync(file(ENDPOINTS_FILE), { force: true });
  return {
    path: folder,
    file,
    announce: (endpoints) => {
      replaceFile(file(ENDPOINTS_FILE), `${JSON.stringify({ processId: process.pid, ...endpoints }, null, 2)}\n`);
    },
    release: () => {
      rmSync(file(ENDPOINTS_FILE), { force: true });
      lock.close();
    },
  };
}

/** For the message only: the lock itself does not depend on it. */
function runningProcess(file: string): string {
  try {
    const { processId } = JSON.parse(readFileSync(file, 'utf8')) as { processId: number };
    return ` (process ${processId})`;
  } catch {
    return '';
  }
}

/** Replaces a file as a whole: a reader, or a start after a crash, sees the old text or the new one, never half of it. */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode });
  renameSync(next, path);
}
