import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { replaceFile } from '../operator/local-environment.ts';

/** Where the newest folder is, and the files of which it was made. */
const newestShape = z.object({ folder: z.string(), inputs: z.record(z.string(), z.string()) });

/** Earlier folders stay for as long as another start may be copying from them. */
const keepMs = 60 * 60 * 1000;

type Making = {
  /** Fills a folder, and names the files that it was made of, relative to the root. */
  readonly make: (folder: string) => Promise<readonly string[]>;
  /** Folder to which files are relative. */
  readonly root: string;
  /** More files that decide what is made and how. */
  readonly settings: () => readonly string[];
};

/**
 * A folder of something made from files, made again only when one of them has changed: that is most of the time of a
 * start. Several environments may do this at once on one cache: a folder is never written to after it is complete.
 */
export async function newestMade(cache: string, source: Making): Promise<string> {
  const pointer = join(cache, 'newest.json');
  const newest = readNewest(pointer);
  if (newest !== undefined && existsSync(newest.folder)) {
    const now = fingerprints(source.root, Object.keys(newest.inputs));
    if (isDeepStrictEqual(now, newest.inputs)) return newest.folder;
  }
  mkdirSync(cache, { recursive: true });
  const folder = join(cache, randomUUID());
  // Taken before the files are read: what changes meanwhile counts as changed.
  const settings = fingerprints(source.root, source.settings());
  const made = await source.make(folder);
  const inputs = { ...fingerprints(source.root, made), ...settings };
  replaceFile(pointer, JSON.stringify({ folder, inputs }));
  removeOld(cache, folder);
  return folder;
}

function readNewest(file: string): z.infer<typeof newestShape> | undefined {
  try {
    return newestShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Size and time of change of each file that exists. */
function fingerprints(root: string, files: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    files.flatMap((file) => {
      const stat = statSync(join(root, file), { throwIfNoEntry: false });
      return stat === undefined ? [] : [[file, `${stat.size} ${stat.mtimeMs}`]];
    }),
  );
}

function removeOld(cache: string, newest: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (path !== newest && stat?.isDirectory() === true && Date.now() - stat.mtimeMs > keepMs) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}
