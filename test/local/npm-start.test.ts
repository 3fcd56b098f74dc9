import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

/** `npm start` as a person runs it; resolves with its address once it is ready. */
async function npmStart(folder: string) {
  const npm = spawn('npm', ['start'], {
    env: { ...process.env, PORT: '0', LOCAL_DIR: folder, npm_lifecycle_event: '' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: npm.stdout })) {
    const address = /^ready (\S+)/u.exec(line)?.[1];
    if (address !== undefined) return { npm, address };
  }
  throw new Error('npm start ended before it was ready.');
}

async function answers(address: string): Promise<boolean> {
  return fetch(address).then(
    () => true,
    () => false,
  );
}

test(
  'npm start ends with the npm that started it, and the next start takes its folder',
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'npm-start-'));
    try {
      const first = await npmStart(folder);
      expect(await answers(first.address)).toBe(true);
      first.npm.kill('SIGKILL');
      const second = await npmStart(folder);
      expect(await answers(first.address)).toBe(false);
      second.npm.kill('SIGTERM');
      const [code] = (await once(second.npm, 'exit')) as [number | null];
      expect(code).toBe(0);
      await sleep(100);
      expect(await answers(second.address)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
