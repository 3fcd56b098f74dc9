import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { listEntries } from '#functions/accounts/list-entries/handler.ts';
import { ListStatementRoots } from '#functions/accounts/list-roots/contract.ts';
import { listRoots } from '#functions/accounts/list-roots/handler.ts';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { listAccounts } from '#functions/accounts/list/handler.ts';
import { ListCredits } from '#functions/credits/list/contract.ts';
import { listCredits } from '#functions/credits/list/handler.ts';
import { ListDisputes } from '#functions/disputes/list/contract.ts';
import { listDisputes } from '#functions/disputes/list/handler.ts';
import { ForceDisputeStatus } from '#functions/order-tools/force-dispute-status/contract.ts';
import { forceDisputeStatus } from '#functions/order-tools/force-dispute-status/handler.ts';
import { ListPayIns } from '#functions/pay-ins/list/contract.ts';
import { listPayIns } from '#functions/pay-ins/list/handler.ts';
import { ReceiveCredit } from '#functions/order-tools/receive-credit/contract.ts';
import { receiveCredit } from '#functions/order-tools/receive-credit/handler.ts';
import { ListPayouts } from '#functions/payouts/list/contract.ts';
import { listPayouts } from '#functions/payouts/list/handler.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { createKey } from '#functions/pix-keys/create/handler.ts';
import { ListKeys } from '#functions/pix-keys/list/contract.ts';
import { listKeys } from '#functions/pix-keys/list/handler.ts';
import { routes } from '#functions/routes.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { listScheduledPayments } from '#functions/scheduled-payments/list/handler.ts';
import { ListSubscriptions } from '#functions/subscriptions/list/contract.ts';
import { listSubscriptions } from '#functions/subscriptions/list/handler.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { listDeliveries } from '#functions/webhooks/list-deliveries/handler.ts';
import { ListEndpoints } from '#functions/webhooks/list-endpoints/contract.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { deliveryItem, parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { pageRequest } from '#shared/platform/http/page.ts';
import type { Item } from '#shared/platform/table/store.ts';
import type { Answer } from '../support/api.ts';
import { caller } from '../support/api.ts';
import { account, companyOne, noon, payInBody, payoutBody } from '../support/bank-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { each } from '../support/each.ts';
import { walkPages } from '../support/listings.ts';
import { fc } from '../support/properties.ts';
import { putRoots } from '../support/put-roots.ts';
import { refused } from '../support/refusals.ts';
import { compositeBody, subscriptionBody } from '../support/subscription-world.ts';

type Texts = Readonly<Record<string, string>>;
type Ask = (call: { readonly companyId: string; readonly params?: Texts; readonly query?: Texts }) => Promise<Answer>;
type Demand = (item: Item, value: string) => boolean;
type List = {
  readonly contract: Contract;
  readonly ask: Ask;
  readonly params?: Texts;
  /** What is stored, and by what its order goes. */
  readonly entity: string;
  readonly order?: string;
  readonly id?: string;
  /** What each filter of the contract demands of the stored item. */
  readonly demands: Readonly<Record<string, Demand>>;
};

const bare = (text: unknown): string => String(text).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
const text = (item: Item, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], item);
const readString = (item: Item, name: string): string => {
  const value = item[name];
  return typeof value === 'string' ? value : '';
};
const equal =
  (...path: readonly string[]): Demand =>
  (item, value) =>
    text(item, ...path) === value;
const contains =
  (...path: readonly string[]): Demand =>
  (item, value) =>
    bare(text(item, ...path)).includes(bare(value));
const since =
  (name: string): Demand =>
  (item, value) =>
    readString(item, name) >= value;
const before =
  (name: string): Demand =>
  (item, value) =>
    readString(item, name) < value;
const ofOrder = { status: equal('status'), externalId: equal('externalId') };

const elsewhere = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
let world: Awaited<ReturnType<typeof paymentWorld>>;
let lists: readonly List[];
beforeAll(async () => {
  world = await paymentWorld();
  await fill();
  const { deps } = world;
  const payments = (order: Item): readonly Item[] => world.items('PAYOUT_PAYMENT').filter(({ PK }) => PK === order.PK);
  lists = [
    {
      ...{ contract: ListAccounts, ask: caller(ListAccounts, listAccounts, deps), entity: 'ACCOUNT' },
      demands: {
        status: equal('status'),
        document: equal('document', 'number'),
        email: contains('email'),
        fullName: contains('fullName'),
      },
    },
    {
      ...{ contract: ListEntries, ask: caller(ListEntries, listEntries, deps), entity: 'LEDGER_ENTRY' },
      ...{ params: { accountId: account }, order: 'at' },
      demands: {
        type: equal('kind'),
        // An entry is not found by an order of another account.
        orderId: (item, value) =>
          item['orderId'] === value && !['PAYOUT_RECEIVED', 'REFUND_RECEIVED'].includes(readString(item, 'kind')),
        ...{ createdFrom: since('at'), createdTo: before('at') },
      },
    },
    {
      ...{ contract: ListStatementRoots, ask: caller(ListStatementRoots, listRoots, deps), entity: 'STATEMENT_ROOT' },
      ...{ order: 'minute', id: 'minute' },
      demands: {
        accountId: ({ minute, root }, value) =>
          world
            .items('CHAIN_INCLUSION')
            .some((item) => item.PK.includes(value) && item['minute'] === minute && item['root'] === root),
      },
    },
    {
      ...{ contract: ListPayIns, ask: caller(ListPayIns, listPayIns, deps), entity: 'PAY_IN' },
      demands: {
        ...{ ...ofOrder, accountId: equal('accountId'), endToEndId: equal('endToEndId') },
        ...{ createdFrom: since('createdAt'), createdTo: before('createdAt') },
      },
    },
    {
      ...{ contract: ListCredits, ask: caller(ListCredits, listCredits, deps), entity: 'CREDIT', order: 'receivedAt' },
      demands: {
        ...{ status: equal('status'), accountId: equal('accountId') },
        ...{ orderId: equal('orderId'), endToEndId: equal('endToEndId') },
        ...{ createdFrom: since('receivedAt'), createdTo: before('receivedAt') },
      },
    },
    {
      ...{ contract: ListDisputes, ask: caller(ListDisputes, listDisputes, deps), entity: 'DISPUTE' },
      demands: {
        ...{ status: equal('status'), accountId: equal('accountId'), orderId: equal('orderId') },
        ...{ dueBefore: before('dueAt'), createdFrom: since('createdAt'), createdTo: before('createdAt') },
      },
    },
    {
      ...{ contract: ListPayouts, ask: caller(ListPayouts, listPayouts, deps), entity: 'PAYOUT' },
      demands: {
        ...{ ...ofOrder, accountId: equal('accountId') },
        endToEndId: (item, value) => [item, ...payments(item)].some(({ endToEndId }) => endToEndId === value),
        ...{ createdFrom: since('createdAt'), createdTo: before('createdAt') },
      },
    },
    {
      ...{ contract: ListSubscriptions, ask: caller(ListSubscriptions, listSubscriptions, deps) },
      ...{ entity: 'SUBSCRIPTION', demands: { ...ofOrder, accountId: equal('receiver', 'id') } },
    },
    {
      ...{ contract: ListScheduledPayments, ask: caller(ListScheduledPayments, listScheduledPayments, deps) },
      ...{ params: { id: world.subscriptionId }, entity: 'SCHEDULED_PAYMENT', order: 'dueDate', demands: {} },
    },
    {
      ...{ contract: ListKeys, ask: caller(ListKeys, listKeys, deps), params: { accountId: account } },
      ...{ entity: 'KEY_VALIDATION', id: 'validationId', demands: {} },
    },
    {
      ...{ contract: ListDeliveries, ask: caller(ListDeliveries, listDeliveries, deps), entity: 'DELIVERY' },
      demands: {
        ...{ status: equal('status'), event: equal('event'), resourceId: equal('resource', 'id') },
        createdAfter: (item, value) => readString(item, 'createdAt') > value,
        open: (item) => ['FAILED', 'HELD'].includes(readString(item, 'status')) && item['closedAt'] === undefined,
      },
    },
  ];
});

/** Money that no charge expects, to the key or to the code of a pay-in. */
const receive = async (place: { readonly accountId: string | undefined; readonly orderId: string | undefined }) =>
  idOf(
    await caller(
      ReceiveCredit,
      receiveCredit,
      world.deps,
    )({ companyId: companyOne, body: { ...place, amount: { currency: 'BRL', value: '7.00' } } }),
  );

/** What a payer's bank says of a dispute. */
const claim = async (body: object) =>
  idOf(await caller(ForceDisputeStatus, forceDisputeStatus, world.deps)({ companyId: companyOne, body }));

/** Few moments, so that several things share one: the id makes the order total. */
async function fill(): Promise<void> {
  await world.openAccount(10_000_000, { id: elsewhere, fullName: 'Conceição Araújo', email: 'conceicao@example.com' });
  const { document } = { document: { type: 'CPF', number: '52998224725' } as const };
  for (const [place, fullName] of ['Zoë Núñez', 'Ana Araujo', 'Íris'].entries())
    await world.openAccount(0, {
      id: world.ids.uuid(),
      fullName,
      document,
      ...(place === 1 && { status: 'INACTIVE' }),
    });
  const payer = [account, elsewhere];
  for (let n = 0; n < 12; n += 1) {
    world.clock.now = plusSeconds(noon, Math.floor(n / 4));
    const accountId = payer[n % 2];
    const payIn = await world.createPayIn({ companyId: companyOne, key: `i${n}`, body: payInBody({ accountId }) });
    if (n % 3 > 0) await world.forceOrder(idOf(payIn), n % 3 === 1 ? 'PAID' : 'EXPIRED');
    const creditId = await receive({ accountId, orderId: n % 2 === 0 ? idOf(payIn) : undefined });
    const disputed = n % 3 === 1 ? { orderId: idOf(payIn) } : { creditId };
    const id = await claim({ ...disputed, status: 'OPEN' });
    if (n % 4 > 0) await claim({ id, status: n % 4 === 1 ? 'REJECTED' : 'DEFENDED' });
    const amount = { currency: 'BRL', value: n % 5 === 0 ? '30000.00' : '1.00' };
    const body = payoutBody({ accountId: elsewhere, amount });
    const payout = await world.createPayout({ companyId: companyOne, key: `o${n}`, body });
    if (n % 3 > 0) await world.forceOrder(idOf(payout), n % 3 === 1 ? 'PAID' : 'ERROR');
    const subscription = await world.created((n % 4 === 0 ? compositeBody : subscriptionBody)({ accountId }));
    if (n % 3 > 0) await world.forceSubscription(subscription.id, n % 3 === 1 ? 'ACCEPTED' : 'REJECTED');
    if (n < 6) await world.scheduled(paymentBody({ dueDate: `2026-0${n + 2}-15` }));
  }
  await putRoots(world.store, companyOne, [account, elsewhere]);
  const key = caller(CreateKey, createKey, world.deps);
  for (let n = 0; n < 3; n += 1)
    await key({
      ...{ companyId: companyOne, key: world.ids.uuid(), params: { accountId: account } },
      body: { type: 'EMAIL', key: `k${n}@example.com` },
    });
  const statuses = ['PENDING', 'DELIVERED', 'FAILED', 'HELD'] as const;
  for (const [place, item] of world.items('DELIVERY').entries()) {
    const status = statuses[place % statuses.length] ?? 'PENDING';
    // Of what failed or is held, some was taken since.
    const closed = place % 3 === 0 && (status === 'FAILED' || status === 'HELD') && { closedAt: world.clock.now };
    await world.store.write([{ put: deliveryItem({ ...parseDelivery(item), status, ...closed }) }], world.ids.uuid());
  }
}

function idOf({ body, text: response }: Answer): string {
  const { id } = body as { readonly id?: string };
  if (id === undefined) throw new Error(response);
  return id;
}

/** The names of the filters in a schema. */
function namesOf({ query }: Contract): readonly string[] {
  if (!(query instanceof z.ZodObject)) return [];
  // The last two say how an entry is written.
  const noFilters = ['limit', 'sort', 'cursor', 'format', 'proof'];
  return Object.keys(query.shape).filter((name) => !noFilters.includes(name));
}

const isList = ({ responses }: Contract): boolean => {
  const response = responses[200];
  return response instanceof z.ZodObject && 'nextCursor' in response.shape;
};

/** Values to look for: every one that is stored, beside some that nothing has. */
function valuesOf(stored: readonly Item[]): Readonly<Record<string, readonly string[]>> {
  const all = (...path: readonly string[]): string[] => [
    ...new Set(stored.map((item) => text(item, ...path)).filter((value) => typeof value === 'string')),
  ];
  const moments = [
    noon,
    plusSeconds(noon, 1),
    plusSeconds(noon, 2),
    '2026-01-01T00:00:00.000Z',
    '2027-01-01T00:00:00.000Z',
  ];
  const ids = [...world.items('PAYOUT_PAYMENT'), ...stored].map(({ endToEndId }) => endToEndId);
  return {
    status: all('status'),
    externalId: [...all('externalId').slice(0, 4), 'nothing'],
    accountId: [account, elsewhere, world.ids.uuid()],
    endToEndId: [...ids.filter((value) => typeof value === 'string').slice(0, 6), 'E00000000202601011200abcdefghijk'],
    event: [...all('event'), 'NO.EVENT'],
    resourceId: [...all('resource', 'id').slice(0, 5), world.ids.uuid()],
    type: all('kind'),
    orderId: [...all('orderId').slice(0, 12), world.ids.uuid()],
    document: [...all('document', 'number'), '11144477735'],
    email: ['EXAMPLE', 'conceicao', 'nobody'],
    fullName: ['araújo', 'NUNEZ', 'i', 'nobody'],
    createdFrom: moments,
    createdTo: moments,
    createdAfter: moments,
    dueBefore: [...moments, plusSeconds(noon, 7 * 86_400), plusSeconds(noon, 7 * 86_400 + 2)],
    open: ['true'],
  };
}

function expected({ entity, order = 'createdAt', params, demands }: List, query: Texts): readonly string[] {
  const isOfPath = (item: Item): boolean =>
    params === undefined ||
    Object.values(params).some((id) => [item['accountId'], item['subscriptionId']].includes(id));
  const found = world
    .items(entity)
    .filter(isOfPath)
    .filter((item) => Object.entries(query).every(([name, value]) => demands[name]?.(item, value) ?? true))
    .map((item) => ({ id: readString(item, order === 'minute' ? order : 'id'), at: readString(item, order) }));
  return found.toSorted((a, b) => (a.at + a.id < b.at + b.id ? -1 : 1)).map(({ id }) => id);
}

async function walked({ ask, params, id: name = 'id' }: List, query: Texts): Promise<readonly string[]> {
  const pages = await walkPages(async (cursor) => {
    const called = { companyId: companyOne, query: { ...query, ...(cursor !== undefined && { cursor }) } };
    const { status, body, text: response } = await ask({ ...called, ...(params && { params }) });
    expect(status, response).toBe(200);
    const { data, ...rest } = body as { data: Texts[]; hasNext: boolean; nextCursor: string | null };
    return { ...rest, ids: data.map((record) => record[name] ?? '') };
  });
  return pages.flat();
}

test('every list of the service is among those that are walked, with every filter that its schema has', () => {
  const known = [...lists.map(({ contract }) => contract), ListEndpoints];
  const ofService = routes.map(({ contract }) => contract).filter(isList);
  expect(ofService.map(({ operationId }) => operationId).toSorted()).toEqual(
    known.map(({ operationId }) => operationId).toSorted(),
  );
  for (const { contract, demands } of lists)
    expect(Object.keys(demands).toSorted(), contract.operationId).toEqual(namesOf(contract).toSorted());
  expect(namesOf(ListEndpoints)).toEqual([]);
});

test('a query with a filter that the list has no rule for is an error of the compiler', () => {
  const query: { readonly status?: string; readonly cursor?: string } = { status: 'PAID' };
  // @ts-expect-error: no rule of the list is called `status`.
  expect(pageRequest(query, {}).filters).toEqual({ status: 'PAID' });
  expect(pageRequest(query, { status: () => true }).filters).toEqual({ status: 'PAID' });
});

const names = [
  ...['listAccounts', 'listEntries', 'listPayIns', 'listPayouts', 'listSubscriptions'],
  ...['listScheduledPayments', 'listPixKeys', 'listWebhookDeliveries', 'listStatementRoots'],
];
const isSortable = ({ contract: { query } }: List): boolean => query instanceof z.ZodObject && 'sort' in query.shape;

describe('every page', () => {
  test.each(names)('has exactly the records that match each filter and all filters together, in %s', async (name) => {
    const list = lists.find(({ contract }) => contract.operationId === name);
    if (list === undefined) throw new Error(`No list is called ${name}.`);
    const values = valuesOf(world.items(list.entity));
    const filters = fc.record(
      Object.fromEntries(Object.keys(list.demands).map((one) => [one, fc.constantFrom(...(values[one] ?? []))])),
      { requiredKeys: [] },
    );
    const isSorted = isSortable(list);
    const sorts = isSorted ? fc.constantFrom('asc', 'desc') : fc.constant('desc');
    let matched = 0;
    const check = async (filterValues: Texts, sort: string, limit: number): Promise<void> => {
      const query = { ...filterValues, limit: String(limit), ...(isSorted && { sort }) };
      const found = expected(list, filterValues);
      matched += found.length;
      expect(await walked(list, query), JSON.stringify(query)).toEqual(sort === 'asc' ? found : found.toReversed());
    };
    for (const sort of isSorted ? ['asc', 'desc'] : ['desc']) {
      await check({}, sort, 3);
      for (const one of Object.keys(list.demands))
        for (const value of values[one] ?? []) await check({ [one]: value }, sort, 7);
    }
    await fc.assert(
      fc.asyncProperty(filters, sorts, fc.constantFrom(1, 3, 100), (filterValues, sort, limit) =>
        check(filterValues as Texts, sort, limit),
      ),
      { numRuns: 120 },
    );
    expect(matched).toBeGreaterThan(10);
  });

  test.each(names)('has a cursor that works only for the same list, order and filters, in %s', async (name) => {
    const list = lists.find(({ contract }) => contract.operationId === name)!;
    const values = valuesOf(world.items(list.entity));
    const ask = ({ ask: send, params }: List, query: Texts) =>
      send({ companyId: companyOne, query: { limit: '1', ...query }, ...(params && { params }) });
    const sort = (queriedList: List, order: string): Texts => (isSortable(queriedList) ? { sort: order } : {});
    const { body } = await ask(list, sort(list, 'asc'));
    const cursor = (body as { nextCursor: string }).nextCursor;
    expect(await ask(list, { ...sort(list, 'asc'), cursor })).toMatchObject({ status: 200 });
    const others = [
      ...(isSortable(list) ? [[list, { sort: 'desc' }] as const] : []),
      ...Object.keys(list.demands).map((one) => [list, { ...sort(list, 'asc'), [one]: values[one]![0]! }] as const),
      ...lists.filter((one) => one !== list).map((one) => [one, sort(one, 'asc')] as const),
      // The same list of another account or subscription.
      ...(list.params
        ? [
            [
              { ...list, params: Object.fromEntries(Object.keys(list.params).map((one) => [one, elsewhere])) },
              sort(list, 'asc'),
            ] as const,
          ]
        : []),
    ];
    for (const [otherList, query] of each(others))
      refused(await ask(otherList, { ...query, cursor }), 400, ['cursor:INVALID_VALUE']);
  });
});
