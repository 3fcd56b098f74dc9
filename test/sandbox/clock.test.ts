import { expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { clockAhead, companyTime, lastClockTime, advanceClock } from '#shared/sandbox/clock.ts';
import { fc } from '../support/properties.ts';
import { each } from '../support/each.ts';

const realAt = '2026-01-15T15:00:00.000Z';

test('a clock goes on as the machine’s does, so far ahead of it', () => {
  let real = realAt;
  const clock = clockAhead(() => real, 86_400_001);
  expect(clock()).toBe('2026-01-16T15:00:00.001Z');
  real = plusSeconds(realAt, 1);
  expect(clock()).toBe('2026-01-16T15:00:01.001Z');
});

test.each([
  ['by seconds', { advanceSeconds: 3600 }, '2026-01-15T17:00:00.000Z', 7_200_000],
  ['by zero seconds', { advanceSeconds: 0 }, '2026-01-15T16:00:00.000Z', 3_600_000],
  ['to a time', { now: '2026-01-15T16:00:00.001Z' }, '2026-01-15T16:00:00.001Z', 3_600_001],
  ['to its own time', { now: '2026-01-15T16:00:00.000Z' }, '2026-01-15T16:00:00.000Z', 3_600_000],
  ['to the last possible time', { now: lastClockTime }, lastClockTime, Date.parse(lastClockTime) - Date.parse(realAt)],
])('the clock of a company is advanced %s', (_how, turn, now, offsetMs) => {
  expect(advanceClock({ realAt, offsetMs: 3_600_000 }, turn)).toEqual({ now, offsetMs });
});

test.each([
  ['to a time before its own', { now: '2026-01-15T15:59:59.999Z' }, 'now', 'forward only'],
  ['to a time after the last possible one', { now: '2100-01-01T00:00:00.000Z' }, 'now', 'up to'],
  ['by too many seconds', { advanceSeconds: 80 * 366 * 86_400 }, 'advanceSeconds', 'up to'],
])('the clock of a company is not advanced %s', (_how, turn, field, text) => {
  expect(() => advanceClock({ realAt, offsetMs: 3_600_000 }, turn)).toThrow(
    expect.objectContaining({ kind: 'state', details: [expect.objectContaining({ field, issue: 'OUT_OF_RANGE' })] }),
  );
  expect(() => advanceClock({ realAt, offsetMs: 3_600_000 }, turn)).toThrow(text);
});

test('whatever it is turned by, it never goes back, and shows what it was turned to', () => {
  const seconds = fc.integer({ min: 0, max: 10 * 366 * 86_400 });
  fc.assert(
    fc.property(
      fc.array(seconds, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 0, max: 999 }),
      (turns, offsetMs) => {
        let current = { now: companyTime(realAt, offsetMs), offsetMs };
        for (const advanceSeconds of each(turns)) {
          const next = advanceClock({ realAt, offsetMs: current.offsetMs }, { advanceSeconds });
          expect(next.now >= current.now).toBe(true);
          expect(companyTime(realAt, next.offsetMs)).toBe(next.now);
          expect(next.offsetMs - current.offsetMs).toBe(advanceSeconds * 1000);
          current = next;
        }
      },
    ),
  );
});
