import { describe, expect, it } from 'vitest';
import { nextChargePoll, nextPoll } from '#shared/bank/polling.ts';
import { brasiliaDate, instantAt, plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import { fc } from '../support/properties.ts';

const since = '2026-01-15T15:00:00.000Z';

/** The first times at which a command is asked about, minutes after it was committed. */
function minutesOf(kind: Parameters<typeof nextPoll>[0], count: number): readonly number[] {
  let at = since;
  return Array.from({ length: count }, () => {
    at = nextPoll(kind, since, at);
    return secondsBetween(since, at) / 60;
  });
}

describe('the bank is asked', () => {
  it.each(['PAYOUT_POLL', 'REFUND_POLL'] as const)('at growing intervals, then hourly, by the job %s', (kind) => {
    expect(minutesOf(kind, 8)).toEqual([2, 4, 8, 15, 30, 90, 150, 210]);
  });

  it('about an open cancellation hourly', () => {
    expect(minutesOf('CANCELLATION_POLL', 3)).toEqual([60, 120, 180]);
  });

  it('about a recurrence that waits for its payer hourly for a day, then daily', () => {
    const minutes = minutesOf('RECURRENCE_POLL', 29);
    expect(minutes.slice(0, 4)).toEqual([5, 30, 90, 150]);
    expect(minutes.slice(24)).toEqual([30 + 23 * 60, 30 + 24 * 60, 30 + 48 * 60, 30 + 72 * 60, 30 + 96 * 60]);
  });

  it('at the next time after now, however long ago it was last asked', () => {
    const late = plusSeconds(since, 10 * 86_400 + 61);
    expect(secondsBetween(late, nextPoll('PAYOUT_POLL', since, late))).toBeLessThanOrEqual(3600);
    expect(nextPoll('PAYOUT_POLL', since, late) > late).toBe(true);
  });

  it('about a recurring charge at four hours of Brasilia, from its day on', () => {
    const day = '2026-01-20';
    let at = since;
    const times = Array.from({ length: 6 }, () => (at = nextChargePoll(day, at)));
    const on = (date: string) => ['08:30', '12:00', '18:30', '21:15'].map((hour) => instantAt(date, hour));
    expect(times).toEqual([...on(day), ...on('2026-01-21').slice(0, 2)]);
  });

  it.each(['PAYOUT_POLL', 'REFUND_POLL', 'CANCELLATION_POLL', 'RECURRENCE_POLL', 'CHARGE_POLL'] as const)(
    'after now and within a day, however long ago the command was committed, by the job %s',
    (kind) => {
      const next = (now: string): string =>
        kind === 'CHARGE_POLL' ? nextChargePoll(brasiliaDate(since), now) : nextPoll(kind, since, now);
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 120 * 86_400 }), (seconds) => {
          const now = plusSeconds(since, seconds);
          const wait = secondsBetween(now, next(now));
          expect(wait).toBeGreaterThan(0);
          expect(wait).toBeLessThanOrEqual(86_400);
        }),
      );
    },
  );
});
