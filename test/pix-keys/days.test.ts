import { beforeEach, expect, test } from 'vitest';
import { brasiliaDate } from '#shared/core/brasilia-time.ts';
import { companyOne } from '#test/support/bank-world.ts';
import { each } from '#test/support/each.ts';
import { email, keyWorld } from '#test/support/key-world.ts';
import { refused } from '#test/support/refusals.ts';

/** Codes are counted by days of Brasilia: from 00:00 there, which is 03:00 of UTC, to the next. */

const accounts = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map((part) => `${part}-0000-4000-8000-000000000000`);
const [first = '', second = '', third = ''] = accounts;
let world: ReturnType<typeof keyWorld>;
beforeEach(async () => {
  world = keyWorld();
  await world.openCompany(companyOne);
  for (const id of accounts) await world.openAccount(0, { id });
});

const one = email('maria@example.com');
const until10 = async (ask: (place: number) => Promise<{ readonly status: number }>): Promise<readonly number[]> => {
  const statuses: number[] = [];
  for (let place = 0; place < 10; place += 1) statuses.push((await ask(place)).status);
  return statuses;
};
const tens = Array.from({ length: 10 }, () => 201);

/** Two times of one day, on both sides of 21:00 and of the midnight of UTC; and the next day's first moment. */
const days = [
  ['2026-01-16T02:59:59.999Z', '2026-01-15T23:59:59.999Z', '2026-01-16T03:00:00.000Z'],
  ['2026-01-16T00:00:00.000Z', '2026-01-15T03:00:00.000Z', '2026-01-16T03:00:00.000Z'],
  ['2026-01-16T02:00:00.000Z', '2026-01-15T22:00:00.000Z', '2026-01-16T10:00:00.000Z'],
] as const;

test('the times of a row are of one day, and of the next', () => {
  for (const [late, early, next] of each(days)) {
    expect(brasiliaDate(late)).toBe(brasiliaDate(early));
    expect(brasiliaDate(next)).not.toBe(brasiliaDate(late));
  }
});

test.each(days)('the codes of an account at %s and at %s are of one day', async (late, early, next) => {
  world.clock.real = early;
  expect(await until10((place) => world.create(email(`a${place}@example.com`), { accountId: first }))).toEqual(tens);
  const more = () => world.create(email('more@example.com'), { accountId: first });
  refused(await more(), 409);
  world.clock.real = late;
  refused(await more(), 409);
  world.clock.real = next;
  expect((await more()).status).toBe(201);
});

test.each(days)(
  'the codes to an address at %s and at %s are of one day, whichever accounts ask',
  async (late, early, next) => {
    world.clock.real = early;
    expect(await until10((place) => world.create(one, { accountId: place < 5 ? first : second }))).toEqual(tens);
    const more = () => world.create(one, { accountId: third });
    refused(await more(), 409);
    world.clock.real = late;
    refused(await more(), 409);
    world.clock.real = next;
    expect((await more()).status).toBe(201);
  },
);

test.each(days)('the count of an address at %s outlives its day in the table', async (late, _early, next) => {
  for (const real of each([`${brasiliaDate(late)}T03:00:00.000Z`, late])) {
    world.clock.real = real;
    await world.create(one, { accountId: first });
    const [count] = world.items('ADDRESS_QUOTA');
    expect(Number(count?.['expiresAt']) * 1000).toBeGreaterThanOrEqual(Date.parse(next.slice(0, 10)) + 3 * 3_600_000);
  }
});
