import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { FunctionLog } from '#cdk-local/functions/function-log.ts';
import { openFunctionLog } from '#cdk-local/functions/function-log.ts';
import type { FunctionThread } from '#cdk-local/functions/function-thread.ts';
import { startFunctionThread } from '#cdk-local/functions/function-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'function-log-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A function with this body. Only a test of its time limit gives it one that a busy machine can reach. */
function threadOf(id: string, log: FunctionLog, body: string, timeoutMs = 100_000): FunctionThread {
  const file = join(folder, `${id}.mjs`);
  writeFileSync(file, `export const handler = async (event) => { ${body} };`);
  const definition = { id, name: id, arn: id, module: pathToFileURL(file).href, exportName: 'handler' };
  return startFunctionThread({ ...definition, timeoutMs, memoryMb: 128, environment: {} }, log);
}

function openLog(name: string) {
  const shown: string[] = [];
  const log = openFunctionLog(join(folder, name), (line) => shown.push(line));
  const records = () =>
    readFileSync(log.file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  /** The lines without their times, which are those of the test. */
  const lines = () =>
    records().map(({ time, ...others }) => {
      expect(String(time)).toMatch(/^20\d\d-\d\d-\d\dT[\d:.]{12}Z$/u);
      return others;
    });
  return { log, shown, lines };
}

describe('the output of a function', () => {
  test('stands in the file as JSON line by line with its name when it answers; errors are shown too', async () => {
    const { log, shown, lines } = openLog('lines');
    const body = `
      process.stdout.write('{"a":1}\\n'); console.log('two\\nlines'); process.stdout.write('no end');
      process.stdout.write(Buffer.from('bytes é\\n')); console.log('{half'); console.log('[1]'); console.error('bad'); process.stdout.write('');
      await new Promise((done) => process.stdout.write('told\\n', done));`;
    const thread = threadOf('Wordy', log, body);
    expect(await thread.invoke('1', '{}')).toMatchObject({ ok: true });
    const expected = [
      { a: 1 },
      ...['two', 'lines', 'no end', 'bytes é', '{half', '[1]'].map((message) => ({ message })),
      { level: 'warn', message: 'bad' },
      { message: 'told' },
    ];
    expect(lines()).toEqual(expected.map((line) => ({ function: 'Wordy', ...line })));
    expect(shown).toEqual(['[Wordy] bad']);
    await thread.stop();
    log.close();
  });

  test.each([
    ['exits its thread', 'process.exit(3);'],
    ['reaches its time limit', 'await new Promise(() => setTimeout(() => undefined, 60000));'],
    ['blocks its thread', 'for (;;);'],
  ])('is kept when the function %s right after it', async (name, end) => {
    const { log, lines } = openLog(name);
    const thread = threadOf('Ending', log, `console.log('last words'); ${end}`, 3000);
    expect(await thread.invoke('1', '{}')).toMatchObject({ ok: false });
    await thread.stop();
    expect(lines()).toEqual([{ function: 'Ending', message: 'last words' }]);
    log.close();
  });

  test('does not mix with lines that others write at the same time', async () => {
    const { log, lines } = openLog('crowd');
    const body = `for (let at = 0; at < 500; at += 1) console.log(event + '-' + at + '-' + 'x'.repeat(5000));`;
    const threads = ['One', 'Two', 'Three'].map((id) => threadOf(id, log, body));
    const outcomes = threads.map((thread, index) => thread.invoke('1', JSON.stringify(`t${index}`)));
    for (let at = 0; at < 100; at += 1) log.note('Runner', `n-${at}`);
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toMatchObject({ ok: true });
    expect(lines()).toHaveLength(1600);
    for (const { message } of lines()) expect(message).toMatch(/^(?:n-\d+|t\d-\d+-x{5000})$/u);
    await Promise.all(threads.map((thread) => thread.stop()));
    log.close();
  });

  test('fails no function when the log cannot be written, and the error is shown', async () => {
    const { log, shown } = openLog('full');
    const thread = threadOf('Unheard', { ...log, file: '/dev/full' }, `console.log('lost'); return 1;`);
    expect(await thread.invoke('1', '{}')).toMatchObject({ ok: true, payload: 1 });
    expect(shown).toEqual([expect.stringMatching(/^\[Unheard\] \/dev\/full: .*ENOSPC/u)]);
    await thread.stop();
    log.close();
  });
});

test('the function log writes and shows a failure, only writes a note, and writes no line once it is closed', () => {
  const { log, shown, lines } = openLog('runner');
  log.failure('Source', 'broken\nat line 1');
  log.note('Source', 'quiet');
  log.close();
  log.note('Source', 'late');
  expect(lines()).toEqual([
    { function: 'Source', level: 'error', message: 'broken', trace: ['at line 1'] },
    { function: 'Source', level: 'info', message: 'quiet' },
  ]);
  expect(shown).toEqual(['[Source] broken']);
});
