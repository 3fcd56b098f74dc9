import { beforeEach, expect, test } from 'vitest';
import { instantAt, plusSeconds } from '#shared/core/brasilia-time.ts';
import { companyOne, noon, payInBody } from '#test/support/bank-world.ts';
import type { ClockWorld, Turned } from '#test/support/clock-world.ts';
import { clockWorld } from '#test/support/clock-world.ts';
import { faultyStore } from '#test/support/faulty-store.ts';
import { paymentBody } from '#test/support/payment-world.ts';
import { refused } from '#test/support/refusals.ts';

let world: ClockWorld;
let keys = 0;
beforeEach(async () => {
  world = await clockWorld();
});
const payIn = async (expiresInSeconds: number): Promise<string> => {
  const key = `pay-in-${(keys += 1)}`;
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody({ expiresInSeconds }), key });
  return (body as { id: string }).id;
};
const offset = async (): Promise<number> => ((await world.shown()).body as Turned).offsetSeconds;
const hour = { advanceSeconds: 3600 };

test('an advance gets its first response again, and does not turn the clock, when it is repeated with its key', async () => {
  await payIn(600);
  const first = await world.putOnce('k', hour);
  expect(first).toMatchObject({ status: 200, body: { jobsRun: 1, offsetSeconds: 3600 } });
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  world.clock.real = plusSeconds(noon, 30);
  await payIn(60);
  const again = await world.putOnce('k', hour);
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(await offset()).toBe(3600);
  expect(await world.putOnce('other', hour)).toMatchObject({ status: 200, body: { offsetSeconds: 7200 } });
});

test('two equal advances without a key turn the clock twice', async () => {
  await world.put(hour);
  await world.put(hour);
  expect(await offset()).toBe(7200);
  expect(world.items('CLOCK_ADVANCE')).toEqual([]);
});

test('an advance is 422 when its key had another body; the key of a refused advance may be used again', async () => {
  await world.putOnce('k', hour);
  const other = await world.putOnce('k', { advanceSeconds: 3601 });
  refused(other, 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
  refused(await world.putOnce('late', { now: noon }), 409);
  expect((await world.putOnce('late', { advanceSeconds: 60 })).status).toBe(200);
  expect(await offset()).toBe(3660);
});

test('an advance by 0 seconds gets its first response again when it is repeated with its key', async () => {
  await payIn(600);
  const first = await world.putOnce('k', { advanceSeconds: 0 });
  expect(await offset()).toBe(0);
  await world.put(hour);
  expect((await world.putOnce('k', { advanceSeconds: 0 })).text).toBe(first.text);
});

test('20 concurrent advances with one key turn the clock once and get the same response', async () => {
  for (let n = 0; n < 5; n += 1) await payIn(600 + n);
  const responses = await Promise.all(Array.from({ length: 20 }, () => world.putOnce('k', hour)));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  expect(await offset()).toBe(3600);
});

test('a repeated advance runs the remaining jobs when the first call died after it had turned the clock', async () => {
  const ids = [await payIn(600), await payIn(700)];
  let writes = 0;
  // The turn is the first write; the second expiry is begun and never written.
  const dying = faultyStore(world.store, {
    nextFault: () => (writes >= 2 ? 'before' : 'none'),
    onWritten: () => (writes += 1),
  });
  expect(await world.putOn(dying, hour, 'k')).toMatchObject({ status: 503 });
  expect(await offset()).toBe(3600);
  const again = await world.putOnce('k', hour);
  expect(again).toMatchObject({
    status: 200,
    body: {
      now: plusSeconds(noon, 3600),
      offsetSeconds: 3600,
      jobsRun: 1,
      remaining: 0,
      jobs: [{ resource: { id: ids[1] } }],
    },
  });
  expect(await offset()).toBe(3600);
  expect((await world.putOnce('k', hour)).text).toBe(again.text);
});

test('a repeated advance runs no future job when the first call died and the clock was reset to real time', async () => {
  const id = await payIn(600);
  let writes = 0;
  const dying = faultyStore(world.store, {
    nextFault: () => (writes >= 1 ? 'before' : 'none'),
    onWritten: () => (writes += 1),
  });
  expect(await world.putOn(dying, hour, 'k')).toMatchObject({ status: 503 });
  await world.reset();
  expect(await world.putOnce('k', hour)).toMatchObject({ status: 200, body: { jobsRun: 0, offsetSeconds: 3600 } });
  expect(await offset()).toBe(0);
  expect((await world.getPayIn({ companyId: companyOne, params: { id } })).body).toMatchObject({ status: 'PENDING' });
});

test('each job of an advance names its resource and exactly the notifications that it caused', async () => {
  const day = '2026-01-20';
  const { id: paymentId } = await world.scheduled(paymentBody({ dueDate: day }));
  const expiring = await payIn(600);
  await world.turn({ now: instantAt(day, '10:00') });
  await world.forced(paymentId, 'CANCELED_SETTLEMENT_ERROR');
  const second = await payIn(600);
  const ran = await world.turn(hour);
  // The resend is sent to the bank, and causes no notification.
  const jobs = ran.jobs.filter(({ kind }) => kind !== 'CHARGE_COMMAND');
  const caused = (about: string, event: string) =>
    world
      .items('DELIVERY')
      .filter((item) => item['event'] === event && (item['resource'] as { id: string }).id === about)
      .map(({ PK }) => PK.split('#').at(-1));
  const resend = (await world.all()).find(({ originalScheduledPaymentId: originalId }) => originalId === paymentId);
  expect(jobs).toEqual([
    {
      kind: 'SETTLEMENT_RESEND',
      resource: { type: 'SCHEDULED_PAYMENT', id: paymentId },
      deliveryIds: caused(resend!.id, 'SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING'),
    },
    {
      kind: 'PAY_IN_EXPIRY',
      resource: { type: 'PAY_IN', id: second },
      deliveryIds: caused(second, 'ORDER-PAYIN.EXPIRED'),
    },
  ]);
  expect(jobs.map(({ deliveryIds }) => deliveryIds.length)).toEqual([1, 1]);
  expect(caused(expiring, 'ORDER-PAYIN.EXPIRED')).toHaveLength(1);
});

test('concurrent advances name every notification once, each call those that its own jobs caused', async () => {
  for (let n = 0; n < 12; n += 1) await payIn(600 + n);
  const responses = await Promise.all([hour, hour, hour].map((body) => world.put(body)));
  const named = responses.flatMap(({ body }) => (body as Turned).jobs.flatMap(({ deliveryIds }) => deliveryIds));
  const deliveries = world.items('DELIVERY').filter(({ event }) => event === 'ORDER-PAYIN.EXPIRED');
  expect(named.toSorted()).toEqual(deliveries.map(({ PK }) => PK.split('#').at(-1)).toSorted());
  expect(named).toHaveLength(12);
});
