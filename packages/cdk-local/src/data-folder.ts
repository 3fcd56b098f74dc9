import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalStartError } from './template/local-template.ts';

export type DataFolder = ReturnType<typeof openDataFolder>;

/** Addresses of a running environment; they change with every start. */
export type Endpoints = {
  readonly baseUrl: string;
  readonly region: string;
  readonly tableName: string;
  /** Endpoint for the AWS SDK (`AWS_ENDPOINT_URL_DYNAMODB`). */
  readonly dynamodb: string;
  /** Endpoint for the AWS SDK (`AWS_ENDPOINT_URL_SQS`). */
  readonly sqs: string;
};

type FolderOptions = {
  /**
   * Version of the stored data: items and messages of the service, and data of this package. Data of another version
   * are refused: they are not migrated.
   */
  readonly layout: number;
  /** Deletes the files of earlier starts, and no other files. */
  readonly fresh?: boolean | undefined;
  /** Names of the files that the caller keeps here: `fresh` deletes these as well. */
  readonly callersFiles?: RegExp;
};

const layoutFile = 'layout';
const endpointsFile = 'endpoints.json';
/** Files that hold data of a run. */
const dataFiles = /^((checkpoints|dynamodb)\.db.*|dynamodb-local|sqs|signing-keys|buckets)$/u;
/** Files that every start writes again. */
const writtenFiles = /^(dynamodb-engine\.log|functions\.log|build|layout|endpoints\.json)$/u;
/** SQLITE_BUSY: another process holds the lock. */
const sqliteBusy = 5;

/**
 * Opens the folder of everything that the next start needs, for one process at a time. The lock is an exclusive SQLite
 * transaction: the kernel releases it with the process, also after `kill -9`, so no stale lock stays.
 *
 * @throws LocalStartError for a folder of another user or environment, and for data of another layout.
 */
export function openDataFolder(path: string, { layout, fresh = false, callersFiles }: FolderOptions) {
  const folder = resolve(path);
  const file = (name: string): string => join(folder, name);
  const lock = lockFolder(folder, file);
  try {
    const isOwn = (name: string): boolean =>
      [dataFiles, writtenFiles, callersFiles].some((names) => names?.test(name) === true);
    if (fresh)
      for (const name of readdirSync(folder).filter(isOwn)) rmSync(file(name), { recursive: true, force: true });
    keepLayout(folder, file, layout);
  } catch (error) {
    lock.close();
    throw error;
  }
  // A killed run may have left its addresses.
  rmSync(file(endpointsFile), { force: true });
  return {
    path: folder,
    /** Absolute path of a file in the folder. */
    file,
    /** Writes the addresses of the running environment, for commands of another process. */
    announce: (endpoints: Endpoints): void => {
      replaceFile(file(endpointsFile), `${JSON.stringify({ processId: process.pid, ...endpoints }, null, 2)}\n`);
    },
    /** Removes the addresses and unlocks the folder. */
    release: (): void => {
      rmSync(file(endpointsFile), { force: true });
      lock.close();
    },
  };
}

/** Replaces a file as a whole: a reader sees the old text or the new one, also after a crash. */
export function replaceFile(path: string, text: string): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode: 0o600 });
  renameSync(next, path);
}

type FileOf = (name: string) => string;

function lockFolder(folder: string, file: FileOf): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lock = new DatabaseSync(file('lock.db'));
    // A run that was killed a moment ago may not have ended yet.
    lock.exec('PRAGMA busy_timeout = 1500; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    const reason =
      (error as { errcode?: number }).errcode === sqliteBusy
        ? `is in use by another local environment${runningProcess(file(endpointsFile))}. Stop it`
        : `cannot be written (${(error as Error).message}). Give your user write access to it`;
    throw new LocalStartError(`${folder} ${reason}, or choose another folder with LOCAL_DIR.`, { cause: error });
  }
}

/** Writes the layout into a folder without data. With data of another layout requests would fail with 500. */
function keepLayout(folder: string, file: FileOf, layout: number): void {
  const found = existsSync(file(layoutFile)) ? readFileSync(file(layoutFile), 'utf8').trim() : undefined;
  if (found === String(layout)) return;
  if (readdirSync(folder).some((name) => dataFiles.test(name)))
    throw new LocalStartError(
      `${folder} holds data of another version (layout ${found ?? 'unnumbered'}; this version's is ${layout}). Delete it with npm start -- --fresh, or choose another folder with LOCAL_DIR.`,
    );
  replaceFile(file(layoutFile), `${layout}\n`);
}

/** Returns the process id, only for the error message: the lock does not depend on it. */
function runningProcess(file: string): string {
  try {
    const { processId } = JSON.parse(readFileSync(file, 'utf8')) as { processId: number };
    return ` (process ${processId})`;
  } catch {
    return '';
  }
}
