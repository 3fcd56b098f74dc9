import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeRange, findPython, pythonFor } from '#tools/emulators/python-tools.ts';

const only13 = { from: 13, to: 13 };
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-python-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Knows these programs; every other one does not run. */
const machine = (programs: Readonly<Record<string, number>>) => (program: string) => Promise.resolve(programs[program]);

/** A program of this test's own folder that answers as Python would, or fails as a shim of pyenv does. */
function program(path: string, script: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('the search for Python', () => {
  it('takes a program on the path first, by the version that it reports and not by its name', async () => {
    expect(await findPython(only13, machine({ 'python3.13': 13, python3: 12 }), folder)).toBe('python3.13');
    expect(await findPython(only13, machine({ 'python3.13': 12, python3: 13 }), folder)).toBe('python3');
    expect(await findPython({ from: 11 }, machine({ python3: 12 }), folder)).toBe('python3');
  });

  it('goes on to the versions of pyenv when the path has none, and never takes another version', async () => {
    for (const version of ['3.9.1', '3.12.1', '3.13.0', '3.14.0']) mkdirSync(join(folder, version));
    const wanted = join(folder, '3.13.0/bin/python3');
    const all = machine({
      python3: 11,
      [wanted]: 13,
      [join(folder, '3.12.1/bin/python3')]: 12,
      [join(folder, '3.14.0/bin/python3')]: 14,
    });
    expect(await findPython(only13, all, folder)).toBe(wanted);
    expect(await findPython(only13, machine({ python3: 11 }), folder)).toBeUndefined();
  });

  it('skips a pyenv shim that exists and does not run', async () => {
    program('path/python3.13', 'echo "pyenv: python3.13: command not found" >&2; exit 127');
    program('path/python3', 'echo 3 11');
    const real = program('versions/3.13.0/bin/python3', 'echo 3 13');
    symlinkSync('/bin/sh', join(folder, 'path/sh'));
    vi.stubEnv('PATH', [join(folder, 'path'), '/bin'].join(delimiter));
    expect(await findPython(only13, undefined, join(folder, 'versions'))).toBe(real);
    rmSync(real);
    expect(await findPython(only13, undefined, join(folder, 'versions'))).toBeUndefined();
  });

  it('fails with one line that names the missing version and the emulator that needs it', async () => {
    const none = () => Promise.resolve(undefined);
    await expect(pythonFor('localstack', none)).rejects.toThrow(
      /^Cannot find Python 3\.13 with venv for localstack: [^\n]+$/u,
    );
    await expect(pythonFor('ministack', none)).rejects.toThrow(
      'Cannot find Python 3.11 or newer with venv for ministack',
    );
    expect(describeRange({ from: 11, to: 13 })).toBe('3.11 to 3.13');
  });
});
