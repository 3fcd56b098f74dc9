import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Earlier folders stay for as long as another process may be copying from them. */
const keepMs = 60 * 60 * 1000;

/**
 * Returns the folder of a build, which takes seconds and is repeated only after a change of its source files. The name
 * of the folder is the digest of the files, so that an outdated folder is never returned. Several processes may use one
 * cache concurrently: a folder appears when it is complete, and is never written to after that.
 *
 * @param files Returns the absolute path of every file that decides the result.
 * @param make Fills an unfinished folder, which is then moved into the cache.
 */
export async function newestBuild(
  cache: string,
  files: () => readonly string[],
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const digest = digestOf(cache, files());
  const folder = join(cache, digest);
  if (touchIfExists(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const unfinished = join(cache, randomUUID());
  await make(unfinished);
  // A file changed meanwhile: its old or its new content was read.
  if (digestOf(cache, files()) !== digest) {
    rmSync(unfinished, { recursive: true, force: true });
    return newestBuild(cache, files, make);
  }
  moveFolder(unfinished, folder);
  removeOld(cache, folder);
  return folder;
}

/** Whether the folder exists. A folder in use gets the current time, so that it is not removed as old. */
function touchIfExists(folder: string): boolean {
  try {
    utimesSync(folder, new Date(), new Date());
    return true;
  } catch {
    return false;
  }
}

/** Returns the digest of the files that exist: of their paths relative to the cache, and of their contents. */
function digestOf(cache: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    const content = readFileSync(file);
    hash.update(`${relative(cache, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

/** Moves a complete folder into the cache. If another process created the same folder meanwhile, that folder stays. */
function moveFolder(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

function removeOld(cache: string, newest: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (path !== newest && stat?.isDirectory() === true && Date.now() - stat.mtimeMs > keepMs)
      rmSync(path, { recursive: true, force: true });
  }
}
