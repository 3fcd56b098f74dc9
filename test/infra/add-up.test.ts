import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readFailures, readResults } from '#tools/add-up.ts';
import { root } from '#infra/releases/commands.ts';

/** As vitest 5 writes it to a terminal. */
const coloured = [
  '\u001B[2m Test Files \u001B[22m \u001B[1m\u001B[31m1 failed\u001B[39m\u001B[22m\u001B[2m | \u001B[22m\u001B[1m\u001B[32m7 passed\u001B[39m\u001B[22m\u001B[90m (8)\u001B[39m',
  '\u001B[2m      Tests \u001B[22m \u001B[1m\u001B[31m2 failed\u001B[39m\u001B[22m\u001B[2m | \u001B[22m\u001B[1m\u001B[32m88 passed\u001B[39m\u001B[22m\u001B[2m | \u001B[22m\u001B[33m3 skipped\u001B[39m\u001B[90m (93)\u001B[39m',
  '\u001B[2m   Start at \u001B[22m 22:49:05',
].join('\r\n');
const plain = (tests: string) => ` Test Files  8 passed (8)\n      Tests  ${tests}\n   Start at  22:49:05\n`;
const walked = (closing: string) => `     ✅ 39 passed\n\nTest cases:\n  ${closing}\n\nSeed: 1\n`;
const ran = (closing: string) => `....\n${'-'.repeat(70)}\nRan 21 tests in 0.154s\n\n${closing}\n`;

describe('the results of a runner', () => {
  test.each([
    ['vitest, in colours', coloured, { passed: 88, failed: 2, skipped: 3 }],
    ['vitest, plain', plain('408 passed (408)'), { passed: 408, failed: 0, skipped: 0 }],
    ['vitest, with skipped tests', plain('5 passed | 1 skipped | 1 todo (7)'), { passed: 5, failed: 0, skipped: 2 }],
    ['schemathesis', walked('3254 generated, 3254 passed'), { passed: 3254, failed: 0, skipped: 0 }],
    [
      'schemathesis, with failures',
      walked('41 generated, 2 found 1 unique failure, 3 errored, 4 skipped'),
      { passed: 32, failed: 5, skipped: 4 },
    ],
    ['unittest', ran('OK'), { passed: 21, failed: 0, skipped: 0 }],
    ['unittest, with failures', ran('FAILED (failures=1, errors=2, skipped=3)'), { passed: 15, failed: 3, skipped: 3 }],
    ['a program of this project', 'generators: 7 passed, 1 failed\n', { passed: 7, failed: 1, skipped: 0 }],
  ])('are read from the output of %s', (_what, output, result) => {
    expect(readResults(`before\n${output}\nwhat follows, 3 passed\n`)).toEqual([result]);
  });

  test('are read for each runner of one command', () => {
    const both = ran('OK') + plain('3 passed (3)') + walked('41 generated, 41 passed');
    expect(readResults(both).map(({ passed }) => passed)).toEqual(expect.arrayContaining([21, 3, 41]));
  });

  test('are not read from an output without a test summary', () => {
    for (const output of [
      '',
      'MiniStack does not test: 12 passed',
      ' Test Files  3 passed (3)',
      '      Tests  no tests',
    ])
      expect(readResults(output)).toEqual([]);
  });
});

test('a failed test is listed once, for every runner, with or without colours', () => {
  const output = [
    '\u001B[41m\u001B[1m FAIL \u001B[22m\u001B[49m \u001B[30m\u001B[42m unit \u001B[49m\u001B[39m test/a.test.ts\u001B[2m > \u001B[22mpays',
    ' FAIL   unit  test/a.test.ts > pays',
    ' FAIL   unit  test/b.test.ts > refunds',
    'AssertionError: expected 1 to be 2',
    ' FAIL   unit  test/c.test.ts > turns the clock',
    'ToolFailure: PUT /order-tools/v1/clock was answered with 504',
    'FAIL: test_pays (partner.Payouts.test_pays)',
    'ERROR: test_reads (partner.Payouts.test_reads)',
    'FAILED (failures=1, errors=1)',
    '{"level":"ERROR","message":"a line of a log"}',
  ].join('\r\n');
  expect(readFailures(output)).toEqual([
    'FAIL   unit  test/a.test.ts > pays',
    'FAIL   unit  test/b.test.ts > refunds: AssertionError: expected 1 to be 2',
    'FAIL   unit  test/c.test.ts > turns the clock: ToolFailure: PUT /order-tools/v1/clock was answered with 504',
    'FAIL: test_pays (partner.Payouts.test_pays)',
    'ERROR: test_reads (partner.Payouts.test_reads)',
  ]);
});

/** `.ci/run` in a folder of its own, where every program that it calls is one of these. */
const folder = mkdtempSync(join(tmpdir(), 'ci-run-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const program = String.raw`#!/bin/bash
case "$(basename "$0") $*" in
  *"$SILENT"*) exit 0 ;;
  *"$HANGS"*) exec sleep 300 ;;
  *"$FAILS"*) printf ' Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n'; exit 3 ;;
  *'npm run kit'*) mkdir -p "$5" && touch "$5/kit.tgz" ;;
  'npx cdk'* | 'npx prettier'* | *'run tool -- tools/bundle'* | *'run tool -- tools/sbom'* | *lint-templates*) ;;
  "npm test"* | npx* | *test:slow* | *'run tool '* | *'simulate -- --seed 1 '* | *'run crash '*)
    printf ' Test Files  1 passed (1)\n      Tests  2 passed | 1 skipped (3)\nemulator: more text\n' ;;
esac
`;

/** A `wait -n` that names no process, as bash does when several have ended at once. */
const forgetful = 'wait() { case "$1" in -n) printf -v "$3" ""; return 127 ;; *) builtin wait "$@" ;; esac; }\n';

type Faults = {
  readonly fails?: string;
  readonly silent?: string;
  readonly hangs?: string;
  readonly forgets?: boolean;
};

function run(faults: Faults) {
  const own = mkdtempSync(join(folder, 'run-'));
  const programs = join(own, 'programs');
  for (const name of [programs, join(own, '.ci')]) mkdirSync(name);
  copyFileSync(join(root, '.ci/run'), join(own, '.ci/run'));
  symlinkSync(join(root, 'tools'), join(own, 'tools'));
  symlinkSync(process.execPath, join(programs, 'node'));
  for (const name of 'npm npx curl openssl python3 java javac chromium zsh dash'.split(' ')) {
    writeFileSync(join(programs, name), program);
    chmodSync(join(programs, name), 0o755);
  }
  writeFileSync(join(own, 'forgetful'), forgetful);
  const { status, stdout, stderr } = spawnSync('bash', [join(own, '.ci/run')], {
    encoding: 'utf8',
    timeout: 100_000,
    env: {
      PATH: `${programs}:/usr/bin:/bin`,
      HOME: own,
      TMPDIR: own,
      FAILS: faults.fails ?? 'nothing',
      SILENT: faults.silent ?? 'nothing',
      HANGS: faults.hangs ?? 'nothing',
      ...(faults.forgets === true && { BASH_ENV: join(own, 'forgetful') }),
    },
  });
  return { status, last: stdout.trimEnd().split('\n').at(-1), stdout, stderr };
}

describe('.ci/run', () => {
  test('prints the sum of all its runners in the last line', () => {
    const { status, last, stdout } = run({});
    const runners = stdout.split('Tests  2 passed').length - 1;
    expect(runners, stdout).toBeGreaterThanOrEqual(6);
    expect([status, last]).toEqual([0, `${2 * runners} passed, 0 failed, ${runners} skipped`]);
  });

  test('stops at the first failed step, exits with its code, and counts the failure in the last line', () => {
    expect(run({ fails: 'npm ci' })).toMatchObject({ status: 3, last: '0 passed, 1 failed' });
    expect(run({ fails: 'npm test' })).toMatchObject({ status: 3, last: '2 passed, 1 failed' });
  });

  test('exits with the code of the failed step when several steps end at the same moment', () => {
    expect(run({ fails: 'npm test', forgets: true })).toMatchObject({ status: 3, last: '2 passed, 1 failed' });
    expect(run({ forgets: true })).toMatchObject({ status: 0 });
  });

  test.each(['npm run types', 'npm run lint'])(
    'exits without waiting for npm test when %s fails, and counts the failure in the last line',
    (fails) => {
      const { status, last, stdout } = run({ fails, hangs: 'npm test' });
      expect([status, last]).toEqual([3, '0 passed, 1 failed']);
      expect(stdout).toContain('== types, lint, format');
      expect(stdout).not.toContain('== slow tests');
    },
  );

  test('finishes the step beside a failed one, starts no other, and exits with the code of the failed one', () => {
    const { status, last, stdout } = run({ fails: 'npx cdk synth --quiet --context local=true' });
    expect(status).toBe(3);
    expect(last).toMatch(/ passed, 1 failed, \d+ skipped$/u);
    expect(stdout).toContain('== synthesis');
    expect(stdout).toContain('== slow tests: the acceptance suite');
    expect(stdout).not.toContain('== smoke run of the benchmarks');
    expect(stdout).not.toContain('== done');
  });

  test('counts a runner as failed when it prints no result', () => {
    const { status, last } = run({ silent: '--project browser' });
    expect(status).toBe(1);
    expect(last).toMatch(/^\d+ passed, 1 failed, \d+ skipped$/u);
  });
});
