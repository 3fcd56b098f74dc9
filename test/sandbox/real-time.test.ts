import { expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { offsetWrite } from '#shared/sandbox/clock-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { companyOne, noon, payInBody } from '#test/support/bank-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { subscriptionWorld } from '#test/support/subscription-world.ts';
import { refused } from '#test/support/refusals.ts';

const yearSeconds = 365 * 86_400;
const ahead = plusSeconds(noon, yearSeconds);

const setClock = (store: Store) => store.write([offsetWrite(companyOne, { from: 0, to: yearSeconds * 1000 })], 'token');

/** The company's clock shows the same hour a year later. */
function worldAhead() {
  const world = subscriptionWorld();
  const real = { now: noon };
  world.clock.now = ahead;
  world.deps.realNow = () => real.now;
  return { ...world, real };
}

test('a pay-in and its notification have the time of the company’s clock, their delivery that of the machine', async () => {
  const world = worldAhead();
  await setClock(world.store);
  await world.openAccount(0);
  const created = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: 'k' });
  const { id, createdAt, expireDateTime } = created.body as Record<string, string>;
  expect({ createdAt, expireDateTime }).toEqual({ createdAt: ahead, expireDateTime: plusSeconds(ahead, 86_400) });
  await world.force(id ?? '', 'PAID');
  expect(world.notified()).toMatchObject([{ data: { updatedAt: ahead } }]);
  expect(world.items('DELIVERY')).toMatchObject([{ createdAt: noon, dueAt: noon, nextAttemptAt: noon }]);
});

test('the deliveries of a scheduled payment and of its settlement begin in real time too', async () => {
  const world = await paymentWorld();
  world.clock.now = ahead;
  world.deps.realNow = () => noon;
  await setClock(world.store);
  const known = world.items('DELIVERY').length;
  const { id } = await world.scheduled(paymentBody({ dueDate: '2027-01-20' }));
  await world.forced(id, 'ACCEPTED', 'COMPLETED');
  const deliveries = world.items('DELIVERY').slice(known);
  expect(deliveries.map(({ createdAt }) => createdAt)).toEqual([noon, noon, noon, noon]);
  expect(world.items('PAY_IN')).toMatchObject([{ paidAt: ahead }]);
});

test('an idempotency key lives 7 days of real time, whatever the company’s clock shows', async () => {
  const world = worldAhead();
  await world.openAccount(0);
  const call = { companyId: companyOne, body: payInBody(), key: 'k' };
  const first = await world.createPayIn(call);
  world.clock.now = plusSeconds(ahead, yearSeconds);
  const again = await world.createPayIn(call);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.body).toEqual(first.body);
  world.real.now = plusSeconds(noon, 7 * 86_400 + 1);
  refused(await world.createPayIn(call), 409);
});
