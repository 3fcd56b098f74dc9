import { describe, expect, test } from 'vitest';
import {
  brasiliaDay,
  brasiliaMinute,
  daysBetween,
  instantAt,
  isDay,
  millisecondsOf,
  nextWeekday,
  plusDays,
  plusMonths,
  plusSeconds,
  readInstant,
  utcMinute,
} from '#fake-bank/time.ts';
import { fc } from '#test/support/properties.ts';

const milliseconds = fc.integer({ min: Date.UTC(2019, 2), max: Date.UTC(2100, 0) });
const day = milliseconds.map((ms) => brasiliaDay(instantAt(ms)));

describe('an instant', () => {
  test.each([
    ['2026-11-26T12:00:00Z', '2026-11-26T12:00:00.000Z'],
    ['2026-11-26T12:00:00.123456Z', '2026-11-26T12:00:00.123Z'],
    ['2026-11-26t12:00:00.5z', '2026-11-26T12:00:00.500Z'],
    ['2026-11-26T23:30:00-03:00', '2026-11-27T02:30:00.000Z'],
    ['2028-02-29T00:00:00+05:30', '2028-02-28T18:30:00.000Z'],
  ])('is read when the text is RFC 3339: %s', (text, instant) => {
    expect(readInstant(text)).toBe(instant);
  });

  test.each([
    '',
    '2026-11-26',
    '2026-11-26 12:00:00Z',
    '2026-11-26T12:00:00',
    '2026-11-26T12:00Z',
    '2026-11-26T24:00:00Z',
    '2026-11-26T12:60:00Z',
    '2026-11-26T12:00:00.Z',
    '2026-11-26T12:00:00-0300',
    '2026-02-29T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '9999-12-31T23:59:59-03:00',
    '0000-01-01T00:00:00+03:00',
  ])('is not read when the text is not: "%s"', (text) => {
    expect(readInstant(text)).toBeUndefined();
  });

  test('is the same when it is read from its own text', () => {
    fc.assert(
      fc.property(milliseconds, (ms) => {
        expect(readInstant(instantAt(ms))).toBe(instantAt(ms));
        expect(millisecondsOf(instantAt(ms))).toBe(ms);
      }),
    );
  });

  test('moves by seconds, with fractions, in either direction', () => {
    expect(plusSeconds('2026-12-31T23:59:59.500Z', 0.5)).toBe('2027-01-01T00:00:00.000Z');
    expect(plusSeconds('2026-11-26T00:00:00.000Z', -1)).toBe('2026-11-25T23:59:59.000Z');
  });

  test('has a minute in UTC and a day and minute of Brasilia, three hours behind', () => {
    expect(utcMinute('2026-01-15T02:59:59.999Z')).toBe('202601150259');
    expect(['2026-01-15T02:59:59.999Z', '2026-01-15T03:00:00.000Z'].map(brasiliaDay)).toEqual([
      '2026-01-14',
      '2026-01-15',
    ]);
    expect(['2026-01-15T02:59:59.999Z', '2026-01-15T03:00:00.000Z'].map(brasiliaMinute)).toEqual([1439, 0]);
  });
});

describe('a day', () => {
  test.each(['2026-11-26', '2028-02-29', '2000-02-29'])('is %s', (text) => {
    expect(isDay(text)).toBe(true);
  });

  test.each(['', '2026-02-29', '1900-02-29', '2026-04-31', '2026-00-01', '2026-1-1', '2026-11-26Z', '26-11-2026'])(
    'is not "%s"',
    (text) => {
      expect(isDay(text)).toBe(false);
    },
  );

  test('moves by months, to the last day when the month is shorter (BCB, 4.3.1)', () => {
    expect([1, 2, 3, 12].map((months) => plusMonths('2026-12-30', months))).toEqual([
      '2027-01-30',
      '2027-02-28',
      '2027-03-30',
      '2027-12-30',
    ]);
    expect(plusMonths('2028-01-31', 1)).toBe('2028-02-29');
    expect(plusMonths('2027-01-31', -2)).toBe('2026-11-30');
  });

  test('moves by days, and back by as many', () => {
    expect(plusDays('2028-02-28', 2)).toBe('2028-03-01');
    fc.assert(
      fc.property(day, fc.integer({ min: -4000, max: 4000 }), (from, days) => {
        expect(daysBetween(from, plusDays(from, days))).toBe(days);
        expect(plusDays(plusDays(from, days), -days)).toBe(from);
      }),
    );
  });

  test('moves to Monday when it is on a weekend, and stays otherwise', () => {
    const week = Array.from({ length: 7 }, (_, days) => plusDays('2026-11-26', days));
    const moved = [...week.slice(0, 2), '2026-11-30', '2026-11-30', ...week.slice(4)];
    expect(week.map(nextWeekday)).toEqual(moved);
  });
});
