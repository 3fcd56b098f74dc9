import { describe, expect, test } from 'vitest';
import { runsOf } from '#tools/price/deployed.ts';
import { currentPage } from '#tools/price/main.ts';
import { assumed, dollarsOf, prices } from '#tools/price/prices.ts';
import { each } from '../support/each.ts';

test('docs/price.md agrees with the templates, the units and the prices: npm run price writes it again', () => {
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
  test('is the quantity times the price of one unit, also when the unit is sold by the million', () => {
    expect(dollarsOf('apiRequest', 2_000_000, 'us-east-1')).toBe(7);
    expect(dollarsOf('gigabyteSecond', 1_000_000, 'sa-east-1')).toBe(13.3334);
    expect(dollarsOf('dashboard', 2, 'us-east-1')).toBe(6);
  });

  test('names a page of AWS', () => {
    for (const [name, { page }] of each(Object.entries(prices))) expect(page, name).toMatch(/^[a-z0-9/-]+$/u);
  });
});

describe('the runs of a schedule', () => {
  test.each([
    ['rate(1 minute)', 60 * assumed.monthHours],
    ['rate(5 minutes)', 12 * assumed.monthHours],
    ['cron(7 * * * ? *)', assumed.monthHours],
    ['cron(* 0-20 * * ? *)', (60 * assumed.monthHours * 21) / 24],
  ])('are counted per month for %s', (expression, runs) => {
    expect(runsOf(expression)).toBe(runs);
  });

  test('cannot be counted, which is an error, when the expression is unknown', () => {
    expect(() => runsOf('cron(0 12 * * ? *)')).toThrow('How often');
  });
});
