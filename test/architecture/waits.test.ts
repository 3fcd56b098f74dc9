import { describe, expect, test } from 'vitest';
import type { Source } from './sources.ts';
import { inside, isOfTests, parseSource, sources } from './sources.ts';
import { callsAbroad, deadlines, fixedWaits } from './waits.ts';

/*
 * "Nothing happened in 100 ms" cannot fail on a slow machine, and fails at times on a busy one. What proves that
 * nothing happened is an event that comes after it, a clock of the test, or a count.
 */

/** Fixed waits that prove nothing by themselves: how many a file has, and why. */
const waits: Readonly<Record<string, readonly [count: number, why: string]>> = {
  // A receiver, a bank or a function that takes its time.
  'test/crash/receivers.ts': [1, 'a receiver that breaks off after a moment'],
  'packages/cdk-local/test/probe/functions/deliver.ts': [1, 'a function that is slow'],
  'packages/cdk-local/test/probe/functions/echo.ts': [4, 'functions that are slow, hang, or die a moment later'],
  'packages/cdk-local/test/queue-source.test.ts': [1, 'an empty queue answers after a moment'],
  'packages/partner-tools/test/faulty-receivers.ts': [1, 'a receiver that works before it answers'],
  'test/scheduled-payments/many-resends.test.ts': [1, 'a bank that hangs until its time limit, by a clock of the test'],
  'test/support/many-deliveries.ts': [2, 'a receiver that takes its time, and notifications at a rate'],
  'test/support/contended-database.ts': [2, 'a database whose transactions hold their items'],
  'test/support/misbehaving.ts': [1, 'a receiver that is slow'],
  'test/table/commit.test.ts': [1, 'a decision that takes a moment, in which others read'],
  'test/table/endpoint-failures.test.ts': [1, 'workers that meet pause as they do on AWS'],
  'test/webhooks/sender.test.ts': [3, 'answers that come in pieces'],
  // A load has a rate, and a death a moment.
  'test/crash/cycles.ts': [1, 'the moment of a death is drawn'],
  'test/crash/traffic.ts': [3, 'requests at a rate; an answer that comes too late is a finding'],
  'test/slow/acceptance/webhooks-hanging.test.ts': [1, 'moves at a rate'],
  'test/slow/payouts/hot-account.test.ts': [1, 'payouts at a rate'],
  'test/slow/acceptance/webhooks-scale.test.ts': [1, 'the state in the middle of a minute of load'],
  // Patience has an end.
  'test/crash/checks/all.ts': [1, 'what was read once must be the same a while later: repairs run meanwhile'],
  'test/mutants/lanes.ts': [1, 'tests of a change that never end'],
  'test/newcomer/terminal.ts': [1, 'a program that does not end by SIGTERM is killed'],
  'test/support/engine.ts': [1, 'a table is asked for again'],
  'test/support/environment-local.ts': [2, 'an environment that is never ready, or does not end'],
  // A time of the machine is the subject.
  'test/acceptance/token-faults.test.ts': [1, 'a token ends'],
  'packages/console/test/browser/console-faults.test.ts': [
    1,
    'a message stays for a second on the screen that its action opens',
  ],
  'packages/cdk-local/test/slow/function-load.test.ts': [2, 'the load of a thread is judged over a time'],
  'test/slow/bank/qitech-refunds-stand-in.test.ts': [1, 'what a bank shows late is older than its lag'],
  'test/simulation/fakes/timers.ts': [1, 'is the timer of the simulated service, by the world’s clock'],
  'test/slow/acceptance/webhooks-retries.test.ts': [1, 'a letter that was looked at is hidden for two seconds'],
};

/** Bounds of the machine's clock in unit tests: many times what is expected, and nothing of ours can tell instead. */
const bounds: Readonly<Record<string, readonly [count: number, why: string]>> = {
  'test/bank/bank-json.test.ts': [1, 'megabytes are read in a fraction of a second, or in an hour'],
  'test/webhooks/resolver.test.ts': [1, 'Node asks name servers by its own clock'],
  'test/webhooks/sender.test.ts': [1, 'sockets end by Node’s own clock'],
};

const chance: readonly string[] = [
  'test/model/virtual-time.ts',
  'test/simulation/fakes/crypto.ts',
  'test/simulation/world/chance.ts',
];

const tests = sources.filter(({ path }) => isOfTests(path) && !path.startsWith('test/architecture/waits'));
const isUnit = ({ path }: Source): boolean =>
  path.endsWith('.test.ts') &&
  !path.includes('/slow/') &&
  !inside('test/acceptance', 'test/model', 'test/table', 'test/infra')(path);

/** Files by how many they have of what was looked for. */
const counted = (files: readonly Source[], find: (source: Source) => readonly unknown[]) =>
  Object.fromEntries(
    files.map((source) => [source.path, find(source).length] as const).filter(([, count]) => count !== 0),
  );
const allowed = (list: Readonly<Record<string, readonly [number, string]>>) =>
  Object.fromEntries(Object.entries(list).map(([path, [count]]) => [path, count]));

test('no test waits for a fixed time, except where a time is given', () => {
  expect(counted(tests, fixedWaits), 'Wait for an event, by a clock of the test, or for a count.').toEqual(
    allowed(waits),
  );
});

test('no unit test has a deadline of the machine’s clock', () => {
  expect(counted(tests.filter(isUnit), deadlines), 'Count the calls, or pass a clock.').toEqual(allowed(bounds));
});

test('no test calls another machine', () => {
  expect(counted(tests, callsAbroad)).toEqual({});
});

test('no test draws a number that no seed gives again', () => {
  const drawing = tests.filter(({ lines }) => lines.some((line) => /\bMath\.random\b/u.test(line)));
  expect(drawing.map(({ path }) => path).toSorted(), 'Take a free port by listening at 0.').toEqual(chance);
});

describe('the count of fixed waits', () => {
  const sleep = "import { setTimeout as sleep } from 'node:timers/promises';";
  const source = (...lines: readonly string[]) => parseSource('a.test.ts', lines.join('\n'));

  test.each([
    ['await sleep(100);', 1],
    ['await new Promise((done) => setTimeout(done, 20));', 1],
    ['for (const one of all) await sleep(one);', 1],
    ['while (!came) await sleep(5);', 0],
    ['for (;;) { if (came) break; await sleep(5); }', 0],
    ['await time.sleep(100);', 0],
    ['const text = "await sleep(100)";', 0],
  ])('of %s is %i', (line, count) => {
    expect(fixedWaits(source(sleep, line))).toHaveLength(count);
  });

  test('includes a timer that is imported by another name', () => {
    const line = 'await pause(20);';
    expect(fixedWaits(source(sleep.replace('sleep', 'pause'), line))).toHaveLength(1);
    expect(fixedWaits(source(line))).toEqual([]);
  });

  test('includes calls of other machines and deadlines', () => {
    const calls = ["await fetch('https://93.184.216.34/');", "https.get('https://example.com/');"];
    const own = ['await fetch(`http://127.0.0.1:${port}/`);', 'await fetch(address);', "fetch('http://localhost:1/');"];
    expect(callsAbroad(source(...calls, ...own))).toHaveLength(2);
    const late = [
      'expect(performance.now() - began).toBeLessThan(20);',
      'expect(Date.now()).toBeLessThanOrEqual(end);',
    ];
    const fine = ['expect(performance.now() - began).toBeGreaterThan(20);', 'expect(count).toBeLessThan(20);'];
    expect(deadlines(source(...late, ...fine))).toHaveLength(2);
  });
});
