import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { burstShare, playBalance } from '#tools/scale/ceilings.ts';
import { layouts, needsOf } from '#tools/scale/layout.ts';
import { payoutOf, play } from '#tools/scale/play.ts';
import { pageFile, scalePage } from '#tools/scale/page.ts';
import { aws } from '#tools/scale/aws.ts';

const docs = new URL('../../docs/', import.meta.url);
let page = '';

beforeAll(async () => {
  page = await scalePage();
});

/** Cells of the row whose first cells are these. */
function row(...first: readonly string[]): readonly string[] {
  const rows = page.split('\n').map((line) => line.split(' | ').map((cell) => cell.replaceAll('|', '').trim()));
  const found = rows.filter((cells) => first.every((cell, at) => cells[at] === cell));
  expect(found, first.join()).toHaveLength(1);
  return found[0] ?? [];
}
/** The figure of a part or question: of one company today, with shards and wide, then of 1 000. */
const figure = (name: string, column: number): number => Number(row(name)[1 + column]);

test('docs/scale.md is what the model finds: if not, run `npm run tool -- tools/scale/main.ts` and commit it', () => {
  expect(readFileSync(pageFile, 'utf8')).toBe(page);
  expect(page.trimEnd().split('\n').length, 'it is one page').toBeLessThanOrEqual(97);
});

test.each([
  ['daily lists', 500, 550, 500, 550],
  ['hourly lists', Infinity, Infinity, Infinity, Infinity],
  ['balance', 16, 32, Infinity, Infinity],
  ['company’s requests', 100, 100, Infinity, Infinity],
  ['account’s partition', 125, 125, Infinity, Infinity],
  ['new table', 140, 145, 140, 145],
  ['company’s callbacks', 160, 170, Infinity, Infinity],
  ['all callbacks', 200, 200, 200, 200],
  ['callback readers', 200, 250, 200, 250],
  ['notifier', 420, 520, 420, 520],
  ['company’s share', 85, 95, Infinity, Infinity],
  ['stream relay', Infinity, Infinity, Infinity, Infinity],
  ['due index', Infinity, Infinity, Infinity, Infinity],
  ['company’s list', 1000, 1000, Infinity, Infinity],
  ['all requests', 1000, 1000, 1000, 1000],
  ['table', 1420, 1435, 1420, 1435],
  ['company’s settings', 1500, 1500, Infinity, Infinity],
  ['AWS account’s requests', 5000, 5000, 5000, 5000],
])('%s carries %d to %d payouts a second of one company today, and %d to %d of 1 000', (part, least, most, ...all) => {
  const [leastOfAll, mostOfAll] = all;
  const isWithin = (column: number, [from = NaN, to = NaN]: readonly (number | undefined)[]): void => {
    const found = row(part)[1 + column] === '> 5000' ? Infinity : figure(part, column);
    expect(found).toBeGreaterThanOrEqual(from);
    expect(found).toBeLessThanOrEqual(to);
  };
  isWithin(0, [least, most]);
  isWithin(3, [leastOfAll, mostOfAll]);
});

test('shards lift the balance and the partition of an account, and nothing else', () => {
  const rows = page.slice(page.indexOf('| Part |'), page.indexOf('**Wide**')).split('\n').slice(2);
  const lifted = rows.flatMap((line) => {
    const [, part = '', one, sharded, , all, allSharded] = line.split('|').map((cell) => cell.trim());
    return one !== sharded || all !== allSharded ? [part] : [];
  });
  expect(lifted).toEqual(['balance', 'account’s partition']);
  expect(figure('balance', 1)).toBeGreaterThan(15 * figure('balance', 0));
});

test('the wide settings lift callbacks above 1 000 a second, deliveries above 2 000, and lower only the executions left', () => {
  const carriesAll = (part: string): number => figure(part, 5);
  expect(Math.min(...['all callbacks', 'callback readers'].map(carriesAll))).toBeGreaterThan(1000);
  expect(figure('company’s callbacks', 2)).toBeGreaterThan(1000);
  expect(carriesAll('notifier')).toBeGreaterThan(2000);
  const parts = page.slice(page.indexOf('| Part |'), page.indexOf('**Wide**')).split('\n').slice(2);
  const lowered = parts.flatMap((line) => {
    const [, part = '', , , , today, , wide] = line.split('|').map((cell) => cell.trim());
    return Number(wide) < Number(today) ? [part] : [];
  });
  expect(lowered).toEqual(['executions']);
  expect(carriesAll('executions')).toBeGreaterThan(2000);
});

test('with the wide settings 900 payouts a second of 1 000 companies are notified on time, with those of today half', async () => {
  const onTime = async (name: 'today' | 'wide') => {
    const { arrived, onTime } = await play({ rate: 900, companies: 1000, seconds: 12 }, layouts[name]);
    return onTime / arrived;
  };
  // The rest is refused while the partitions of the table split.
  expect(await onTime('wide')).toBeGreaterThan(0.98);
  expect(await onTime('today')).toBeLessThan(0.5);
});

test('without an early 429 one account of 100 payouts a second keeps half of all executions waiting', async () => {
  const { shedAfterMs: _shedAfterMs, ...patient } = layouts.today;
  const { refusedShare, inFlight } = await playBalance(patient, 100, 60, 10);
  expect(100 * refusedShare).toBeGreaterThan(30);
  expect(100 * refusedShare).toBeLessThan(42);
  expect(inFlight).toBeGreaterThan(420);
  expect(inFlight).toBeLessThan(580);
});

test('one account of 100 payouts a second keeps less than half as many executions waiting, and nearly all of 25 pass', () => {
  expect(Number(row('100', '10', 'today')[6])).toBeLessThan(250);
  expect(Number(row('25', '10', 'today')[3])).toBeLessThan(1);
  expect(Number(row('50', '15', 'today')[3])).toBeGreaterThan(15);
  expect(Number(row('100', '10', 'sharded')[3])).toBe(0);
});

test('one account of 500 payouts a second has 99 % of its transactions within 400 ms when its balance has 32 shards', () => {
  const [, , , refused, , p99] = row('500', '10', 'sharded');
  expect(Number(refused)).toBeLessThan(0.05);
  expect(Number(p99)).toBeLessThanOrEqual(400);
});

test.each([
  ['due payouts/s, one company', 160, 200],
  ['due payouts/s, 1 000 companies', 160, 200],
  ['minutes for 30 000 payouts', 2.5, 3.5],
  ['minutes for 100 000 charges', 4, 6],
  ['companies behind a burst, %', 0, 0],
  ['minutes until a new table takes 500/s', 60, 60],
])('%s: %d to %d', (what, least, most) => {
  expect(figure(what, 0)).toBeGreaterThanOrEqual(least);
  expect(figure(what, 0)).toBeLessThanOrEqual(most);
});

test('30 000 payouts of one company that become due at once are submitted within ten minutes, 100 000 charges within half an hour', () => {
  // The next run of the schedule sends them: a minute.
  expect(1 + figure('minutes for 30 000 payouts', 0)).toBeLessThan(10);
  expect(1 + figure('minutes for 100 000 charges', 0)).toBeLessThan(30);
});

test('one company has all receives of due jobs when no other has any, and no company waits behind its burst', () => {
  expect(figure('due payouts/s, one company', 0)).toBe(figure('due payouts/s, 1 000 companies', 0));
  expect(burstShare(layouts.today)).toBe(0);
});

test('a payout takes the units of docs/capacity.md, item by item', () => {
  const capacity = readFileSync(new URL('capacity.md', docs), 'utf8');
  const journey = capacity.slice(capacity.indexOf('\nA payout:'), capacity.indexOf('\nA pay-in:'));
  for (const step of ['create', 'PAID', 'deliver'] as const) {
    const [, items = ''] = new RegExp(`^\\| ${step} \\| (.*) \\|$`, 'mu').exec(journey) ?? [];
    const listed = [...items.matchAll(/\(\d+\) (\d+)|(GSI\d) (\d+)/gu)].map(([, table, index, units]) =>
      index === undefined ? `table ${table}` : `${index} ${units}`,
    );
    expect(listed.length).toBeGreaterThan(2);
    const needs = needsOf(payoutOf(0, 1), step);
    expect(
      needs.map(({ of, units }) => `${of} ${units}`),
      step,
    ).toEqual(listed);
  }
  const total = needsOf(payoutOf(0, 1)).reduce((sum, { units }) => sum + units, 0);
  expect(journey).toContain(`| all | **${total}** |`);
});

test.each([
  ['today', 60, 1],
  ['today', 400, 100],
  ['sharded', 1500, 1000],
] as const)(
  '%s, %d payouts a second of %d companies: each is refused, notified, or waits',
  async (name, rate, companies) => {
    const { arrived, refused, notified, waiting, leftToLists, requestMs } = await play(
      { rate, companies, seconds: 4 },
      layouts[name],
    );
    const refusals = refused.values().reduce((sum, count) => sum + count, 0);
    expect(refusals + notified + waiting).toBe(arrived);
    expect(arrived).toBeGreaterThan(3 * rate);
    expect(leftToLists).toBeLessThanOrEqual(waiting);
    expect(Math.max(...requestMs), 'no request outlasts API Gateway').toBeLessThan(aws.gatewaySeconds.is * 1000);
  },
);

test('a light load is notified on time, every payout of it', async () => {
  const { arrived, onTime, waiting, refused } = await play({ rate: 40, companies: 20, seconds: 5 }, layouts.today);
  expect({ onTime, waiting, refused: refused.size }).toEqual({ onTime: arrived, waiting: 0, refused: 0 });
});

test('the same seed gives the same outcome, another seed another one', async () => {
  const outcome = (seed: number) => play({ rate: 120, companies: 3, seconds: 3 }, layouts.today, seed);
  const [first, again, other] = await Promise.all([outcome(1), outcome(1), outcome(2)]);
  expect(again).toEqual(first);
  expect(other.requestMs).not.toEqual(first.requestMs);
});
