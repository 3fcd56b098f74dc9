import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runOrThrow } from './commands.ts';
import type { PythonRange } from './find-python.ts';
import { describeRange, findPython } from './find-python.ts';

type Tool = {
  /** The program in the virtual environment. */
  readonly program: string;
  readonly python: PythonRange;
};

/** Programs of PyPI, each with all that it needs at fixed versions in `python/<name>.txt`. */
export const pythonTools = {
  'cfn-lint': { program: 'cfn-lint', python: { from: 11 } },
  ministack: { program: 'ministack', python: { from: 11 } },
  // Older ones fail on its syntax, although its metadata allows them; for newer ones its pinned wheels were never
  // tried.
  localstack: { program: 'python', python: { from: 13, to: 13 } },
  'openapi-client': { program: 'python', python: { from: 11 } },
  schemathesis: { program: 'schemathesis', python: { from: 11 } },
} as const satisfies Readonly<Record<string, Tool>>;

export type PythonTool = keyof typeof pythonTools;

/**
 * Installs a program into a virtual environment of its own, `.venv/<name>`, which stays until its list of versions
 * changes.
 *
 * @returns Path of the program.
 * @throws Error when there is no Python for it, or PyPI cannot be reached.
 */
export async function pythonTool(name: PythonTool): Promise<string> {
  const list = join(import.meta.dirname, `python/${name}.txt`);
  const environment = join(root, '.venv', name);
  const program = join(environment, 'bin', pythonTools[name].program);
  const stamp = join(environment, '.complete');
  const wanted = createHash('sha256').update(readFileSync(list)).digest('hex');
  if (existsSync(program) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return program;
  const python = await pythonFor(name);
  rmSync(environment, { recursive: true, force: true });
  await runOrThrow([python, '-m', 'venv', environment]);
  const pip = [
    join(environment, 'bin/pip'),
    'install',
    '--quiet',
    '--no-compile',
    '--disable-pip-version-check',
  ] as const;
  // Only what the list names: a version that is missing there is an error, not a newer one.
  await runOrThrow([...pip, '--no-deps', '--requirement', list]);
  writeFileSync(stamp, wanted);
  return program;
}

/** @throws Error with one line that says which Python is missing. */
export async function pythonFor(name: PythonTool, find: typeof findPython = findPython): Promise<string> {
  const { python } = pythonTools[name];
  const program = await find(python);
  if (program !== undefined) return program;
  throw new Error(
    `${name} needs Python ${describeRange(python)} with venv, and none runs here: not on the path, not under ~/.pyenv/versions.`,
  );
}
