import { describe, expect, test } from 'vitest';
import { readScheduleExpression } from '#cdk-local/schedules.ts';

const start = new Date('2026-11-20T12:00:30.000Z');
const saoPaulo = 'America/Sao_Paulo';

function next(expression: string, after: string, timeZone = saoPaulo, everySeconds?: number): string | undefined {
  return readScheduleExpression(expression, timeZone, start, everySeconds)(new Date(after))?.toISOString();
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
    expect(next('rate(5 minutes)', '2026-11-20T12:00:31Z')).toBe('2026-11-20T12:05:30.000Z');
  });

  test('lists of hours', () => {
    expect(next('cron(0 6,18 * * ? *)', '2026-11-20T12:00:00Z')).toBe('2026-11-20T21:00:00.000Z');
  });

  test.each(['rate(1 minute)', 'cron(* 0-20 * * ? *)', 'cron(7 * * * ? *)'])(
    '%s runs every few seconds, whatever minutes and hours it names, when tests ask for it',
    (expression) => {
      const every = (after: string) => next(expression, after, saoPaulo, 5);
      expect(every('2026-11-20T12:00:31Z')).toBe('2026-11-20T12:00:35.000Z');
      expect(every('2026-11-20T12:00:35Z')).toBe('2026-11-20T12:00:40.000Z');
      expect(every('2026-11-20T23:59:57Z')).toBe('2026-11-21T00:00:00.000Z');
    },
  );

  test('without a time zone of Brasilia the hours are those named', () => {
    expect(next('cron(0 9 * * ? *)', '2026-11-20T00:00:00Z', 'UTC')).toBe('2026-11-20T09:00:00.000Z');
  });

  test.each([
    'at(2026-01-01T00:00:00)',
    'rate(0 minutes)',
    'rate(1 week)',
    'rate(2 hours)',
    'cron(* * * * *)',
    'cron(61 * * * ? *)',
    'cron(0 9 ? * 2-6 *)',
    'cron(0 9 L * ? *)',
    'cron(5/20 9 * * ? *)',
    'cron(0 0 1 1 ? 2028)',
    'daily',
  ])('%s is an error that names the expression', (expression) => {
    expect(() => next(expression, '2026-11-20T00:00:00Z')).toThrow(expression);
  });

  test('an unknown time zone is an error at the start, not at the first run', () => {
    expect(() => next('cron(* * * * ? *)', '2026-11-20T00:00:00Z', 'America/Nowhere')).toThrow('America/Nowhere');
  });
});
