import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import { SetClock } from '#functions/order-tools/set-clock/contract.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import { clockOf } from './clocks.ts';
import { activeAccount, first, second } from './partners.ts';
import { journey2, payIn } from './samples.ts';
import { refused } from '../support/refusals.ts';
import { turnClock } from '@banking-order/partner-tools';

const account = activeAccount(second);
const clock = clockOf(second);
beforeAll(clock.reset);
afterAll(clock.reset);

test('a company’s clock is turned forward, goes on, and is given back; another company’s is real', async () => {
  const now = '2031-05-06T13:00:00.000Z';
  const begun = performance.now();
  // What other tests left to become due is done on the way: how much, they know, and how long it takes, the machine.
  expect(await turnClock(second, { now })).toMatchObject({ now, jobsRun: expect.any(Number) });
  const shown = (await second.call(GetClock)).body;
  expect(secondsBetween(now, shown.now)).toBeGreaterThanOrEqual(0);
  expect(secondsBetween(now, shown.now)).toBeLessThanOrEqual(Math.ceil((performance.now() - begun) / 1000));
  expect((await first.call(GetClock)).body.offsetSeconds).toBe(0);

  const back = await second.refused(SetClock, { body: { now: '2031-05-06T12:59:59Z' } });
  refused(back, 409, ['now:OUT_OF_RANGE']);
  const both = await second.refused(SetClock, { body: { now, advanceSeconds: 1 } });
  refused(both, 400, ['now:MUTUALLY_EXCLUSIVE', 'advanceSeconds:MUTUALLY_EXCLUSIVE']);

  expect((await second.call(ResetClock)).body.offsetSeconds).toBe(0);
  expect((await second.call(GetClock)).body.now < now).toBe(true);
});

test('an advance whose reply is lost is repeated with its key: it counts once, and names what it caused', async () => {
  const created = (await second.call(CreatePayIn, { body: payIn(account.id, { expiresInSeconds: 60 }) })).body;
  const { offsetSeconds } = (await second.call(GetClock)).body;
  const ask = { key: randomUUID(), body: { advanceSeconds: 3600 } };
  const lost = await second.answer(SetClock, { ...ask, headers: { 'x-simulate': 'lost-reply' } });
  expect([lost.status, JSON.parse(lost.text)]).toEqual([504, [expect.stringContaining('safe to repeat')]]);
  const first = await second.call(SetClock, ask);
  const again = await second.call(SetClock, ask);
  expect(again.received.text).toBe(first.received.text);
  expect(again.received.headers['idempotent-replayed']).toBe('true');
  const ahead = (await second.call(GetClock)).body.offsetSeconds - offsetSeconds;
  expect(ahead).toBeGreaterThanOrEqual(3600);
  expect(ahead).toBeLessThan(7200);
  // On a slow machine the jobs of other tests may use up the time of the first call.
  const jobs = [...first.body.jobs];
  for (let { remaining } = first.body; remaining > 0;) {
    const more = (await second.call(SetClock, { body: { advanceSeconds: 0 } })).body;
    jobs.push(...more.jobs);
    ({ remaining } = more);
  }
  const [deliveryId] = jobs.find(({ resource }) => resource.id === created.id)!.deliveryIds;
  const delivery = (await second.call(GetDelivery, { params: { id: deliveryId! } })).body;
  expect(delivery).toMatchObject({ event: 'ORDER-PAYIN.EXPIRED', resource: { type: 'PAY_IN', id: created.id } });

  const other = await second.refused(SetClock, { ...ask, body: { advanceSeconds: 60 } });
  refused(other, 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
});

test('dates are judged by it: what is today there may begin today, and what was yesterday may not', async () => {
  await clock.to('2031-06-10', '23:59');
  const begin = (startDate: string) => ({ body: journey2(account.id, { startDate }) });
  expect((await second.call(CreateSubscription, begin('2031-06-10'))).status).toBe(201);
  const refused = await second.refused(CreateSubscription, begin('2031-06-09'));
  expect(refused.details).toMatchObject([{ field: 'startDate', issue: 'OUT_OF_RANGE' }]);
});

test('a pay-in of 30 days expires in one call, at its time', async () => {
  const body = payIn(account.id, { expiresInSeconds: 2_592_000 });
  const created = (await second.call(CreatePayIn, { body })).body;
  expect(created.expireDateTime).toBe(plusSeconds(created.createdAt, 2_592_000));
  await clock.advance(2_591_000);
  expect((await second.call(GetPayIn, { params: { id: created.id } })).body.status).toBe('PENDING');
  await clock.advance(86_400);
  const expired = (await second.call(GetPayIn, { params: { id: created.id } })).body;
  expect(expired).toMatchObject({ status: 'EXPIRED', expiredAt: created.expireDateTime });
});
