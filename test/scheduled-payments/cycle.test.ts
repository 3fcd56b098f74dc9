import { describe, expect, test } from 'vitest';
import { daysBetween, plusDays } from '#shared/core/brasilia-time.ts';
import { cycleOf, cycleStart } from '#shared/scheduled-payments/cycle.ts';
import { frequencies } from '#shared/subscriptions/model.ts';
import { fc } from '../support/properties.ts';

const starts = (frequencyType: (typeof frequencies)[number], startDate: string, count: number) =>
  Array.from({ length: count }, (_, number) => cycleStart({ frequencyType, startDate }, number));

/** Days from 2020 to 2040, and the ones that other months lack. */
const day = fc.oneof(
  fc.nat({ max: 7300 }).map((days) => plusDays('2020-01-01', days)),
  fc.constantFrom('2024-02-29', '2026-01-29', '2026-01-30', '2026-01-31', '2026-08-31', '2027-12-31'),
);
const recurrence = fc.record({ frequencyType: fc.constantFrom(...frequencies), startDate: day });

describe('cycles begin', () => {
  test('on the day of the start, or the last day of a month that lacks it, counted from the start', () => {
    expect(starts('MONTHLY', '2026-01-30', 4)).toEqual(['2026-01-30', '2026-02-28', '2026-03-30', '2026-04-30']);
    expect(starts('MONTHLY', '2026-12-31', 4)).toEqual(['2026-12-31', '2027-01-31', '2027-02-28', '2027-03-31']);
    expect(starts('QUARTERLY', '2026-11-30', 3)).toEqual(['2026-11-30', '2027-02-28', '2027-05-30']);
    expect(starts('SEMIANNUAL', '2026-08-31', 3)).toEqual(['2026-08-31', '2027-02-28', '2027-08-31']);
    expect(starts('ANNUAL', '2024-02-29', 5)).toEqual([
      '2024-02-29',
      '2025-02-28',
      '2026-02-28',
      '2027-02-28',
      '2028-02-29',
    ]);
  });

  test('every seven days where the recurrence is weekly', () => {
    expect(starts('WEEKLY', '2026-12-28', 3)).toEqual(['2026-12-28', '2027-01-04', '2027-01-11']);
  });
});

describe('the cycle of a day', () => {
  test.each([
    ['MONTHLY', '2026-01-30', '2026-02-27', '2026-01-30', '2026-02-28'],
    ['MONTHLY', '2026-01-30', '2026-02-28', '2026-02-28', '2026-03-30'],
    ['MONTHLY', '2026-01-30', '2026-03-29', '2026-02-28', '2026-03-30'],
    ['WEEKLY', '2026-01-05', '2026-01-11', '2026-01-05', '2026-01-12'],
    ['WEEKLY', '2026-01-05', '2026-01-12', '2026-01-12', '2026-01-19'],
    ['ANNUAL', '2026-07-01', '2999-12-31', '2999-07-01', '3000-07-01'],
  ] as const)(
    'in a %s recurrence from %s, for %s, begins on %s, and the next one on %s',
    (frequencyType, startDate, date, start, next) => {
      expect(cycleOf({ frequencyType, startDate }, date)).toEqual({ start, next });
    },
  );

  test('is a RangeError when the recurrence begins later', () => {
    expect(() => cycleOf({ frequencyType: 'MONTHLY', startDate: '2026-01-30' }, '2026-01-29')).toThrow(RangeError);
  });

  test('contains the day, without gap or overlap to the cycles before and after it', () => {
    fc.assert(
      fc.property(recurrence, fc.nat({ max: 4000 }), (terms, later) => {
        const date = plusDays(terms.startDate, later);
        const { start, next } = cycleOf(terms, date);
        expect(start <= date && date < next).toBe(true);
        expect(cycleOf(terms, next).start).toBe(next);
        expect(cycleOf(terms, plusDays(next, -1)).start).toBe(start);
      }),
    );
  });

  test('comes as often in ten years as its frequency requires', () => {
    const perTenYears = { WEEKLY: [521, 523], MONTHLY: [120], QUARTERLY: [40], SEMIANNUAL: [20], ANNUAL: [10] };
    fc.assert(
      fc.property(recurrence, (terms) => {
        const end = `${Number(terms.startDate.slice(0, 4)) + 10}${terms.startDate.slice(4)}`.replace(
          '-02-29',
          '-02-28',
        );
        let date = terms.startDate;
        let count = 0;
        for (; date < end; count += 1) date = cycleOf(terms, date).next;
        const [least = 0, most = least] = perTenYears[terms.frequencyType];
        expect(count).toBeGreaterThanOrEqual(least);
        expect(count).toBeLessThanOrEqual(most);
        expect(daysBetween(end, date)).toBeLessThanOrEqual(7);
      }),
      { numRuns: 50 },
    );
  });
});
