import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, runOrThrow } from '#infra/releases/commands.ts';

/** Minor versions of Python 3 that run a program. */
type PythonRange = { readonly from: number; readonly to?: number };

/** Prints the version; fails without the modules for virtual environments. */
const question = 'import sys, venv, ensurepip; print(*sys.version_info[:2])';

/** The minor version of a Python 3; undefined when it does not run or lacks venv. */
type TryPython = (program: string) => Promise<number | undefined>;

const tryPython: TryPython = async (program) => {
  try {
    const { stdout } = await promisify(execFile)(program, ['-c', question], { timeout: 120_000 });
    const [major, minor] = stdout.trim().split(' ').map(Number);
    return major === 3 ? minor : undefined;
  } catch {
    // A shim of pyenv is on the path and may still not run.
    return undefined;
  }
};

/** The first Python that runs and makes virtual environments, on the path or in pyenv's folder. */
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

/** Names on the path, and pyenv's own interpreters. */
function candidatesFor({ from, to }: PythonRange, folder: string): readonly string[] {
  const minors = to === undefined ? [] : Array.from({ length: to - from + 1 }, (_, place) => to - place);
  const versions = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  return [
    ...minors.map((minor) => `python3.${minor}`),
    'python3',
    ...versions.map((version) => join(folder, version, 'bin/python3')),
  ];
}

function pyenvFolder(): string {
  return join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
}

type Tool = {
  /** The program in the virtual environment. */
  readonly program: string;
  readonly python: PythonRange;
};

/** Programs of PyPI; `python/<name>.txt` pins each with its dependencies. */
const pythonTools = {
  'cfn-lint': { program: 'cfn-lint', python: { from: 11 } },
  ministack: { program: 'ministack', python: { from: 11 } },
  // Its syntax fails on older Pythons, whatever its metadata says; newer ones are untested with its pinned wheels.
  localstack: { program: 'python', python: { from: 13, to: 13 } },
  ofxtools: { program: 'python', python: { from: 11 } },
  'openapi-client': { program: 'python', python: { from: 11 } },
  'pypix-api': { program: 'python', python: { from: 10 } },
  schemathesis: { program: 'schemathesis', python: { from: 11 } },
} as const satisfies Readonly<Record<string, Tool>>;

type PythonTool = keyof typeof pythonTools;

/**
 * Installs a program into its own virtual environment, `.venv/<name>`, unless it is there in the pinned versions.
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
  const quietly = ['--quiet', '--no-compile', '--disable-pip-version-check'];
  // `--no-deps`: a dependency that the list does not pin is an error.
  await runOrThrow([join(environment, 'bin/pip'), 'install', ...quietly, '--no-deps', '--requirement', list]);
  writeFileSync(stamp, wanted);
  return program;
}

/** @throws Error with one line that names the missing Python. */
export async function pythonFor(name: PythonTool, find: typeof findPython = findPython): Promise<string> {
  const { python } = pythonTools[name];
  const program = await find(python);
  if (program !== undefined) return program;
  throw new Error(
    `Cannot find Python ${describeRange(python)} with venv for ${name}: neither on the path nor under ~/.pyenv/versions.`,
  );
}
