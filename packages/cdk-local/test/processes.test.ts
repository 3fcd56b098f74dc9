import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startWatched } from '#cdk-local/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'watched-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A command that writes its process id into the file and then sleeps. */
const sleeper = (file: string): readonly string[] => ['/bin/sh', '-c', `echo $$ > ${file}; exec sleep 1000`];

async function idIn(file: string): Promise<number> {
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+\n$/u);
  return Number(readFileSync(file, 'utf8'));
}

const isRunning = (id: number): boolean => existsSync(`/proc/${id}`);

describe('a watched process', () => {
  test('has ended when stop returns', async () => {
    const file = join(folder, 'stopped');
    const { stop } = startWatched(sleeper(file), join(folder, 'log'));
    const id = await idIn(file);
    expect(isRunning(id)).toBe(true);
    await stop();
    expect(isRunning(id)).toBe(false);
  });

  test('settles its ended promise when it exits by itself, and leaves its output in the log', async () => {
    const log = join(folder, 'words');
    await startWatched(['/bin/sh', '-c', 'echo "$WORD"; exit 3'], log, { WORD: 'last' }).ended;
    expect(readFileSync(log, 'utf8')).toBe('last\n');
  });

  test('ends with the process that started it, also when that one is killed', async () => {
    const file = join(folder, 'orphan');
    const module = new URL('../src/processes.ts', import.meta.url);
    const start = `startWatched(${JSON.stringify(sleeper(file))}, ${JSON.stringify(join(folder, 'log2'))})`;
    const script = `import { startWatched } from '${module.href}'; ${start}; setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const id = await idIn(file);
    parent.kill('SIGKILL');
    await expect.poll(() => isRunning(id)).toBe(false);
  });
});
