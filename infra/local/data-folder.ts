import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Endpoints } from '../operator/local-environment.ts';
import { localFiles, replaceFile } from '../operator/local-environment.ts';
import { LocalStartError } from './template/local-template.ts';

/** Where a local environment keeps everything that it needs at its next start. */
export type DataFolder = {
  readonly path: string;
  /** Absolute path of a file in the folder. */
  readonly file: (name: string) => string;
  /** Writes down where the running environment is reached: for commands that work on it from another process. */
  readonly announce: (endpoints: Endpoints) => void;
  /** Removes the addresses and unlocks the folder. */
  readonly release: () => void;
};

/**
 * Of everything that the folder keeps: items, messages, checkpoints, clients. Raise it with a change after which what
 * an earlier start wrote cannot be read any more; data of a laptop are not migrated.
 */
const layout = 2;
const layoutFile = 'layout';
/** SQLITE_BUSY: another process holds the lock. */
const sqliteBusy = 5;

/**
 * Opens the folder for one process at a time.
 *
 * The lock is an exclusive SQLite transaction, so the kernel releases it with the process, also after `kill -9`:
 * there is no stale lock and no process id that could belong to another process by now.
 *
 * @throws LocalStartError when it is another user's, another environment runs on it, or its data have another layout.
 */
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path);
  const file = (name: string): string => join(folder, name);
  const lock = lockFolder(folder, file);
  try {
    keepLayout(folder, file);
  } catch (error) {
    lock.close();
    throw error;
  }
  // Left by a run that was killed: nothing answers at these addresses any more.
  rmSync(file(localFiles.endpoints), { force: true });
  return {
    path: folder,
    file,
    announce: (endpoints) => {
      replaceFile(file(localFiles.endpoints), `${JSON.stringify({ processId: process.pid, ...endpoints }, null, 2)}\n`);
    },
    release: () => {
      rmSync(file(localFiles.endpoints), { force: true });
      lock.close();
    },
  };
}

function lockFolder(folder: string, file: DataFolder['file']): DatabaseSync {
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

/**
 * Writes the layout's number into a folder without data. Data of another layout, or of the time before there was a
 * number, would start well and be answered with 500.
 */
function keepLayout(folder: string, file: DataFolder['file']): void {
  const found = existsSync(file(layoutFile)) ? readFileSync(file(layoutFile), 'utf8').trim() : undefined;
  if (found === String(layout)) return;
  if ([localFiles.clients, localFiles.sandbox].some((name) => existsSync(file(name))))
    throw new LocalStartError(
      `${folder} holds data of another version (layout ${found ?? 'unnumbered'}; this version's is ${layout}). Delete it, or choose another folder with LOCAL_DIR.`,
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
