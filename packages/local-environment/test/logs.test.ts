import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { linesIn, shownLine } from '#local-environment/log-lines.ts';
import { root } from '#test/architecture/sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'logs-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const all = { level: 'info', id: undefined, follow: false, json: false } as const;
const time = '2026-01-15T12:00:00.000Z';
const line = (members: object): string =>
  JSON.stringify({ time, function: 'SubmitPayoutsFunction11C7F41C', ...members });

test('a line shows time, level, function, message and fields, with its trace below and without metrics', () => {
  const written = line({
    level: 'error',
    message: 'It failed',
    requestId: 'r-1',
    count: 2,
    _aws: {},
    trace: ['  at x'],
  });
  expect(shownLine(written, all)).toBe(`${time}  ERROR  SubmitPayouts  It failed  requestId="r-1"  count=2\n  at x`);
  expect(shownLine(written, { ...all, json: true })).toBe(written);
});

test.each([
  ['a metric alone', line({ _aws: {}, JobsFailed: 0 })],
  ['no JSON', '[Function] text'],
  ['JSON without time', '{"message":"x"}'],
])('a line that is %s is not shown', (_what, written) => {
  expect(shownLine(written, all)).toBeUndefined();
});

test.each(['info', 'warn', 'error'] as const)('with --level %s lines of lower levels are not shown', (level) => {
  const shown = ['info', 'warn', 'error'].filter(
    (own) => shownLine(line({ level: own, message: 'x' }), { ...all, level }) !== undefined,
  );
  expect(shown).toEqual(['info', 'warn', 'error'].slice(['info', 'warn', 'error'].indexOf(level)));
  // What a function wrote without a level is an info.
  expect(shownLine(line({ message: 'x' }), { ...all, level }) !== undefined).toBe(level === 'info');
});

test('with --request only lines that name the id are shown, in a field or in the message', () => {
  const named = (members: object) => shownLine(line({ message: 'x', ...members }), { ...all, id: 'r-1' }) !== undefined;
  expect([{ requestId: 'r-1' }, { orderId: 'r-1' }, { message: 'failed (r-1)' }].map(named)).toEqual([
    true,
    true,
    true,
  ]);
  expect([{ requestId: 'r-10' }, {}].map(named)).toEqual([false, false]);
});

test('the lines of a file are whole when it grows, and begin again when it is replaced', async () => {
  const file = join(folder, 'grows.log');
  const steps = [
    () => {
      writeFileSync(file, 'one\ntw');
    },
    () => {
      appendFileSync(file, 'o é\nthree\n');
    },
    () => {
      renameSync(file, `${file}.1`);
    },
    () => {
      writeFileSync(file, 'four\n');
    },
  ];
  const again = () => {
    const step = steps.shift();
    step?.();
    return Promise.resolve(step !== undefined);
  };
  const lines: string[] = [];
  for await (const one of linesIn(file, again)) lines.push(one);
  expect(lines).toEqual(['one', 'two é', 'three', 'four']);
});

test('npm run logs shows the file of LOCAL_DIR, and fails with the path where there is none; wrong arguments get the usage', async () => {
  const run = (dir: string, ...args: readonly string[]) =>
    new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      const env = { ...process.env, LOCAL_DIR: dir };
      const entry = join(root, 'packages/local-environment/src/logs.ts');
      execFile(process.execPath, [entry, ...args], { env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : error.code, out, err });
      });
    });
  writeFileSync(
    join(folder, 'functions.log'),
    `${line({ level: 'warn', message: 'careful' })}\n${line({ message: 'quiet' })}\n`,
  );
  expect(await run(folder, '--level', 'warn')).toMatchObject({
    code: 0,
    out: `${time}  WARN   SubmitPayouts  careful\n`,
  });
  const { code, err } = await run(join(folder, 'none'));
  expect(code).toBe(1);
  expect(err).toContain(join(folder, 'none', 'functions.log'));
  for (const args of [['--level', 'loud'], ['--request'], ['word']]) {
    const refused = await run(folder, ...args);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('--level info|warn|error');
  }
});
