import { expect, test } from 'vitest';
import { hoursInUtc } from '#tools/emulators/ministack.ts';

test('hours of Brasilia are written as hours of UTC, also over midnight', () => {
  expect(hoursInUtc('cron(* 0-20 * * ? *)')).toBe(
    'cron(* 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 * * ? *)',
  );
  expect(hoursInUtc('cron(30 20-22 * * ? *)')).toBe('cron(30 23,0,1 * * ? *)');
  expect(hoursInUtc('cron(7 * * * ? *)')).toBe('cron(7 * * * ? *)');
});

test('hours that are no range stop the run instead of meaning something else', () => {
  expect(() => hoursInUtc('cron(0 9 * * ? *)')).toThrow('Cannot convert the hours');
});
