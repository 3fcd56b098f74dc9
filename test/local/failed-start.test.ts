import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startLocal } from '#infra/local/start-local.ts';

/** Whether a process was started with this text in its arguments. */
function isRunning(text: string): boolean {
  const commands = readdirSync('/proc').map((entry) => `/proc/${entry}/cmdline`);
  return commands.some((file) => existsSync(file) && readFileSync(file, 'utf8').includes(text));
}

test('a start that fails while its engines are starting leaves none of them behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'failed-'));
  const start = startLocal({
    options: { port: 0, folder, retryDelaysSeconds: [1], probeDelaysSeconds: [1], engine: 'embedded' },
    readTemplate: () => Promise.reject(new Error('No template.')),
    audience: 'api://app-order-hml',
  });
  await expect(start).rejects.toThrow('No template.');
  await expect.poll(() => isRunning(folder)).toBe(false);
  rmSync(folder, { recursive: true });
});
