import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, runOrThrow } from './commands.ts';

/** Minor versions of Python 3 with which a program runs. */
type PythonRange = { readonly from: number; readonly to?: number };

/**
 * What a candidate says about itself: its version, once the modules are there without which no virtual environment is
 * made.
 */
const question = 'import sys, venv, ensurepip; print(*sys.version_info[:2])';

/** Tries an interpreter; gives the minor version of Python 3, undefined where it does not run or has no venv. */
type TryPython = (program: string) => Promise<number | undefined>;

const tryPython: TryPython = async (program) => {
  try {
    const { stdout } = await promisify(execFile)(program, ['-c', question], { timeout: 20_000 });
    const [major, minor] = stdout.trim().split(' ').map(Number);
    return major === 3 ? minor : undefined;
  } catch {
    // A shim of pyenv is found on the path and still does not run.
    return undefined;
  }
};

/**
 * Looks for a Python that really runs and can make virtual environments: those of the path, then those of pyenv, which
 * stand there also when the path does not lead to them.
 *
 * @returns Name or path of the program; undefined when there is none.
 */
export async function findPython(
  range: PythonRange,
  seen = tryPython,
  folder = pyenvFolder(),
): Promise<string | undefined> {
  for (const program of candidatesFor(range, folder)) {
    const minor = await seen(program);
    if (minor !== undefined && minor >= range.from && minor <= (range.to ?? Infinity)) return program;
  }
  return undefined;
}

/** `3.13`, or `3.11 or newer`. */
export function describeRange({ from, to }: PythonRange): string {
  if (to === undefined) return `3.${from} or newer`;
  return from === to ? `3.${from}` : `3.${from} to 3.${to}`;
}

function candidatesFor({ from, to }: PythonRange, folder: string): readonly string[] {
  const onPath =
    to === undefined
      ? ['python3']
      : minors(from, to)
          .map((minor) => `python3.${minor}`)
          .concat('python3');
  const wanted = (version: string): boolean => {
    const minor = Number(/^3\.(\d+)\./u.exec(version)?.[1] ?? -1);
    return minor >= from && minor <= (to ?? Infinity);
  };
  return [
    ...onPath,
    ...entriesOf(folder)
      .filter(wanted)
      .map((version) => join(folder, version, 'bin/python3')),
  ];
}

function minors(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => to - index);
}

function pyenvFolder(): string {
  return join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

type Tool = {
  /** The program in the virtual environment. */
  readonly program: string;
  readonly python: PythonRange;
};

/** Programs of PyPI, each with all that it needs at fixed versions in `python/<name>.txt`. */
const pythonTools = {
  'cfn-lint': { program: 'cfn-lint', python: { from: 11 } },
  ministack: { program: 'ministack', python: { from: 11 } },
  // Older ones fail on its syntax, although its metadata allows them; for newer ones its pinned wheels were never
  // tried.
  localstack: { program: 'python', python: { from: 13, to: 13 } },
  'openapi-client': { program: 'python', python: { from: 11 } },
  schemathesis: { program: 'schemathesis', python: { from: 11 } },
} as const satisfies Readonly<Record<string, Tool>>;

type PythonTool = keyof typeof pythonTools;

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
