import { describe, expect, it } from 'vitest';
import { plusDays } from '#shared/core/brasilia-time.ts';
import { isBankingDay, tedSendingTime } from '#shared/payouts/ted-calendar.ts';

function closedWeekdays(year: number): string[] {
  const days: string[] = [];
  for (let day = `${year}-01-01`; day <= `${year}-12-31`; day = plusDays(day, 1)) {
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
    if (weekday !== 0 && weekday !== 6 && !isBankingDay(day)) days.push(day.slice(5));
  }
  return days;
}

describe('the days on which banks send TEDs', () => {
  it('follow the calendar that FEBRABAN published for 2025', () => {
    expect(closedWeekdays(2025)).toEqual([
      '01-01', // New Year
      '03-03', // Monday of Carnival
      '03-04', // Tuesday of Carnival
      '04-18', // Good Friday
      '04-21', // Tiradentes
      '05-01', // Labour
      '06-19', // Corpus Christi
      '11-20', // Black Consciousness
      '12-25', // Christmas
      '12-31', // no compensation on the last working day of the year
    ]);
  });

  it('follow the calendar that FEBRABAN published for 2026', () => {
    expect(closedWeekdays(2026)).toEqual([
      '01-01',
      '02-16',
      '02-17',
      '04-03',
      '04-21',
      '05-01',
      '06-04',
      '09-07',
      '10-12',
      '11-02',
      '11-20',
      '12-25',
      '12-31',
    ]);
  });

  it('do not include 20 November before it became a national holiday in 2024', () => {
    expect(isBankingDay('2023-11-20')).toBe(true);
    expect(isBankingDay('2024-11-20')).toBe(false);
  });

  it('end on the eve of the last working day of the year, wherever that falls', () => {
    expect(isBankingDay('2023-12-29'), 'the 31st is a Sunday').toBe(false);
    expect(isBankingDay('2023-12-28')).toBe(true);
    expect(isBankingDay('2024-12-31')).toBe(false);
    expect(isBankingDay('2024-12-30')).toBe(true);
  });

  it('include Ash Wednesday and the 24th of December', () => {
    expect(isBankingDay('2026-02-18')).toBe(true);
    expect(isBankingDay('2026-12-24')).toBe(true);
  });
});

describe('the time at which a TED is sent', () => {
  it.each([
    ['on a Thursday at noon', '2026-01-15T15:00:00.000Z', '2026-01-15T15:00:00.000Z'],
    ['at 06:30 sharp', '2026-01-15T09:30:00.000Z', '2026-01-15T09:30:00.000Z'],
    ['a moment before 06:30', '2026-01-15T09:29:59.999Z', '2026-01-15T09:30:00.000Z'],
    ['in the minute of 06:30', '2026-01-15T09:30:59.999Z', '2026-01-15T09:30:59.999Z'],
    ['at 16:59:59.999', '2026-01-15T19:59:59.999Z', '2026-01-15T19:59:59.999Z'],
    ['at 17:00 sharp', '2026-01-15T20:00:00.000Z', '2026-01-16T09:30:00.000Z'],
    ['late on a Thursday, when it is Friday in UTC', '2026-01-16T02:59:00.000Z', '2026-01-16T09:30:00.000Z'],
    ['on a Friday evening', '2026-01-16T22:00:00.000Z', '2026-01-19T09:30:00.000Z'],
    ['on a Saturday at noon', '2026-01-17T15:00:00.000Z', '2026-01-19T09:30:00.000Z'],
    ['on the Friday before Carnival, after hours', '2026-02-13T21:00:00.000Z', '2026-02-18T09:30:00.000Z'],
    ['on the last working day of a year', '2026-12-31T15:00:00.000Z', '2027-01-04T09:30:00.000Z'],
  ])('%s', (_case, now, expected) => {
    expect(tedSendingTime(now)).toBe(expected);
  });

  it('knows the daylight saving time of its years', () => {
    expect(tedSendingTime('2019-01-15T08:00:00.000Z')).toBe('2019-01-15T08:30:00.000Z');
  });
});
