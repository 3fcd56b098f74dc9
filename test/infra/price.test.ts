import { describe, expect, test } from 'vitest';
import { runsOf } from '#tools/price/deployed.ts';
import { currentPage } from '#tools/price/main.ts';
import { assumed, dollarsOf, prices } from '#tools/price/prices.ts';
import { each } from '../support/each.ts';

test('docs/price.md is what the templates, the units and the prices give: npm run price writes it again', () => {
  const { before, now } = currentPage();
  expect(before).toBe(now);
  expect(now).not.toContain('NaN');
});

test('the page prices the instances that production keeps ready', () => {
  const { now } = currentPage();
  const [, line = ''] = /\| instances that are ready \| ([\d.]+) \|/u.exec(now) ?? [];
  // Two of 512 MB on arm64, all hours of a month.
  expect(Number(line)).toBeCloseTo(
    2 * 0.5 * assumed.monthHours * 3600 * (dollarsOf('readyGigabyteSecond', 1e6, 'us-east-1') / 1e6),
    2,
  );
});

describe('a price', () => {
  test('of what is sold by the million is that of one thing, times as many', () => {
    expect(dollarsOf('apiRequest', 2_000_000, 'us-east-1')).toBe(7);
    expect(dollarsOf('gigabyteSecond', 1_000_000, 'sa-east-1')).toBe(13.3334);
    expect(dollarsOf('dashboard', 2, 'us-east-1')).toBe(6);
  });

  test('names a page of AWS', () => {
    for (const [name, { page }] of each(Object.entries(prices))) expect(page, name).toMatch(/^[a-z0-9/-]+$/u);
  });
});

describe('a schedule runs', () => {
  test.each([
    ['rate(1 minute)', 60 * assumed.monthHours],
    ['rate(5 minutes)', 12 * assumed.monthHours],
    ['cron(7 * * * ? *)', assumed.monthHours],
    ['cron(* 0-20 * * ? *)', (60 * assumed.monthHours * 21) / 24],
  ])('%s so often a month', (expression, runs) => {
    expect(runsOf(expression)).toBe(runs);
  });

  test('as often as the page knows, or the page says that it does not', () => {
    expect(() => runsOf('cron(0 12 * * ? *)')).toThrow('How often');
  });
});
