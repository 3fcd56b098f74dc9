import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Endpoints } from '../operator/local-environment.ts';
import { localFiles, replaceFile } from '../operator/local-environment.ts';
import { LocalStartError } from './template/local-template.ts';

export type DataFolder = ReturnType<typeof openDataFolder>;

/**
 * The number of the stored shapes: items, messages, checkpoints, clients. Raise it with a change that makes data of an
 * earlier start unreadable; data of a laptop are not migrated.
 */
const layout = 4;
const layoutFile = 'layout';
/** Every file of an environment but the lock, and the cursors of listeners. */
const dataFiles =
  /^((checkpoints|dynamodb)\.db.*|dynamodb-local|dynamodb-engine\.log|functions\.log|sqs|build|layout|bank|bank\.log|(clients|sandbox|endpoints|token-key|bank-secrets|listen-.*)\.json)$/u;
/** SQLITE_BUSY: another process holds the lock. */
const sqliteBusy = 5;

/**
 * Opens the folder of everything that the next start needs, for one process at a time. The lock is an exclusive SQLite
 * transaction: the kernel releases it with the process, also after `kill -9`, so no stale lock stays.
 *
 * @param fresh Deletes what earlier starts left, and nothing else.
 * @throws LocalStartError for a folder of another user or environment, and for data of another layout.
 */
export function openDataFolder(path: string, fresh = false) {
  const folder = resolve(path);
  const file = (name: string): string => join(folder, name);
  const lock = lockFolder(folder, file);
  try {
    if (fresh)
      for (const name of readdirSync(folder).filter((one) => dataFiles.test(one)))
        rmSync(file(name), { recursive: true, force: true });
    keepLayout(folder, file);
  } catch (error) {
    lock.close();
    throw error;
  }
  // A killed run may have left its addresses.
  rmSync(file(localFiles.endpoints), { force: true });
  return {
    path: folder,
    /** Absolute path of a file in the folder. */
    file,
    /** Writes the addresses of the running environment, for commands of another process. */
    announce: (endpoints: Endpoints): void => {
      replaceFile(file(localFiles.endpoints), `${JSON.stringify({ processId: process.pid, ...endpoints }, null, 2)}\n`);
    },
    /** Removes the addresses and unlocks the folder. */
    release: (): void => {
      rmSync(file(localFiles.endpoints), { force: true });
      lock.close();
    },
  };
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
    const fault =
      (error as { errcode?: number }).errcode === sqliteBusy
        ? `is in use by another local environment${runningProcess(file(localFiles.endpoints))}. Stop it`
        : `cannot be written (${(error as Error).message}). Make it your own user's folder`;
    throw new LocalStartError(`${folder} ${fault}, or choose another folder with LOCAL_DIR.`, { cause: error });
  }
}

/** Writes the layout's number into a folder without data: data of another layout would start well and end in 500. */
function keepLayout(folder: string, file: FileOf): void {
  const found = existsSync(file(layoutFile)) ? readFileSync(file(layoutFile), 'utf8').trim() : undefined;
  if (found === String(layout)) return;
  if ([localFiles.clients, localFiles.sandbox].some((name) => existsSync(file(name))))
    throw new LocalStartError(
      `${folder} holds data of another version (layout ${found ?? 'unnumbered'}; this version's is ${layout}). Delete it by npm start -- --fresh, or choose another folder with LOCAL_DIR.`,
    );
  replaceFile(file(layoutFile), `${layout}\n`);
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
