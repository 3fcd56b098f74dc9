import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { openFunctionLog } from '#cdk-local/functions/function-log.ts';
import { startFunctionThread } from '#cdk-local/functions/function-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'function-load-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('a thread is busy while it computes, not while it waits', async () => {
  const file = join(folder, 'works.mjs');
  writeFileSync(
    file,
    `export const handler = async ({ computes }) => {
       const until = Date.now() + 5000;
       // Lets go of the thread now and then, as a function that calls a database for each of many messages.
       while (computes && Date.now() < until) await new Promise(setImmediate);
       if (!computes) await new Promise((done) => setTimeout(done, 300));
     };`,
  );
  const log = openFunctionLog(join(folder, 'log'), () => undefined);
  const definition = { id: 'F', name: 'F', arn: 'F', module: pathToFileURL(file).href, exportName: 'handler' };
  const thread = startFunctionThread({ ...definition, timeoutMs: 10_000, memoryMb: 128, environment: {} }, log);
  const invoke = (computes: boolean) => thread.invoke('1', JSON.stringify({ computes }));
  await invoke(false);
  const computing = invoke(true);
  // It computes for five seconds, which a busy machine may begin late.
  await expect.poll(() => thread.isBusy(), { interval: 100, timeout: 4500 }).toBe(true);
  await computing;
  const waiting = invoke(false);
  await sleep(50);
  thread.isBusy();
  await sleep(100);
  expect(thread.isBusy()).toBe(false);
  await waiting;
  await thread.stop();
  log.close();
});
