import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '#cdk-local/api/http-server.ts';
import { openDataFolder } from '#cdk-local/data-folder.ts';
import { prepareTemplate } from '#cdk-local/run-template.ts';

/** Whether a process was started with this text in its arguments. */
function isRunning(text: string): boolean {
  const commands = readdirSync('/proc').map((entry) => `/proc/${entry}/cmdline`);
  return commands.some((file) => existsSync(file) && readFileSync(file, 'utf8').includes(text));
}

test('a start that fails while its engines are starting leaves none of them behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'failed-'));
  const undo = new AsyncDisposableStack();
  const data = openDataFolder(folder, { layout: 1 });
  const server = await listen(0);
  const readTemplate = () => Promise.reject(new Error('No template.'));
  await expect(prepareTemplate({ folder: data, server, engine: 'embedded', readTemplate }, undo)).rejects.toThrow(
    'No template.',
  );
  await undo.disposeAsync();
  await server.stop();
  data.release();
  await expect.poll(() => isRunning(folder)).toBe(false);
  rmSync(folder, { recursive: true });
});
