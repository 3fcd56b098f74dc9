import { beforeEach, describe, expect, test, vi } from 'vitest';
import { dueAttributesAt } from '#shared/platform/table/due-keys.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { payInInsert, parsePayIn } from '#shared/pay-ins/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { aPayIn } from '../support/builders.ts';
import { account, companyOne, otherCompany } from '../support/bank-world.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionWorld } from '../support/subscription-world.ts';
import { isDue } from '../support/due.ts';

const due = '2026-01-15T15:10:00.000Z';
let world: SubscriptionWorld;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

/** Straight into the table: what matters here is what is due. */
async function payIn(expireDateTime = due, companyId = companyOne): Promise<string> {
  const order = aPayIn({ id: world.ids.orderId(), accountId: account, expireDateTime });
  await world.store.write([payInInsert(companyId, order)], world.ids.uuid());
  return order.id;
}
async function read(id: string, companyId = companyOne) {
  const [item] = await world.store.read([keys.order(companyId, id)]);
  if (item === undefined) throw new Error('The pay-in is gone.');
  return parsePayIn(item);
}
const statusOf = async (id: string, companyId = companyOne) => (await read(id, companyId)).status;
const waiting = () => world.items().filter((item) => isDue(item) && item['entity'] === 'PAY_IN').length;

describe('the worker that expires pay-ins', () => {
  test.each([
    ['leaves a pay-in pending a millisecond before it is due', '2026-01-15T15:09:59.999Z', 0, 'PENDING'],
    ['expires a pay-in when it is due', due, 1, 'EXPIRED'],
    ['expires a pay-in long after it is due', '2026-02-01T00:00:00.000Z', 1, 'EXPIRED'],
  ])('%s', async (_name, now, expired, status) => {
    const id = await payIn();
    world.clock.now = now;
    expect(await world.expirePayIns()).toEqual({ expired, failed: 0 });
    expect(await statusOf(id)).toBe(status);
    expect(waiting()).toBe(1 - expired);
  });

  test('notifies the partner with the time of the transition', async () => {
    const id = await payIn();
    world.clock.now = '2026-01-15T15:10:30.000Z';
    await world.expirePayIns();
    expect(world.notified()).toMatchObject([
      {
        event: 'ORDER-PAYIN.EXPIRED',
        target: { type: 'PAYIN' },
        resource: { type: 'PAY_IN', id },
        data: { id, status: 'EXPIRED', updatedAt: world.clock.now },
      },
    ]);
    expect((await world.getPayIn({ companyId: companyOne, params: { id } })).body).toMatchObject({
      expiredAt: world.clock.now,
    });
  });

  test('goes through all companies and more than one page of what is due, and leaves the rest', async () => {
    await world.openAccount(0, { companyId: otherCompany });
    const ownIds = await Promise.all(Array.from({ length: 230 }, () => payIn()));
    const theirs = await payIn(due, otherCompany);
    const later = await payIn('2026-01-15T15:10:00.001Z');
    world.clock.now = due;
    expect(await world.expirePayIns()).toEqual({ expired: 231, failed: 0 });
    expect(new Set(await Promise.all(ownIds.map((id) => statusOf(id))))).toEqual(new Set(['EXPIRED']));
    expect([await statusOf(theirs, otherCompany), await statusOf(later)]).toEqual(['EXPIRED', 'PENDING']);
    expect(await world.expirePayIns()).toEqual({ expired: 0, failed: 0 });
    expect(world.notified()).toHaveLength(231);
  });

  test.each(['PAID', 'CANCELED', 'ERROR', 'EXPIRED'])(
    'does not change a pay-in that became %s before',
    async (status) => {
      const id = await payIn();
      await world.force(id, status);
      expect(waiting()).toBe(0);
      world.clock.now = due;
      expect(await world.expirePayIns()).toEqual({ expired: 0, failed: 0 });
      expect(await statusOf(id)).toBe(status);
      expect(world.notified()).toHaveLength(1);
    },
  );

  test('lets each pay-in expire once when two runs are concurrent', async () => {
    await Promise.all(Array.from({ length: 30 }, () => payIn()));
    world.clock.now = due;
    const runs = await Promise.all([world.expirePayIns(), world.expirePayIns()]);
    expect(runs.reduce((sum, { expired }) => sum + expired, 0)).toBe(30);
    expect(world.notified()).toHaveLength(30);
  });

  test('lets a pay-in either expire or be paid when its payment comes concurrently', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => payIn()));
    world.clock.now = due;
    await Promise.all([world.expirePayIns(), ...ids.map((id) => world.force(id, 'PAID'))]);
    const statuses = await Promise.all(ids.map((id) => statusOf(id)));
    expect(statuses.every((status) => status === 'PAID' || status === 'EXPIRED')).toBe(true);
    expect(world.notified()).toHaveLength(20);
    expect(world.items('LEDGER_ENTRY')).toHaveLength(statuses.filter((status) => status === 'PAID').length);
  });

  test('also lets the first charge of a subscription expire, after a day', async () => {
    const { body } = await world.create({ companyId: companyOne, body: compositeBody() });
    world.clock.now = '2026-01-16T15:00:00.000Z';
    expect(await world.expirePayIns()).toEqual({ expired: 1, failed: 0 });
    expect(world.notified()).toMatchObject([
      { event: 'ORDER-PAYIN.EXPIRED', data: { subscription: { id: (body as { id: string }).id } } },
      { event: 'SUBSCRIPTION.REJECTED' },
    ]);
  });

  test('continues when one pay-in fails, and tries that one again in the next run', async () => {
    const [first, second] = [await payIn(), await payIn()];
    world.clock.now = due;
    const broken: Store = {
      ...world.store,
      write: (writes, token) =>
        writes.some((write) => 'put' in write && write.put.PK === keys.order(companyOne, first).PK)
          ? Promise.reject(new StoreUnavailable('busy'))
          : world.store.write(writes, token),
    };
    expect(await world.expirePayIns(broken)).toEqual({ expired: 1, failed: 1 });
    expect([await statusOf(first), await statusOf(second)]).toEqual(['PENDING', 'EXPIRED']);
    expect(await world.expirePayIns()).toEqual({ expired: 1, failed: 0 });
    expect(await statusOf(first)).toBe('EXPIRED');
  });

  test('does not change an order that the index lists when it is PAID, missing or not due yet', async () => {
    const id = await payIn();
    const early = await payIn('2026-01-15T15:10:00.001Z');
    await world.force(id, 'PAID');
    world.clock.now = due;
    const missingId = world.ids.orderId();
    const named = [id, early, missingId].map((one) => ({
      ...keys.order(companyOne, one),
      ...dueAttributesAt(companyOne, 'PAY_IN_EXPIRY', due, one),
    }));
    const lagging: Store = {
      ...world.store,
      query: (query) => {
        if (query.index !== 'GSI3') return world.store.query(query);
        return Promise.resolve({ items: named.filter(({ GSI3PK }) => GSI3PK === query.partition) });
      },
    };
    expect(await world.expirePayIns(lagging)).toEqual({ expired: 0, failed: 0 });
    expect([await statusOf(id), await statusOf(early)]).toEqual(['PAID', 'PENDING']);
  });
});
