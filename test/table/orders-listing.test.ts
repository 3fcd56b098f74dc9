import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { ListPayIns } from '#functions/pay-ins/list/contract.ts';
import { listPayIns } from '#functions/pay-ins/list/handler.ts';
import { ListPayouts } from '#functions/payouts/list/contract.ts';
import { listPayouts } from '#functions/payouts/list/handler.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { fc } from '../support/properties.ts';
import { caller } from '../support/api.ts';
import { accountElsewhere, bankWorld, noon, payInBody, payoutBody, receiver } from '../support/bank-world.ts';
import { openCompany, walkPages } from '../support/listings.ts';
import { onEveryStore } from '../support/stores.ts';
import { each } from '#test/support/each.ts';
import { refused } from '#test/support/refusals.ts';

type Kind = 'PAY_IN' | 'PAYOUT';
/** A record of the API, by what it can be listed. */
type Listed = {
  readonly id: string;
  readonly status: string;
  readonly externalId: string;
  readonly createdAt: string;
  readonly endToEndId?: string;
  readonly batch?: { readonly transactions: readonly { readonly endToEndId: string }[] };
};
type Known = { readonly accountId: string; readonly record: Listed };
type Query = Readonly<Record<string, string>>;

const anyOrder = fc.record({
  account: fc.nat(1),
  // Few moments, so that several orders share one: the id makes the order total.
  second: fc.nat(3),
  form: fc.constantFrom('PIX', 'TED', 'BATCH'),
  moves: fc.constantFrom<readonly string[]>([], ['PAID'], ['CANCELED'], ['ERROR'], ['PAID', 'REFUNDED']),
});

async function ordersWorld(store: Store, kind: Kind) {
  const companyId = await openCompany(store);
  const world = bankWorld({ wrap: () => store, seed: companyId });
  const accounts = [randomUUID(), randomUUID()] as const;
  for (const id of accounts) await world.openAccount(1_000_000_000, { id, companyId });
  const listing = {
    PAY_IN: caller(ListPayIns, listPayIns, { store }),
    PAYOUT: caller(ListPayouts, listPayouts, { store }),
  }[kind];
  const bodyOf = (form: string, accountId: string) => {
    if (kind === 'PAY_IN') return payInBody({ accountId, externalId: `#${randomUUID()}#é` });
    if (form === 'TED')
      return payoutBody({ accountId, paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere }, receiver });
    return payoutBody({ accountId, ...(form === 'BATCH' && { amount: { currency: 'BRL', value: '40000.00' } }) });
  };
  const make = async ({ account, second, form, moves }: typeof anyOrder extends fc.Arbitrary<infer T> ? T : never) => {
    world.clock.now = plusSeconds(noon, second);
    const accountId = accounts[account === 0 ? 0 : 1];
    const create = kind === 'PAY_IN' ? world.createPayIn : world.createPayout;
    const created = await create({ companyId, key: randomUUID(), body: bodyOf(form, accountId) });
    const { id } = created.body as Listed;
    for (const status of moves) await world.force(id, status, companyId);
    const get = kind === 'PAY_IN' ? world.getPayIn : world.getPayout;
    const { qrcodeImageBase64: _image, ...record } = (await get({ companyId, params: { id } })).body as Listed &
      Partial<Record<'qrcodeImageBase64', string>>;
    return { accountId, record };
  };
  const page =
    (query: Query, company = companyId) =>
    async (cursor: string | undefined) => {
      const { status, body, text } = await listing({
        companyId: company,
        query: { ...query, ...(cursor && { cursor }) },
      });
      expect(status, text).toBe(200);
      const { data, ...rest } = body as { data: Listed[]; hasNext: boolean; nextCursor: string | null };
      return { ...rest, data, ids: data.map(({ id }) => id) };
    };
  return { companyId, accounts, make, page, listing };
}

/** Filter, then sort: what a list has to be, whatever its limit. */
function expected(known: readonly Known[], query: Query): string[] {
  const { accountId, status, externalId, endToEndId, createdFrom = '', createdTo = '~' } = query;
  const found = known
    .filter((one) => accountId === undefined || one.accountId === accountId)
    .map(({ record }) => record)
    .filter((one) => status === undefined || one.status === status)
    .filter((one) => externalId === undefined || one.externalId === externalId)
    .filter(
      ({ batch, ...one }) =>
        endToEndId === undefined ||
        [one, ...(batch?.transactions ?? [])].some((payment) => payment.endToEndId === endToEndId),
    )
    .filter((one) => one.createdAt >= createdFrom && one.createdAt < createdTo)
    .toSorted((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1))
    .map(({ id }) => id);
  return query['sort'] === 'asc' ? found : found.toReversed();
}

function queriesFor(known: readonly Known[], accounts: readonly string[]): readonly Query[] {
  const [first] = known;
  const own: readonly Query[] = known.flatMap(({ accountId, record }): Query[] => {
    const { externalId, endToEndId, batch, status } = record;
    const endToEndIds = [endToEndId, batch?.transactions.at(-1)?.endToEndId].filter((one) => one !== undefined);
    return [{ externalId, accountId, status }, ...endToEndIds.map((number): Query => ({ endToEndId: number }))];
  });
  const statuses = ['PENDING', 'PAID', 'CANCELED', 'ERROR'];
  const [one = '', two = ''] = accounts;
  const times: Query & Record<'createdFrom' | 'createdTo', string> = {
    createdFrom: plusSeconds(noon, 1),
    createdTo: plusSeconds(noon, 3),
  };
  return [
    {},
    { accountId: one },
    times,
    { ...times, accountId: two, sort: 'asc' },
    ...statuses.flatMap((status): Query[] => [{ status }, { status, accountId: two, ...times }]),
    { createdFrom: times.createdTo, createdTo: times.createdFrom },
    { externalId: 'nobody' },
    { endToEndId: 'E9999900420260115150000000000000' },
    ...(first === undefined ? [] : [{ externalId: first.record.externalId, status: 'CANCELED' }]),
    ...own,
  ];
}

onEveryStore((store) => {
  it.each(['PAY_IN', 'PAYOUT'] as const)(
    'a list of %s orders has exactly the filtered, sorted ones on its pages, and none for another company',
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyOrder, { maxLength: 7 }),
          fc.integer({ min: 1, max: 100 }),
          async (given, most) => {
            const { make, page, accounts } = await ordersWorld(store(), kind);
            const stranger = await openCompany(store());
            const known: Known[] = [];
            for (const one of given) known.push(await make(one));
            for (const query of each(queriesFor(known, accounts))) {
              const wanted = expected(known, query);
              for (const limit of [1, most]) {
                const pages = await walkPages(page({ ...query, limit: String(limit) }));
                expect(pages.flat(), JSON.stringify(query)).toEqual(wanted);
                expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
              }
              const turned = { ...query, sort: query['sort'] === 'asc' ? 'desc' : 'asc', limit: '2' };
              expect((await walkPages(page(turned))).flat()).toEqual(wanted.toReversed());
              expect((await page(query, stranger)(undefined)).ids).toEqual([]);
            }
            const { data } = await page({ limit: '100' })(undefined);
            const records = new Map(known.map(({ record }) => [record.id, record]));
            for (const item of data) expect(item).toEqual(records.get(item.id));
          },
        ),
        { numRuns: 5 },
      );
    },
    60_000,
  );

  it.each(['PAY_IN', 'PAYOUT'] as const)('orders (%s) made during a walk leave out and double none', async (kind) => {
    const { make, page } = await ordersWorld(store(), kind);
    const order = { account: 0, form: 'PIX', moves: [] } as const;
    const before: string[] = [];
    for (let second = 0; second < 4; second += 1) before.push((await make({ ...order, second })).record.id);
    const late = [0, 1, 2, 3, 3, 0];
    const pages = await walkPages(async (cursor) => {
      const second = late.pop();
      if (second !== undefined) await make({ ...order, second });
      return page({ limit: '1' })(cursor);
    });
    const seen = pages.flat();
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => before.includes(id))).toEqual(before.toReversed());
  });

  it('a cursor of another company, filter, order or list is refused', async () => {
    const payIns = await ordersWorld(store(), 'PAY_IN');
    for (let second = 0; second < 3; second += 1)
      await payIns.make({ account: 0, second, form: 'PIX', moves: ['PAID'] });
    const { nextCursor } = await payIns.page({ status: 'PAID', limit: '1' })(undefined);
    const cursor = nextCursor ?? '';
    const payouts = caller(ListPayouts, listPayouts, { store: store() });
    const stranger = await openCompany(store());
    const refusals = await Promise.all([
      payIns.listing({ companyId: stranger, query: { status: 'PAID', limit: '1', cursor } }),
      payIns.listing({ companyId: payIns.companyId, query: { limit: '1', cursor } }),
      payIns.listing({ companyId: payIns.companyId, query: { status: 'PAID', sort: 'asc', cursor } }),
      payIns.listing({ companyId: payIns.companyId, query: { status: 'PAID', createdFrom: noon, cursor } }),
      payIns.listing({ companyId: payIns.companyId, query: { status: 'PAID', externalId: 'x', cursor } }),
      payouts({ companyId: payIns.companyId, query: { status: 'PAID', limit: '1', cursor } }),
    ]);
    for (const response of each(refusals)) refused(response, 400, ['cursor:INVALID_VALUE']);
  });
});
