import { expect, test } from 'vitest';

test('the process has the zone that the run names, which threads have not', () => {
  const timeZone = process.env['TZ_OF_TESTS'] ?? 'UTC';
  const hour = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(0);
  expect(new Date(0).getHours()).toBe(Number(hour));
  expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(timeZone);
});
