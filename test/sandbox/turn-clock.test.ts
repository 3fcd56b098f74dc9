import { beforeEach, describe, expect, test } from 'vitest';
import { instantAt, plusSeconds } from '#shared/core/brasilia-time.ts';
import { dueAttributesAt } from '#shared/platform/table/due-keys.ts';
import { reservedKeys } from '#shared/bank/simulated/reserved.ts';
import {
  accountElsewhere,
  companyOne,
  noon,
  otherCompany,
  payInBody,
  payoutBody,
  receiver,
} from '#test/support/bank-world.ts';
import type { ClockWorld } from '#test/support/clock-world.ts';
import { clockWorld } from '#test/support/clock-world.ts';
import { paymentBody } from '#test/support/payment-world.ts';
import { refused } from '#test/support/refusals.ts';

let world: ClockWorld;
beforeEach(async () => {
  world = await clockWorld();
});
const payIn = async (expiresInSeconds: number, key: string): Promise<string> => {
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody({ expiresInSeconds }), key });
  return (body as { id: string }).id;
};
const payInNow = async (id: string) =>
  (await world.getPayIn({ companyId: companyOne, params: { id } })).body as Record<string, string>;

describe('the clock of a company', () => {
  test('shows real time until it is turned, then goes on from where it was put, and back', async () => {
    expect((await world.shown()).body).toEqual({ now: noon, offsetSeconds: 0 });
    const now = '2027-03-01T12:00:00.500Z';
    expect(await world.turn({ now })).toMatchObject({ now, offsetSeconds: 410 * 86_400 - 3 * 3600, jobsRun: 0 });
    world.clock.real = plusSeconds(noon, 10);
    expect((await world.shown()).body).toMatchObject({ now: '2027-03-01T12:00:10.500Z' });
    expect(await world.turn({ advanceSeconds: 60 })).toMatchObject({ now: '2027-03-01T12:01:10.500Z', remaining: 0 });
    expect((await world.reset()).body).toEqual({ now: world.clock.real, offsetSeconds: 0 });
    expect((await world.shown()).body).toEqual({ now: world.clock.real, offsetSeconds: 0 });
    expect((await world.reset()).status).toBe(200);
  });

  test('takes an offset of time zones, and answers in UTC', async () => {
    expect(await world.turn({ now: '2027-01-10T21:00:00-03:00' })).toMatchObject({ now: '2027-01-11T00:00:00.000Z' });
  });

  test('is changed for one company only', async () => {
    await world.turn({ advanceSeconds: 3600 });
    expect((await world.shown(otherCompany)).body).toEqual({ now: noon, offsetSeconds: 0 });
    await world.put({ advanceSeconds: 60 }, otherCompany);
    await world.reset(otherCompany);
    expect((await world.shown()).body).toMatchObject({ offsetSeconds: 3600 });
  });

  test.each([
    [
      'a time and seconds',
      { now: '2027-01-01T00:00:00Z', advanceSeconds: 1 },
      ['now:MUTUALLY_EXCLUSIVE', 'advanceSeconds:MUTUALLY_EXCLUSIVE'],
    ],
    ['neither a time nor seconds', {}, ['now:REQUIRED']],
    ['a time without offset', { now: '2027-01-01T00:00:00' }, ['now:INVALID_FORMAT']],
    ['negative seconds', { advanceSeconds: -1 }, ['advanceSeconds:OUT_OF_RANGE']],
    ['seconds in quotes', { advanceSeconds: '1' }, ['advanceSeconds:INVALID_TYPE']],
    ['an unknown field', { advanceSeconds: 1, freeze: true }, ['freeze:UNKNOWN_FIELD']],
  ])('refuses %s', async (_name, body, issues) => {
    const response = await world.put(body);
    refused(response, 400, issues);
  });

  test('refuses to go back with 409, and the response contains its current time', async () => {
    await world.turn({ advanceSeconds: 60 });
    const response = await world.put({ now: noon });
    refused(response, 409, ['now:OUT_OF_RANGE']);
    expect(response.text).toContain('2026-01-15T15:01:00.000Z');
  });
});

describe('an advance', () => {
  test('runs each job that became due, with the time at which it was due, and no job that is due later', async () => {
    const [soon, late] = [await payIn(600, 'a'), await payIn(7200, 'b')];
    expect(await world.turn({ advanceSeconds: 3600 })).toMatchObject({ jobsRun: 1, remaining: 0 });
    const at = plusSeconds(noon, 600);
    expect(await payInNow(soon)).toMatchObject({ status: 'EXPIRED', expiredAt: at });
    expect(await payInNow(late)).toMatchObject({ status: 'PENDING' });
    expect(world.notified()).toMatchObject([{}, { event: 'ORDER-PAYIN.EXPIRED', data: { updatedAt: at } }]);
    expect(world.items('DELIVERY').map(({ dueAt }) => dueAt)).toEqual([noon, noon]);
  });

  test('runs a bounded number of jobs a call, oldest first, and goes on with the rest', async () => {
    for (let n = 0; n < 230; n += 1) await payIn(600 + n, `k-${n}`);
    const first = await world.turn({ advanceSeconds: 3600 });
    expect(first).toMatchObject({ jobsRun: 100, remaining: 130, offsetSeconds: 3600 });
    const expired = world.items('PAY_IN').filter(({ status }) => status === 'EXPIRED');
    expect(
      expired
        .map(({ expireDateTime }) => expireDateTime)
        .toSorted()
        .at(-1),
    ).toBe(plusSeconds(noon, 699));
    expect(await world.turn({ advanceSeconds: 0 })).toMatchObject({ jobsRun: 100, remaining: 30, offsetSeconds: 3600 });
    expect(await world.turn({ advanceSeconds: 0 })).toMatchObject({ jobsRun: 30, remaining: 0 });
    expect(world.items('PAY_IN').filter(({ status }) => status !== 'EXPIRED')).toEqual([]);
  });

  test('runs one job a call when the time of the call was used up before the first', async () => {
    for (let n = 0; n < 3; n += 1) await payIn(600 + n, `k-${n}`);
    let elapsed = 0;
    Object.assign(world.deps, { elapsedMs: () => (elapsed += 5000) });
    expect(await world.turn({ advanceSeconds: 3600 })).toMatchObject({ jobsRun: 1, remaining: 2 });
    expect(await world.turn({ advanceSeconds: 0 })).toMatchObject({ jobsRun: 1, remaining: 1 });
    expect(await world.turn({ advanceSeconds: 0 })).toMatchObject({ jobsRun: 1, remaining: 0 });
  });

  test('sends a TED when its window opens, after a weekend too', async () => {
    await world.openAccount(100_000, { id: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc' });
    await world.turn({ now: '2026-01-16T23:00:00.000Z' });
    const body = payoutBody({
      ...{ accountId: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc', paymentMethod: 'TED', receiver: receiver },
      paymentData: { bankAccount: accountElsewhere },
    });
    const { body: created } = await world.createPayout({ companyId: companyOne, body, key: 'ted' });
    await world.turn({ advanceSeconds: 5 * 86_400 });
    const [payout] = world.items('PAYOUT');
    expect(payout).toMatchObject({ id: (created as { id: string }).id, updatedAt: instantAt('2026-01-19', '06:30') });
    expect(payout?.['controlNumber']).toMatch(/^STR20260119/u);
    expect(payout?.['GSI2PK']).toBeUndefined();
  });

  test('tries a payout once a call when the bank leaves it open, and does not count it as remaining', async () => {
    await world.openAccount(100_000, { id: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc' });
    const paymentData = { pixKey: reservedKeys.timeout };
    const body = payoutBody({ accountId: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc', paymentData });
    expect((await world.createPayout({ companyId: companyOne, body, key: 'silent' })).status).toBe(201);
    expect(await world.turn({ advanceSeconds: 86_400 })).toMatchObject({ jobsRun: 1, remaining: 0 });
    expect(await world.turn({ advanceSeconds: 0 })).toMatchObject({ jobsRun: 1, remaining: 0 });
    world.bank.payouts.send.submit = () =>
      Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
    expect(await world.turn({ advanceSeconds: 0 })).toMatchObject({ jobsRun: 1, remaining: 0 });
    expect(world.items('PAYOUT')[0]?.['GSI2PK']).toBeUndefined();
  });

  test('runs the later jobs when one fails permanently', async () => {
    const ids = [await payIn(600, 'a'), await payIn(700, 'b')];
    const [broken] = world.items('PAY_IN').filter(({ id }) => id === ids[0]);
    await world.store.write([{ put: { ...broken!, status: 'NO SUCH STATUS' } }], 't');
    expect(await world.turn({ advanceSeconds: 3600 })).toMatchObject({ jobsRun: 2, remaining: 0 });
    expect((await payInNow(ids[1]!))['status']).toBe('EXPIRED');
  });
});

describe('settlement errors', () => {
  const day = '2026-01-20';
  const resends = async () => (await world.all()).filter(({ purpose }) => purpose === 'RESEND_DUE_TO_SETTLEMENT_ERROR');
  const failAt = async (time: string): Promise<string> => {
    const { id } = await world.scheduled(paymentBody({ dueDate: day }));
    await world.turn({ now: instantAt(day, time) });
    await world.forced(id, 'CANCELED_SETTLEMENT_ERROR');
    return id;
  };

  test('a resend that is due at 20:59 is made at 20:59, also by one call that jumps over 21:00', async () => {
    const id = await failAt('20:59');
    expect(await world.turn({ now: instantAt(day, '23:30') })).toMatchObject({ remaining: 0 });
    expect(await resends()).toMatchObject([
      { originalScheduledPaymentId: id, status: 'PENDING', createdAt: instantAt(day, '20:59') },
    ]);
  });

  test('a resend that is due at 21:01 is not created, and the same call frees its cycle', async () => {
    const other = await world.accepted({ startDate: day });
    const late = await world.scheduled(paymentBody({ dueDate: day }), other);
    const id = await failAt('20:59');
    await world.forced(late.id, 'CANCELED_SETTLEMENT_ERROR');
    const [item] = world.items('SCHEDULED_PAYMENT').filter((one) => one['id'] === late.id);
    const since = instantAt(day, '21:01');
    const due = dueAttributesAt(companyOne, 'SETTLEMENT_RESEND', since, late.id);
    const moved = { scheduledRetry: { since, by: 'us' }, ...due };
    await world.store.write([{ put: { ...item!, ...moved } }], 't');
    await world.turn({ now: instantAt(day, '23:30') });
    expect(await resends()).toMatchObject([{ originalScheduledPaymentId: id }]);
    expect(await world.all(other)).toMatchObject([{ status: 'CANCELED' }]);
    expect((await world.schedule(paymentBody({ dueDate: '2026-02-01' }), other)).status).toBe(201);
  });

  test('each resend that fails is sent again, three times, as the clock goes on', async () => {
    let last = await failAt('10:00');
    for (const attempt of [1, 2, 3]) {
      await world.turn({ advanceSeconds: 60 });
      const next = (await resends()).find((one) => one.settlementErrorRetryAttempt === attempt);
      await world.forced(next!.id, 'CANCELED_SETTLEMENT_ERROR');
      last = next!.id;
    }
    await world.turn({ now: instantAt(day, '20:59') });
    expect(await resends()).toHaveLength(3);
    expect((await world.payment(last)).status).toBe('CANCELED');
  });
});

test('a held payment becomes PENDING at midnight of the day on which its window opens', async () => {
  world = await clockWorld({ schedule: { minDaysAhead: 2, releaseDaysBefore: 10 } });
  const { id } = await world.scheduled(paymentBody({ dueDate: '2026-03-20' }));
  await world.turn({ now: instantAt('2026-03-09', '23:59') });
  expect((await world.payment(id)).status).toBe('INITIAL');
  await world.turn({ now: instantAt('2026-03-31', '10:00') });
  expect((await world.payment(id)).statusHistory).toMatchObject([
    {},
    { status: 'PENDING', createdAt: instantAt('2026-03-10', '00:00') },
  ]);
});
