import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exists, ROOT, runOrThrow } from './commands.ts';

/** Programs of PyPI, each with all that it needs at fixed versions in `python/<name>.txt`. */
export type PythonTool = 'cfn-lint' | 'ministack';

/**
 * Installs a program into a virtual environment of its own, `.venv/<name>`, which stays until its list of versions changes.
 *
 * @returns Path of the program.
 * @throws Error when there is no Python with venv, or PyPI cannot be reached.
 */
export async function pythonTool(name: PythonTool): Promise<string> {
  const list = join(import.meta.dirname, `python/${name}.txt`);
  const environment = join(ROOT, '.venv', name);
  const program = join(environment, 'bin', name);
  const stamp = join(environment, '.complete');
  const wanted = createHash('sha256').update(readFileSync(list)).digest('hex');
  if (existsSync(program) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return program;
  if (!(await exists('python3'))) throw new Error(`${name} needs Python 3.11 or newer.`);
  rmSync(environment, { recursive: true, force: true });
  await runOrThrow(['python3', '-m', 'venv', environment]);
  await runOrThrow([
    ...([join(environment, 'bin/pip'), 'install', '--quiet', '--no-compile', '--disable-pip-version-check'] as const),
    // Only what the list names: a version that is missing there is an error, not a newer one.
    ...['--no-deps', '--requirement', list],
  ]);
  writeFileSync(stamp, wanted);
  return program;
}
