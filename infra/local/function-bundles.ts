import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Metafile } from 'esbuild';
import * as z from 'zod';
import { replaceFile } from './data-folder.ts';

/** Which bundles are the newest, and of which files they were made. */
const newestShape = z.object({ folder: z.string(), inputs: z.record(z.string(), z.string()) });

/** Folders of earlier bundles stay for as long as another start may be copying from them. */
const KEEP_MS = 60 * 60 * 1000;

export interface BundleSource {
  /** Bundles all functions into a folder. */
  readonly bundle: (outdir: string) => Promise<Metafile>;
  /** Folder to which the paths of the bundler's record are relative. */
  readonly root: string;
  /** Files, relative to the root, that decide what is bundled and how. */
  readonly settings: readonly string[];
}

/**
 * Folder of the functions' bundles, made anew only when one of the files they were made of has changed: bundling is most of the time of a
 * start. Several environments may do this at once on one cache: a folder is never written to after its bundles are complete.
 */
export async function newestBundles(cache: string, source: BundleSource): Promise<string> {
  const pointer = join(cache, 'newest.json');
  const newest = readNewest(pointer);
  if (newest !== undefined && existsSync(newest.folder)) {
    const now = fingerprints(source.root, Object.keys(newest.inputs));
    if (isDeepStrictEqual(now, newest.inputs)) return newest.folder;
  }
  mkdirSync(cache, { recursive: true });
  const folder = join(cache, randomUUID());
  // Before the bundler reads them: what is changed meanwhile counts as changed.
  const settings = fingerprints(source.root, source.settings);
  const { inputs } = await source.bundle(folder);
  const all = { ...fingerprints(source.root, Object.keys(inputs)), ...settings };
  replaceFile(pointer, JSON.stringify({ folder, inputs: all }));
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

/** Size and time of change of each file; of one that is gone nothing. */
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
    if (path !== newest && stat?.isDirectory() === true && Date.now() - stat.mtimeMs > KEEP_MS) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}
