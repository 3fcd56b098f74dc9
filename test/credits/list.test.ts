import { beforeEach, describe, expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { e2e } from '../bank-events/bank-events-world.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { account, companyOne, noon, otherCompany } from '../support/bank-world.ts';
import { creditCalls } from '../support/credits.ts';
import { walkPages } from '../support/listings.ts';
import { refused } from '../support/refusals.ts';

const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const nobody = '99999999-9999-4999-8999-999999999900';
const names = ['assigned', 'returned', 'part', 'elsewhere', 'second'] as const;
type Page = {
  readonly data: readonly { readonly id: string }[];
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
};

let world: PaymentWorld;
let calls: ReturnType<typeof creditCalls>;
let ids: Readonly<Record<(typeof names)[number], string>>;
let orders: { readonly assigned: string; readonly second: string };
/** Five credits, a second apart, each in another state. */
beforeEach(async () => {
  world = await paymentWorld();
  calls = creditCalls(world);
  await world.openAccount(0, { id: other });
  const next = async <Made>(make: () => Promise<Made>): Promise<Made> => {
    world.clock.now = plusSeconds(world.clock.now, 1);
    return make();
  };
  const assigned = await next(() => calls.received());
  const returned = await next(() => calls.received('10.00'));
  const part = await next(() => calls.received('30.00'));
  const elsewhere = await next(() => calls.received('1.00', { accountId: other }));
  const paid = await calls.payIn();
  await world.forceOrder(paid, 'PAID');
  await next(() => calls.hear(paid, { endToEndId: e2e(1), amount: 2500 }));
  const second = world.items('CREDIT').find((item) => item['endToEndId'] === e2e(1))?.['id'] as string;
  ids = { assigned, returned, part, elsewhere, second };
  const wanted = await calls.payIn();
  expect((await calls.assign(assigned, wanted)).status).toBe(200);
  await world.forceOrder(await calls.returned(returned), 'REFUNDED');
  await world.forceOrder(await calls.returned(part, '5.00'), 'REFUNDED');
  orders = { assigned: wanted, second: paid };
});

const ask = (query: Readonly<Record<string, string>>, companyId = companyOne) =>
  world.listCredits({ companyId, query });
const listed = async (query: Readonly<Record<string, string>> = {}, companyId = companyOne): Promise<string[]> => {
  const response = await ask(query, companyId);
  expect(response.status, response.text).toBe(200);
  return (response.body as Page).data.map(({ id }) => names.find((name) => ids[name] === id) ?? id);
};

describe('the list of credits', () => {
  test('has all of the company, newest first, without their returns, and the oldest first when that is asked for', async () => {
    const newest = [...names].toReversed();
    expect(await listed()).toEqual(newest);
    expect(await listed({ sort: 'desc' })).toEqual(newest);
    expect(await listed({ sort: 'asc' })).toEqual(names);
    const { data } = (await ask({})).body as { readonly data: readonly object[] };
    const { returns: _left, ...record } = await calls.record(ids.part);
    expect(data[2]).toEqual(record);
    expect(record).toMatchObject({ returnedAmount: { value: '5.00' }, status: 'OPEN' });
  });

  test.each([
    ['OPEN', ['second', 'elsewhere', 'part']],
    ['ASSIGNED', ['assigned']],
    ['RETURNED', ['returned']],
  ])('has those that are %s now when that status is asked for', async (status, wanted) => {
    expect(await listed({ status })).toEqual(wanted);
  });

  test('has those of one account, of one order, or of both with a status', async () => {
    expect(await listed({ accountId: other })).toEqual(['elsewhere']);
    expect(await listed({ accountId: account, status: 'OPEN' })).toEqual(['second', 'part']);
    expect(await listed({ orderId: orders.second })).toEqual(['second']);
    expect(await listed({ orderId: orders.assigned })).toEqual(['assigned']);
    expect(await listed({ orderId: orders.assigned.toUpperCase(), status: 'ASSIGNED' })).toEqual(['assigned']);
    expect(await listed({ orderId: orders.assigned, status: 'OPEN' })).toEqual([]);
    expect([await listed({ accountId: nobody }), await listed({ orderId: nobody })]).toEqual([[], []]);
  });

  test('has the one of an end-to-end id, if it meets the other filters', async () => {
    const { endToEndId } = await calls.record(ids.assigned);
    expect(await listed({ endToEndId })).toEqual(['assigned']);
    expect(await listed({ endToEndId: e2e(1) })).toEqual(['second']);
    expect(await listed({ endToEndId, status: 'ASSIGNED', accountId: account })).toEqual(['assigned']);
    expect(await listed({ endToEndId, status: 'OPEN' })).toEqual([]);
    expect(await listed({ endToEndId, accountId: other })).toEqual([]);
    expect(await listed({ endToEndId, createdFrom: plusSeconds(world.clock.now, 1) })).toEqual([]);
    expect(await listed({ endToEndId: e2e(7) })).toEqual([]);
  });

  test('has no payment that a charge expected, by its end-to-end id either', async () => {
    const { endToEndId } = await calls.payInRecord(orders.second);
    expect(await listed({ endToEndId: String(endToEndId) })).toEqual([]);
  });

  test('has those that were booked in a time, its end left out', async () => {
    const from = plusSeconds(noon, 2);
    expect(await listed({ createdFrom: from, createdTo: plusSeconds(noon, 4), sort: 'asc' })).toEqual([
      'returned',
      'part',
    ]);
    expect(await listed({ createdFrom: from, status: 'OPEN', sort: 'asc' })).toEqual(['part', 'elsewhere', 'second']);
  });

  test.each([
    ['all', {}, 5],
    ['those of a status', { status: 'OPEN' }, 3],
    ['those of an account', { accountId: account }, 4],
  ])('has %s once over its pages, whatever their size', async (_what, filters, count) => {
    for (const limit of [1, 2, 3]) {
      const pages = await walkPages(async (cursor) => {
        const query = { ...filters, limit: `${limit}`, ...(cursor !== undefined && { cursor }) };
        const { data, hasNext, nextCursor } = (await ask(query)).body as Page;
        return { ids: data.map(({ id }) => id), hasNext, nextCursor };
      });
      expect(pages.flat()).toHaveLength(count);
      expect(new Set(pages.flat()).size).toBe(count);
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
    }
  });

  test('is 400 for the cursor of another listing', async () => {
    const { nextCursor } = (await ask({ limit: '1' })).body as Page;
    refused(await ask({ limit: '1', status: 'OPEN', cursor: nextCursor! }), 400);
  });

  test('is 400 for a status that credits do not have', async () => {
    refused(await ask({ status: 'PENDING' }), 400, ['status:INVALID_VALUE']);
  });
});

describe('the credits of a company', () => {
  beforeEach(async () => {
    await world.openAccount(0, { id: 'dddddddd-dddd-4ddd-8ddd-dddddddddddd', companyId: otherCompany });
  });

  test('are in no list of another company, by whatever filter', async () => {
    const { endToEndId } = await calls.record(ids.second);
    const queries = [{}, { status: 'OPEN' }, { accountId: account }, { orderId: orders.second }, { endToEndId }];
    for (const query of queries) expect(await listed(query, otherCompany)).toEqual([]);
  });

  test('are 404 for another company, whatever it asks of them', async () => {
    const before = world.items();
    const call = { companyId: otherCompany, params: { id: ids.second } };
    refused(await world.getCredit(call), 404);
    refused(await world.returnCredit({ ...call, key: 'k', body: {} }), 404);
    refused(await world.assignCredit({ ...call, body: { orderId: orders.second } }), 404);
    expect(world.items()).toEqual(before);
  });

  test('a credit is 404 by an unknown id, and is found by an id in capitals', async () => {
    refused(await world.getCredit({ companyId: companyOne, params: { id: nobody } }), 404);
    expect((await calls.record(ids.second.toUpperCase())).id).toBe(ids.second);
  });
});
