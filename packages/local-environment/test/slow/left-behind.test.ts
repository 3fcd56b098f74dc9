import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from '#test/architecture/sources.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** What `/proc` says of a process; nothing of one that has ended meanwhile. */
function factOf(id: string, name: 'environ' | 'cmdline'): readonly string[] {
  try {
    return readFileSync(`/proc/${id}/${name}`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Command lines of all processes whose temporary folder this is. */
function runningIn(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((id) => factOf(id, 'environ').includes(`TMPDIR=${folder}`))
    .map((id) => factOf(id, 'cmdline').join(' '));
}

test.each([
  ['Ctrl-C', 'while engines run', /dynoxide/u],
  ['kill -9 of the runner only', 'while an environment begins', /start\.cjs/u],
])('%s %s ends all environments of a run of tests', async (interruption, _when, seen) => {
  const folder = mkdtempSync(join(tmpdir(), 'left-behind-'));
  folders.push(folder);
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'acceptance', 'test/acceptance/tenancy.test.ts'];
  const { ACCEPTANCE_SANDBOX: _own, TEST_SLOW: _slow, ...env } = process.env;
  // A process group of its own, as a terminal gives it to a command.
  const runner = spawn(process.execPath, args, {
    cwd: root,
    env: { ...env, TMPDIR: folder },
    detached: true,
    stdio: 'ignore',
  });
  const exited = once(runner, 'exit');
  await expect.poll(() => runningIn(folder).some((line) => seen.test(line))).toBe(true);
  if (runner.pid === undefined) throw new Error('The run has not begun.');
  if (interruption === 'Ctrl-C') process.kill(-runner.pid, 'SIGINT');
  else process.kill(runner.pid, 'SIGKILL');
  await exited;
  await expect.poll(() => runningIn(folder)).toEqual([]);
});
