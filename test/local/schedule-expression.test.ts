import { describe, expect, test } from 'vitest';
import { readScheduleExpression } from '#infra/local/schedules.ts';

const start = new Date('2026-11-20T12:00:30.000Z');
const saoPaulo = 'America/Sao_Paulo';

function next(expression: string, after: string, timeZone = saoPaulo): string | undefined {
  return readScheduleExpression(expression, timeZone, start)(new Date(after))?.toISOString();
}

describe('schedule expressions', () => {
  test('every minute of the hours 0 to 20 of Brasilia: the last run is 20:59, the next one midnight', () => {
    const cron = 'cron(* 0-20 * * ? *)';
    expect(next(cron, '2026-11-20T23:58:10Z')).toBe('2026-11-20T23:59:00.000Z');
    expect(next(cron, '2026-11-20T23:59:00Z')).toBe('2026-11-21T03:00:00.000Z');
  });

  test('a rate counts from the start of the environment', () => {
    expect(next('rate(1 minute)', '2026-11-20T12:00:30Z')).toBe('2026-11-20T12:01:30.000Z');
    expect(next('rate(1 minute)', '2026-11-20T12:05:00Z')).toBe('2026-11-20T12:05:30.000Z');
    expect(next('rate(2 hours)', '2026-11-20T12:00:31Z')).toBe('2026-11-20T14:00:30.000Z');
  });

  test.each([
    [
      'days of the week count from Sunday as 1',
      'cron(0 9 ? * 2-6 *)',
      '2026-11-20T23:00:00Z',
      '2026-11-23T12:00:00.000Z',
    ],
    ['days of the week have names', 'cron(0 9 ? * SUN *)', '2026-11-20T23:00:00Z', '2026-11-22T12:00:00.000Z'],
    ['the last Friday of the month', 'cron(0 9 ? * 6L *)', '2026-11-20T23:00:00Z', '2026-11-27T12:00:00.000Z'],
    ['the second Monday of the month', 'cron(0 9 ? * 2#2 *)', '2026-11-20T23:00:00Z', '2026-12-14T12:00:00.000Z'],
    ['the last day of the month', 'cron(0 9 L * ? *)', '2026-11-20T23:00:00Z', '2026-11-30T12:00:00.000Z'],
    ['the working day nearest to the 15th', 'cron(0 9 15W * ? *)', '2026-11-20T23:00:00Z', '2026-12-15T12:00:00.000Z'],
    ['steps from a value on', 'cron(5/20 9 * * ? *)', '2026-11-20T12:06:00Z', '2026-11-20T12:25:00.000Z'],
    ['lists', 'cron(0 6,18 * * ? *)', '2026-11-20T12:00:00Z', '2026-11-20T21:00:00.000Z'],
    ['a year', 'cron(0 0 1 1 ? 2028)', '2026-11-20T12:00:00Z', '2028-01-01T03:00:00.000Z'],
  ])('%s: %s', (_what, expression, after, expected) => {
    expect(next(expression, after)).toBe(expected);
  });

  test('without a time zone of Brasilia the hours are those named', () => {
    expect(next('cron(0 9 * * ? *)', '2026-11-20T00:00:00Z', 'UTC')).toBe('2026-11-20T09:00:00.000Z');
  });

  test('a schedule in the past has no next run', () => {
    expect(next('cron(0 0 1 1 ? 2020)', '2026-11-20T00:00:00Z')).toBeUndefined();
  });

  test.each([
    'at(2026-01-01T00:00:00)',
    'rate(0 minutes)',
    'rate(1 week)',
    'cron(* * * * *)',
    'cron(61 * * * ? *)',
    'cron(0 9 1 * 2 *)',
    'daily',
  ])('%s is an error that names the expression', (expression) => {
    expect(() => next(expression, '2026-11-20T00:00:00Z')).toThrow(expression);
  });

  test('an unknown time zone is an error at the start, not at the first run', () => {
    expect(() => next('cron(* * * * ? *)', '2026-11-20T00:00:00Z', 'America/Nowhere')).toThrow('America/Nowhere');
  });
});
