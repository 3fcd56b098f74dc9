import { beforeEach, describe, expect, test } from 'vitest';
import { brl } from '#shared/contract/examples.ts';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { companyItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import { account, companyOne, noon, otherCompany } from '../support/bank-world.ts';
import { walkPages } from '../support/listings.ts';
import { refused } from '../support/refusals.ts';
import { disputesWorld } from './disputes-world.ts';

const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const nobody = '99999999-9999-4999-8999-999999999900';
const names = ['accepted', 'rejected', 'canceled', 'defended', 'again', 'elsewhere', 'open'] as const;
const week = 7 * 86_400;
type Page = {
  readonly data: readonly { readonly id: string }[];
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
};

let tested: ReturnType<typeof disputesWorld>;
let ids: Readonly<Record<(typeof names)[number], string>>;
let order: string;
/** Seven disputes, an hour apart, the first an hour after noon; the fifth is of the pay-in of the first. */
beforeEach(async () => {
  tested = disputesWorld();
  const { world, calls, credits } = tested;
  const company = { companyId: companyOne, organizationId: 'o', name: 'n', createdAt: noon };
  await world.store.write([{ put: companyItem({ ...company, cursorKey: newCursorKey() }) }], world.ids.uuid());
  await world.openAccount(0);
  await world.openAccount(0, { id: other });
  const paid = async (): Promise<string> => {
    const id = await credits.payIn({ amount: brl('10.00') });
    await world.force(id, 'PAID');
    return id;
  };
  order = await paid();
  const orders = [await paid(), await paid(), await paid()];
  const elsewhereCredit = await credits.received('3.00', { accountId: other });
  const credit = await credits.received('4.00');
  let hours = 0;
  const next = async (open: () => Promise<string>): Promise<string> => {
    world.clock.now = plusSeconds(noon, (hours += 1) * 3600);
    return open();
  };
  const accepted = await next(() => calls.opened(order, '4.00'));
  const rejected = await next(() => calls.opened(orders[0]!));
  const canceled = await next(() => calls.opened(orders[1]!));
  const defended = await next(() => calls.opened(orders[2]!));
  await calls.moved(accepted, 'ACCEPTED');
  const again = await next(() => calls.opened(order));
  const elsewhere = await next(() => tested.openOfCredit(elsewhereCredit));
  const open = await next(() => tested.openOfCredit(credit));
  ids = { accepted, rejected, canceled, defended, again, elsewhere, open };
  world.clock.now = plusSeconds(noon, 8 * 3600);
  await calls.moved(rejected, 'REJECTED');
  await calls.moved(canceled, 'CANCELED');
  expect((await calls.defend(defended, 'k')).status).toBe(201);
});

const ask = (query: Readonly<Record<string, string>>, companyId = companyOne) =>
  tested.world.listDisputes({ companyId, query });
const listed = async (query: Readonly<Record<string, string>> = {}, companyId = companyOne): Promise<string[]> => {
  const response = await ask(query, companyId);
  expect(response.status, response.text).toBe(200);
  return (response.body as Page).data.map(({ id }) => names.find((name) => ids[name] === id) ?? id);
};
const hour = (count: number): string => plusSeconds(noon, count * 3600);

describe('the list of disputes', () => {
  test('has all of the company, newest first, and the oldest first when that is asked for', async () => {
    const newest = [...names].toReversed();
    expect(await listed()).toEqual(newest);
    expect(await listed({ sort: 'desc' })).toEqual(newest);
    expect(await listed({ sort: 'asc' })).toEqual(names);
  });

  test('the list has each dispute as its record has it, without its defences', async () => {
    const { data } = (await ask({ sort: 'asc' })).body as Page;
    for (const [place, name] of names.entries()) {
      const { defences: _left, ...record } = await tested.calls.record(ids[name]);
      expect(data[place]).toEqual(record);
    }
  });

  test.each([
    ['OPEN', ['open', 'elsewhere', 'again']],
    ['DEFENDED', ['defended']],
    ['ACCEPTED', ['accepted']],
    ['REJECTED', ['rejected']],
    ['CANCELED', ['canceled']],
  ])('has those that are %s now when that status is asked for', async (status, wanted) => {
    expect(await listed({ status })).toEqual(wanted);
  });

  test('has those of one account, of one pay-in, or of both with a status', async () => {
    expect(await listed({ accountId: other })).toEqual(['elsewhere']);
    expect(await listed({ accountId: account, status: 'OPEN' })).toEqual(['open', 'again']);
    expect(await listed({ orderId: order })).toEqual(['again', 'accepted']);
    expect(await listed({ orderId: order.toUpperCase(), sort: 'asc' })).toEqual(['accepted', 'again']);
    expect(await listed({ orderId: order, status: 'ACCEPTED' })).toEqual(['accepted']);
    expect(await listed({ orderId: order, accountId: other })).toEqual([]);
    expect([await listed({ accountId: nobody }), await listed({ orderId: nobody })]).toEqual([[], []]);
  });

  test('has those that are due before a moment, which is left out, whatever its offset', async () => {
    const dueAt = plusSeconds(hour(3), week);
    expect(await listed({ dueBefore: dueAt, sort: 'asc' })).toEqual(['accepted', 'rejected']);
    expect(await listed({ dueBefore: plusMilliseconds(dueAt, 1), sort: 'asc' })).toEqual([
      ...['accepted', 'rejected', 'canceled'],
    ]);
    const inBrasilia = dueAt.replace('18:00:00.000Z', '15:00:00-03:00');
    expect(inBrasilia).not.toBe(dueAt);
    expect(await listed({ dueBefore: inBrasilia, sort: 'asc' })).toEqual(['accepted', 'rejected']);
    expect(await listed({ dueBefore: plusSeconds(hour(6), week), status: 'OPEN' })).toEqual(['again']);
    expect(await listed({ dueBefore: noon })).toEqual([]);
    refused(await ask({ dueBefore: '2026-01-15' }), 400, ['dueBefore:INVALID_FORMAT']);
  });

  test('has those that were opened in a time, its end left out', async () => {
    const between = { createdFrom: hour(2), createdTo: hour(4), sort: 'asc' };
    expect(await listed(between)).toEqual(['rejected', 'canceled']);
    expect(await listed({ ...between, createdTo: plusMilliseconds(hour(4), 1) })).toEqual([
      ...['rejected', 'canceled', 'defended'],
    ]);
    expect(await listed({ ...between, status: 'CANCELED' })).toEqual(['canceled']);
    expect(await listed({ ...between, orderId: order })).toEqual([]);
  });

  test.each([
    ['all', {}, 7],
    ['those of a status', { status: 'OPEN' }, 3],
    ['those of an account', { accountId: account }, 6],
    ['those of a pay-in', { orderId: 'ORDER' }, 2],
    ['those that are due', { dueBefore: plusSeconds(noon, week + 5 * 3600) }, 4],
  ])('has %s once over its pages, in order, whatever their size and direction', async (_what, given, count) => {
    const filters = 'orderId' in given ? { orderId: order } : given;
    const whole = { asc: await listed({ ...filters, sort: 'asc' }), desc: await listed({ ...filters, sort: 'desc' }) };
    expect(whole.asc).toHaveLength(count);
    expect(whole.desc).toEqual(whole.asc.toReversed());
    for (const sort of ['asc', 'desc'] as const)
      for (const limit of [1, 2, 3]) {
        const pages = await walkPages(async (cursor) => {
          const query = { ...filters, sort, limit: `${limit}`, ...(cursor !== undefined && { cursor }) };
          const { data, hasNext, nextCursor } = (await ask(query)).body as Page;
          return { ids: data.map(({ id }) => names.find((name) => ids[name] === id) ?? id), hasNext, nextCursor };
        });
        expect(pages.flat()).toEqual(whole[sort]);
        expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
      }
  });

  test('goes on behind its cursor when disputes are opened and decided between the pages', async () => {
    const first = (await ask({ sort: 'desc', limit: '2' })).body as Page;
    await tested.calls.moved(ids.again, 'CANCELED');
    await tested.calls.opened(order, '1.00');
    const rest = await listed({ sort: 'desc', cursor: first.nextCursor! });
    expect(rest).toEqual(['again', 'defended', 'canceled', 'rejected', 'accepted']);
  });

  test('leaves a dispute out of the list of a status that it has no more', async () => {
    await tested.calls.moved(ids.open, 'REJECTED');
    expect(await listed({ status: 'OPEN' })).toEqual(['elsewhere', 'again']);
    expect(await listed({ status: 'REJECTED' })).toEqual(['open', 'rejected']);
  });

  test('is 400 for the cursor of another listing', async () => {
    const { nextCursor } = (await ask({ limit: '1' })).body as Page;
    for (const changed of [{ status: 'OPEN' }, { sort: 'asc' }, { orderId: order }, { dueBefore: hour(1) }])
      refused(await ask({ limit: '1', ...changed, cursor: nextCursor! }), 400, ['cursor:INVALID_VALUE']);
  });

  test('is 400 for a status that disputes do not have, and for ids that are none', async () => {
    refused(await ask({ status: 'PENDING' }), 400, ['status:INVALID_VALUE']);
    refused(await ask({ accountId: 'x' }), 400);
    refused(await ask({ orderId: 'x' }), 400);
  });

  test('is empty for another company, by whatever filter', async () => {
    await tested.world.openAccount(0, { id: 'dddddddd-dddd-4ddd-8ddd-dddddddddddd', companyId: otherCompany });
    for (const query of [{}, { status: 'OPEN' }, { accountId: account }, { orderId: order }])
      expect(await listed(query, otherCompany)).toEqual([]);
  });
});

test('a dispute is found by an id in capitals, and is 404 by an unknown id', async () => {
  expect((await tested.calls.record(ids.open.toUpperCase())).id).toBe(ids.open);
  for (const id of [nobody, order])
    refused(await tested.world.getDispute({ companyId: companyOne, params: { id } }), 404);
});
