import { beforeEach, expect, test } from 'vitest';
import { applyRecurrenceState } from '#shared/subscriptions/apply-state.ts';
import { companyOne } from '../support/bank-world.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';

let world: SubscriptionWorld;
let id: string;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  ({ id } = await world.created(subscriptionBody()));
  await world.forceSubscription(id, 'ACCEPTED');
  for (let round = 1; round <= 12; round += 1) {
    await request(`k${round}`);
    await world.forceSubscription(id, 'CANCELLATION_REJECTED');
  }
});
const request = (key: string) =>
  world.cancel({ companyId: companyOne, key, params: { id }, body: { reason: 'REQUESTED_BY_RECEIVER' } });
const bankSays = (status: 'CANCELED' | 'EXPIRED') =>
  applyRecurrenceState({ ...world.deps, at: world.clock.now, companyId: companyOne, requestId: 'r' }, id, {
    history: [{ status, at: world.clock.now }],
  });

test.each<[string, string, () => Promise<unknown>]>([
  ['CANCELLATION.REJECTED', 'the bank refuses a request', () => world.forceSubscription(id, 'CANCELLATION_REJECTED')],
  ['CANCELED', 'the bank carries out a request', () => world.forceSubscription(id, 'CANCELED')],
  ['CANCELED', 'its time is over while a request is open', () => bankSays('EXPIRED')],
])('the event %s has the last ten of 13 requests when %s', async (event, _what, move) => {
  await request('k13');
  await move();
  const { cancellations } = (await world.get(id)).body as { readonly cancellations: readonly unknown[] };
  expect(cancellations).toHaveLength(13);
  const last = world.notified().at(-1);
  expect(last?.event).toBe(`SUBSCRIPTION.${event}`);
  expect((last?.data['data'] as { readonly cancellations?: unknown }).cancellations).toEqual(cancellations.slice(-10));
});

test.each<[string, () => Promise<unknown>, number]>([
  ['the payer ends it', () => world.forceSubscription(id, 'CANCELED'), 13],
  ['its time is over', () => bankSays('EXPIRED'), 12],
])('the event CANCELED has the last ten requests when none is open and %s', async (_what, move, count) => {
  await move();
  const { cancellations } = (await world.get(id)).body as { readonly cancellations: readonly unknown[] };
  expect(cancellations).toHaveLength(count);
  const { data } = world.notified().at(-1)?.data as { readonly data: { readonly cancellations: unknown } };
  expect(data.cancellations).toEqual(cancellations.slice(-10));
});
