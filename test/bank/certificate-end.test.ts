import { expect, test } from 'vitest';
import { daysToReplace } from '#shared/bank/certificate.ts';

test.each([
  ['2026-02-14T12:00:00.000Z', undefined],
  ['2026-02-14T00:00:00.000Z', undefined],
  ['2026-02-13T23:59:59.999Z', 29],
  ['2026-01-15T23:59:59.999Z', 0],
  ['2026-01-14T23:59:59.999Z', -1],
])('a certificate that expires at %s is to be replaced in this many days, counted in the last 30: %s', (end, days) => {
  expect(daysToReplace(end, '2026-01-15T12:00:00.000Z')).toBe(days);
});
