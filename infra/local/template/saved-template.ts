import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  globSync,
  existsSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify, isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import * as z from 'zod';
import { replaceFile } from '#infra/operator/local-environment.ts';
import type { LocalTemplate } from './local-template.ts';
import { LocalStartError } from './local-template.ts';

/** Where the newest folder is, and the files of which it was made. */
const newestShape = z.object({ folder: z.string(), inputs: z.record(z.string(), z.string()) });

/** Earlier folders stay for as long as another start may be copying from them. */
const keepMs = 60 * 60 * 1000;

/**
 * A folder of something made from files, made again only when one of them has changed: that is most of the time of a
 * start. Several environments may do this at once on one cache: a folder is never written to after it is complete.
 *
 * @param files Every file that decides the result, absolute.
 * @param make Fills the folder.
 */
export async function newestMade(
  cache: string,
  files: () => readonly string[],
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const pointer = join(cache, 'newest.json');
  const newest = readNewest(pointer);
  // Taken before the files are read: what changes meanwhile counts as changed.
  const inputs = fingerprints(files());
  if (newest !== undefined && existsSync(newest.folder) && isDeepStrictEqual(inputs, newest.inputs))
    return newest.folder;
  mkdirSync(cache, { recursive: true });
  const folder = join(cache, randomUUID());
  await make(folder);
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
function fingerprints(files: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    files.flatMap((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
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

const fileName = 'template';

/** Keeps a template whose assets are below the folder, for starts that follow. */
export function saveTemplate(folder: string, template: LocalTemplate): void {
  writeFileSync(join(folder, fileName), serialize(withAssets(template, (directory) => relative(folder, directory))));
}

/** Copies a saved template's assets into a folder, which is emptied before: functions run from there. */
export function takeTemplate(saved: string, folder: string): LocalTemplate {
  rmSync(folder, { recursive: true, force: true });
  const template = deserialize(readFileSync(join(saved, fileName))) as LocalTemplate;
  for (const directory of new Set(template.assets.values())) link(join(saved, directory), join(folder, directory));
  return withAssets(template, (directory) => join(folder, directory));
}

function withAssets(template: LocalTemplate, move: (directory: string) => string): LocalTemplate {
  return { ...template, assets: new Map([...template.assets].map(([key, directory]) => [key, move(directory)])) };
}

/** A file, or a folder with all that is in it. Links cost no time and no room; another file system gets copies. */
function link(from: string, to: string): void {
  if (statSync(from).isDirectory()) {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) link(join(from, name), join(to, name));
    return;
  }
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

const root = join(import.meta.dirname, '../../..');

/** Everything that a bundle or a stack can be made of. */
const sources = [
  ...['functions/**/*.ts', 'shared/**/*.ts', 'infra/*.ts', 'infra/aws/**/*.ts', 'infra/local/template/*.ts'],
  ...['infra/local/make-template.ts', 'cdk.json', 'package.json', 'package-lock.json'],
];

/**
 * Folder of the stage Local as `make-template.ts` saves it, from an earlier start if none of its sources has changed.
 *
 * @param building Called before it is made again, which takes long.
 * @throws LocalStartError with what bundler or CDK said.
 */
export function newestTemplate(building: () => void = () => undefined): Promise<string> {
  const files = (): string[] => globSync(sources, { cwd: root }).map((file) => join(root, file));
  return newestMade(join(root, 'node_modules/.cache/local-template'), files, async (folder) => {
    building();
    const program = join(import.meta.dirname, '../make-template.ts');
    await promisify(execFile)(process.execPath, [program, folder], { cwd: root }).catch((error: unknown) => {
      const { stderr = String(error) } = error as { stderr?: string };
      throw new LocalStartError(`The functions or the stacks cannot be built:\n${stderr}`);
    });
  });
}
