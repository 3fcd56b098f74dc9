import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Minor versions of Python 3 with which a program runs. */
export type PythonRange = { readonly from: number; readonly to?: number };

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
