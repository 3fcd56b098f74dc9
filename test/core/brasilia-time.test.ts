import { describe, expect, it } from 'vitest';
import {
  brasiliaDate,
  brasiliaMinuteOfDay,
  compactDate,
  daysBetween,
  epochMs,
  epochSeconds,
  instantAt,
  instantFromEpochMs,
  isLocalDate,
  millisecondsBetween,
  nextWeekday,
  parseHttpDate,
  parseInstant,
  plusDays,
  plusMonths,
  plusSeconds,
  secondsBetween,
  timeAfter,
  utcMinuteStamp,
  weekday,
} from '#shared/core/brasilia-time.ts';
import { fc } from '../support/properties.ts';

const msOf = (text: string) => Date.parse(text);
const anyInstant = fc
  .integer({ min: msOf('1990-01-01T00:00:00Z'), max: msOf('2090-01-01T00:00:00Z') })
  .map(instantFromEpochMs);
const anyDate = anyInstant.map((instant) => instant.slice(0, 10));
/** Brasilia has had one offset, three hours, since 17 February 2019. */
const sinceTheLastChange = fc
  .integer({ min: msOf('2019-02-17T03:00:00Z'), max: msOf('2090-01-01T00:00:00Z') })
  .map(instantFromEpochMs);

describe('a date of HTTP', () => {
  it('is read as it stands in a header', () => {
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')).toBe('1994-11-06T08:49:37.000Z');
    fc.assert(
      fc.property(anyInstant, (instant) => {
        const whole = `${instant.slice(0, 19)}.000Z`;
        expect(parseHttpDate(new Date(whole).toUTCString())).toBe(whole);
      }),
    );
  });
  it.each(['', '120', '1994-11-06T08:49:37Z', 'Sun, 06 Nov 1994 08:49:37', 'Sun, 06 Nov 1994 24:49:37 GMT', 'x'])(
    'is not read from another text: %j',
    (text) => {
      expect(parseHttpDate(text)).toBeUndefined();
    },
  );
  it('is not read when it is before 1970, or names a day that does not exist', () => {
    expect(parseHttpDate('Sun, 06 Nov 1960 08:49:37 GMT')).toBeUndefined();
    expect(parseHttpDate('Sun, 99 Nov 1994 08:49:37 GMT')).toBeUndefined();
  });
});

describe('an instant', () => {
  it('is UTC text with milliseconds, in the order of time', () => {
    expect(instantFromEpochMs(0)).toBe('1970-01-01T00:00:00.000Z');
    fc.assert(
      fc.property(anyInstant, anyInstant, (one, other) => {
        expect(one < other).toBe(epochMs(one) < epochMs(other));
      }),
    );
  });

  it('throws a RangeError outside the years 1000 to 9999, which sort as text', () => {
    expect(() => instantFromEpochMs(253_402_300_800_000)).toThrow(RangeError);
    expect(() => instantFromEpochMs(msOf('0999-12-31T23:59:59.999Z'))).toThrow(RangeError);
    expect(() => instantFromEpochMs(msOf('-001000-01-01T00:00:00.000Z'))).toThrow('outside 1000 to 9999');
    expect(instantFromEpochMs(msOf('1000-01-01T00:00:00.000Z'))).toBe('1000-01-01T00:00:00.000Z');
    expect(() => instantFromEpochMs(Number.NaN)).toThrow(RangeError);
    expect(() => epochMs('tomorrow')).toThrow(RangeError);
  });

  it('is rounded down to whole seconds', () => {
    expect(epochSeconds('2026-01-15T00:00:00.999Z')).toBe(1_768_435_200);
    expect(epochSeconds('1969-12-31T23:59:59.500Z')).toBe(-1);
  });

  it('the instant of a change is later than that of the change before, by a millisecond when the clock is behind', () => {
    const last = '2026-01-15T15:00:00.999Z';
    expect(timeAfter(last, '2026-01-15T15:00:01.500Z')).toBe('2026-01-15T15:00:01.500Z');
    for (const at of [last, '2026-01-15T14:00:00.000Z']) expect(timeAfter(last, at)).toBe('2026-01-15T15:00:01.000Z');
  });

  it('moves by seconds, and the distance is what it moved by', () => {
    expect(plusSeconds('2026-01-15T02:59:59.500Z', 1)).toBe('2026-01-15T03:00:00.500Z');
    expect(secondsBetween('2026-01-15T00:00:00.000Z', '2026-01-15T00:00:01.500Z')).toBe(1.5);
    fc.assert(
      fc.property(anyInstant, fc.integer({ min: -1e8, max: 1e8 }), (instant, seconds) => {
        expect(millisecondsBetween(instant, plusSeconds(instant, seconds))).toBe(seconds * 1000);
      }),
    );
  });

  it.each([
    ['2026-01-15T02:59:59.000Z', '2026-01-15T02:59:59.000Z'],
    ['2026-01-15T00:00:00-03:00', '2026-01-15T03:00:00.000Z'],
    ['2026-01-15T03:00:00.1234567Z', '2026-01-15T03:00:00.123Z'],
    ['2026-01-15t03:00:00z', '2026-01-15T03:00:00.000Z'],
  ])('is read from the date-time %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  it.each([
    '',
    '2026-01-15',
    '2026-01-15T03:00:00',
    '2026-02-30T03:00:00Z',
    '2026-01-15T24:00:00Z',
    '2026-01-15T03:00Z',
    '9999-12-31T23:59:59-03:00',
    'Thu, 15 Jan 2026 03:00:00 GMT',
    '+002026-01-15T03:00:00Z',
    '2026-01-15T03:00:00Z or later',
    '2026-01-15T03:00:00+24:00',
  ])('is not read from "%s"', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe("Brasilia's day and hour", () => {
  it('begin at 03:00 UTC', () => {
    expect(brasiliaDate('2026-01-15T02:59:59.999Z')).toBe('2026-01-14');
    expect(brasiliaMinuteOfDay('2026-01-15T02:59:59.999Z')).toBe(23 * 60 + 59);
    expect(brasiliaDate('2026-01-15T03:00:00.000Z')).toBe('2026-01-15');
    expect(brasiliaMinuteOfDay('2026-01-15T03:00:00.000Z')).toBe(0);
  });

  it('begin at 02:00 UTC while daylight saving time lasted, for the last time in the summer of 2018 to 2019', () => {
    expect(brasiliaDate('2019-01-15T01:59:59.999Z')).toBe('2019-01-14');
    expect(brasiliaDate('2019-01-15T02:00:00.000Z')).toBe('2019-01-15');
    expect(brasiliaDate('2019-12-15T02:00:00.000Z')).toBe('2019-12-14');
  });

  it('put 21:00 at minute 1260', () => {
    expect(brasiliaMinuteOfDay('2026-06-01T23:59:59.999Z')).toBe(1259);
    expect(brasiliaMinuteOfDay('2026-06-02T00:00:00.000Z')).toBe(1260);
  });

  it('are three hours behind UTC at every instant since', () => {
    fc.assert(
      fc.property(sinceTheLastChange, (instant) => {
        const shown = plusSeconds(instant, -3 * 3600);
        expect(brasiliaDate(instant)).toBe(shown.slice(0, 10));
        expect(brasiliaMinuteOfDay(instant)).toBe(Number(shown.slice(11, 13)) * 60 + Number(shown.slice(14, 16)));
      }),
    );
  });
});

describe('the instant of a day and time in Brasilia', () => {
  it.each([
    ['2026-01-15', '00:00', '2026-01-15T03:00:00.000Z'],
    ['2026-01-15', '21:00', '2026-01-16T00:00:00.000Z'],
    ['2019-01-15', '21:00', '2019-01-15T23:00:00.000Z'],
    ['2018-11-03', '23:59', '2018-11-04T02:59:00.000Z'],
    ['2018-11-04', '01:00', '2018-11-04T03:00:00.000Z'],
    ['2019-02-17', '00:00', '2019-02-17T03:00:00.000Z'],
  ])('the instant of %s %s is %s', (date, time, instant) => {
    expect(instantAt(date, time)).toBe(instant);
  });

  it('is the first of an hour that happened twice', () => {
    expect(instantAt('2019-02-16', '23:30')).toBe('2019-02-17T01:30:00.000Z');
  });

  it('is an hour later for an hour that was skipped', () => {
    expect(instantAt('2018-11-04', '00:30')).toBe('2018-11-04T03:30:00.000Z');
    expect(brasiliaMinuteOfDay(instantAt('2018-11-04', '00:30'))).toBe(90);
  });

  it('shows that day and time again, unless the hour was skipped', () => {
    fc.assert(
      fc.property(anyDate, fc.integer({ min: 60, max: 1439 }), (date, minuteOfDay) => {
        const time = `${String(Math.floor(minuteOfDay / 60)).padStart(2, '0')}:${String(minuteOfDay % 60).padStart(2, '0')}`;
        const instant = instantAt(date, time);
        expect([brasiliaDate(instant), brasiliaMinuteOfDay(instant)]).toEqual([date, minuteOfDay]);
      }),
    );
  });

  it.each(['24:00', '7:00', '07:60', '07:00:00', ''])('refuses the time "%s"', (time) => {
    expect(() => instantAt('2026-01-15', time)).toThrow(RangeError);
    expect(() => instantAt('2026-01-15', time)).toThrow('Invalid time of day');
  });
});

describe('a date', () => {
  it.each(['2026-01-15', '2024-02-29', '2000-02-29', '1900-01-01', '9999-12-31'])('is valid as %s', (text) => {
    expect(isLocalDate(text)).toBe(true);
  });

  it.each([
    '2026-02-29',
    '2100-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '1899-12-31',
    '0000-01-01',
    '2026-1-5',
    '+010000-01-01',
    '20260115',
    '2026-01-15T00:00:00Z',
    ' 2026-01-15',
    '2026-01-15\n',
    '',
  ])('is not valid as "%s"', (text) => {
    expect(isLocalDate(text)).toBe(false);
  });

  it('moves by days, and the distance is what it moved by', () => {
    expect(plusDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(plusDays('2024-03-01', -1)).toBe('2024-02-29');
    fc.assert(
      fc.property(anyDate, fc.integer({ min: -20_000, max: 20_000 }), (date, days) => {
        expect(daysBetween(date, plusDays(date, days))).toBe(days);
      }),
    );
  });

  it('moves by months, to the last day of a month that is shorter', () => {
    expect([0, 1, 2, 12, 13, -1].map((months) => plusMonths('2025-12-30', months))).toEqual([
      '2025-12-30',
      '2026-01-30',
      '2026-02-28',
      '2026-12-30',
      '2027-01-30',
      '2025-11-30',
    ]);
    expect(plusMonths('2024-02-29', 12)).toBe('2025-02-28');
    expect(plusMonths('2024-01-31', 1)).toBe('2024-02-29');
    expect(plusMonths('2026-01-15', -1)).toBe('2025-12-15');
  });

  it('keeps its day of the month unless the month is shorter', () => {
    fc.assert(
      fc.property(anyDate, fc.integer({ min: 0, max: 240 }), (date, months) => {
        const moved = plusMonths(date, months);
        const monthOf = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
        expect(monthOf(moved) - monthOf(date)).toBe(months);
        const kept = moved.slice(8) === date.slice(8);
        const isLastDay = plusDays(moved, 1).slice(8) === '01';
        expect(kept || (isLastDay && moved.slice(8) < date.slice(8))).toBe(true);
      }),
    );
  });

  it('is a weekday counted from Sunday', () => {
    expect(['2026-11-15', '2026-11-16', '2026-11-21'].map(weekday)).toEqual([0, 1, 6]);
  });

  it('moves to Monday when it is on a weekend, and stays on any other day', () => {
    expect(nextWeekday('2026-11-20')).toBe('2026-11-20');
    expect(nextWeekday('2026-11-21')).toBe('2026-11-23');
    expect(nextWeekday('2026-11-22')).toBe('2026-11-23');
    fc.assert(
      fc.property(anyDate, (date) => {
        const adjusted = nextWeekday(date);
        expect([1, 2, 3, 4, 5]).toContain(weekday(adjusted));
        expect(daysBetween(date, adjusted)).toBeLessThanOrEqual(2);
        expect(nextWeekday(adjusted)).toBe(adjusted);
      }),
    );
  });

  it('throws a RangeError in arithmetic when it is no calendar date, or the result is after 9999', () => {
    expect(() => plusDays('2026-13-01', 1)).toThrow(RangeError);
    expect(() => daysBetween('2026-01-01', 'never')).toThrow(RangeError);
    expect(() => plusDays('9999-12-31', 1)).toThrow(RangeError);
  });
});

describe('the stamps inside identifiers', () => {
  it('are the minute in UTC and the date without hyphens', () => {
    expect(utcMinuteStamp('2026-01-15T02:59:59.999Z')).toBe('202601150259');
    expect(compactDate('2026-01-15')).toBe('20260115');
  });
});
