import { expect, test } from 'vitest';
import { endToEndId, randomIds, recurrenceId, returnId } from '#fake-bank/ids.ts';
import type { Ids } from '#fake-bank/ids.ts';

/** Already the 15th in UTC, still the 14th in Brasilia. */
const now = '2026-01-15T02:59:59.000Z';
const ispb = '09089356';
const fixed: Ids = {
  uuid: () => '123e4567-e12b-12d1-a456-426655440000',
  alphanumeric: (length) => 'aB3dE5gH7jK9'.slice(0, length),
  digits: (length) => '123456789'.slice(0, length),
};

test('an end-to-end id and a return id have the minute in UTC', () => {
  expect(endToEndId(ispb, now, fixed)).toBe('E09089356202601150259aB3dE5gH7jK');
  expect(returnId(ispb, now, fixed)).toBe('D09089356202601150259aB3dE5gH7jK');
});

test('the id of a recurrence has its policy and the day of Brasilia', () => {
  expect(recurrenceId({ retries: true, ispb, now, ids: fixed })).toBe('RR0908935620260114aB3dE5gH7jK');
  expect(recurrenceId({ retries: false, ispb: '12ABC345', now, ids: fixed })).toBe('RN12ABC34520260114aB3dE5gH7jK');
});

test('random ids have the length that is asked for and the characters of their kind', () => {
  const long = randomIds.alphanumeric(5000);
  expect(long).toMatch(/^[A-Za-z0-9]{5000}$/u);
  expect(new Set(long).size).toBe(62);
  expect(randomIds.digits(9)).toMatch(/^\d{9}$/u);
  expect(new Set(randomIds.digits(1000)).size).toBe(10);
  expect(randomIds.uuid()).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
});
