import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { LocalTemplate } from './local-template.ts';

const fileName = 'template';

/** Saves a template, whose assets are below the folder, for later starts. */
export function saveTemplate(folder: string, template: LocalTemplate): void {
  writeFileSync(join(folder, fileName), serialize(withAssets(template, (directory) => relative(folder, directory))));
}

/** Reads a saved template and links its assets into a folder, which is emptied first: functions run from there. */
export function takeTemplate(saved: string, folder: string): LocalTemplate {
  rmSync(folder, { recursive: true, force: true });
  const template = deserialize(readFileSync(join(saved, fileName))) as LocalTemplate;
  for (const directory of new Set(template.assets.values())) link(join(saved, directory), join(folder, directory));
  return withAssets(template, (directory) => join(folder, directory));
}

function withAssets(template: LocalTemplate, move: (directory: string) => string): LocalTemplate {
  return { ...template, assets: new Map([...template.assets].map(([key, directory]) => [key, move(directory)])) };
}

/** Links a file, or each file of a folder, to save time and disk space. On another file system it copies instead. */
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
