import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOrThrow } from '#infra/releases/commands.ts';

/**
 * Installs npm packages that are no dependencies of the project, unless the same versions are installed.
 *
 * @param list Folder of their `package.json` and `package-lock.json`.
 * @param folder Where they are installed.
 */
export async function bringPackages(list: string, folder: string): Promise<void> {
  const lock = join(list, 'package-lock.json');
  const installed = join(folder, 'package-lock.json');
  const complete = join(folder, 'node_modules/.package-lock.json');
  if (existsSync(complete) && existsSync(installed) && readFileSync(lock).equals(readFileSync(installed))) return;
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(list, name), join(folder, name));
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await runOrThrow(['npm', 'ci', '--prefix', folder, ...quiet]);
}
