import { describe, expect, test } from 'vitest';
import { brasiliaDate, instantAt, plusDays, plusSeconds, weekday } from '#shared/core/brasilia-time.ts';
import {
  commandDeadline,
  submissionPhase,
  isExecutable,
  isPastExecution,
  releaseTime,
  requireInWindow,
  settlementDateOf,
} from '#shared/scheduled-payments/window.ts';
import { fc } from '../support/properties.ts';
import { errorOf } from '../support/refusals.ts';

const production = { minDaysAhead: 2, releaseDaysBefore: 10 };
const elsewhere = { minDaysAhead: 0 };
const wednesday = '2026-03-11';
const at = (time: string, day = wednesday) => instantAt(day, time);
const anyDay = fc.integer({ min: 0, max: 3000 }).map((days) => plusDays('2026-01-01', days));
const seconds = fc.integer({ min: 0, max: 86_399 });

describe('the settlement date', () => {
  test.each([
    ['2026-03-13', '2026-03-13'],
    ['2026-03-14', '2026-03-16'],
    ['2026-03-15', '2026-03-16'],
    ['2026-03-16', '2026-03-16'],
  ])('for the due date %s is %s when weekends are moved, and the due date itself otherwise', (due, settles) => {
    expect(settlementDateOf(due, true)).toBe(settles);
    expect(settlementDateOf(due, false)).toBe(due);
  });

  test('is a day from Monday to Friday, at most two days later', () => {
    fc.assert(
      fc.property(anyDay, (due) => {
        const settles = settlementDateOf(due, true);
        expect([0, 6]).not.toContain(weekday(settles));
        expect(settles >= due && settles <= plusDays(due, 2)).toBe(true);
      }),
    );
  });
});

describe('the window', () => {
  test('begins two days ahead in production, today elsewhere', () => {
    expect(
      errorOf(() => {
        requireInWindow('2026-03-12', production, at('12:00'));
      }),
    ).toBe('400 dueDate:OUT_OF_RANGE');
    expect(
      errorOf(() => {
        requireInWindow('2026-03-13', production, at('23:59'));
      }),
    ).toBe('none');
    expect(
      errorOf(() => {
        requireInWindow('2026-03-10', elsewhere, at('00:00'));
      }),
    ).toBe('400 dueDate:OUT_OF_RANGE');
    expect(
      errorOf(() => {
        requireInWindow(wednesday, elsewhere, at('00:00'));
      }),
    ).toBe('none');
  });

  test('for today ends at 21:00 in Brasilia', () => {
    expect(
      errorOf(() => {
        requireInWindow(wednesday, elsewhere, plusSeconds(at('21:00'), -0.001));
      }),
    ).toBe('none');
    expect(
      errorOf(() => {
        requireInWindow(wednesday, elsewhere, at('21:00'));
      }),
    ).toBe('409 dueDate:OUTSIDE_WINDOW');
    expect(
      errorOf(() => {
        requireInWindow('2026-03-12', elsewhere, at('21:00'));
      }),
    ).toBe('none');
  });

  test('opens for the bank on the tenth day before, and has opened where no days are set', () => {
    expect(releaseTime('2026-03-30', production, at('12:00'))).toBe(instantAt('2026-03-20', '00:00'));
    expect(releaseTime('2026-03-21', production, at('00:00'))).toBeUndefined();
    expect(releaseTime('2026-03-22', production, at('23:59'))).toBe(instantAt('2026-03-12', '00:00'));
    expect(releaseTime('2029-01-01', elsewhere, at('12:00'))).toBeUndefined();
  });

  test('allows execution on the settlement date only, before 21:00', () => {
    fc.assert(
      fc.property(anyDay, anyDay, seconds, (settlementDate, day, second) => {
        const now = plusSeconds(at('00:00', day), second);
        expect(isExecutable(settlementDate, now)).toBe(day === settlementDate && second < 21 * 3600);
        expect(isPastExecution(settlementDate, now)).toBe(
          day > settlementDate || (day === settlementDate && second >= 21 * 3600),
        );
      }),
    );
  });
});

describe('a command to the bank', () => {
  test.each([
    ['SCHEDULE', 'FIRST_ATTEMPT', '2026-03-12', '00:00'],
    ['SCHEDULE', 'RESEND_DUE_TO_SETTLEMENT_ERROR', '2026-03-11', '21:00'],
    ['SCHEDULE', 'NEW_ATTEMPT_AFTER_DUE_DATE', '2026-03-10', '23:59'],
    ['CANCEL', 'FIRST_ATTEMPT', '2026-03-10', '22:00'],
    ['CANCEL', 'RESEND_DUE_TO_SETTLEMENT_ERROR', '2026-03-10', '22:00'],
    ['CANCEL', 'NEW_ATTEMPT_AFTER_DUE_DATE', '2026-03-10', '22:00'],
  ] as const)('%s of a %s is submitted before %s %s', (command, purpose, date, hour) => {
    const payment = { purpose, settlementDate: wednesday };
    const deadline = at(hour, date);
    expect(commandDeadline(command, payment)).toBe(deadline);
    const now = (second: number) => submissionPhase(command, payment, plusSeconds(deadline, second));
    expect([now(-0.001), now(0), now(119.999), now(120), now(86_400)]).toEqual([
      ...['SUBMIT', 'WAIT', 'WAIT', 'MISSED', 'MISSED'],
    ]);
  });

  test('has the hour of its own day, whatever the zone did', () => {
    expect(commandDeadline('CANCEL', { purpose: 'FIRST_ATTEMPT', settlementDate: wednesday })).toBe(
      '2026-03-11T01:00:00.000Z',
    );
    fc.assert(
      fc.property(anyDay, (settlementDate) => {
        const deadline = commandDeadline('CANCEL', { purpose: 'FIRST_ATTEMPT', settlementDate });
        expect(brasiliaDate(deadline)).toBe(plusDays(settlementDate, -1));
      }),
    );
  });
});
