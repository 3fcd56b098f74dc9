import { beforeEach, describe, expect, test } from 'vitest';
import type { Difference } from '#infra/operator/reconciliation/differences.ts';
import { newRecords, sortInto } from '#infra/operator/reconciliation/company-records.ts';
import { reconcile } from '#infra/operator/reconciliation/reconcile.ts';
import { centavos, subtractCentavos } from '#shared/core/money.ts';
import { parseShard } from '#shared/platform/ledger/ledger.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { parseRefund } from '#shared/refunds/store.ts';
import type { Item, Value } from '#shared/platform/table/store.ts';
import { sources } from '../architecture/sources.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne, otherCompany, payInBody, payoutBody } from '../support/bank-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { testOperator } from './terminal.ts';

const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const later = '2026-01-15T15:30:00.000Z';

/** What the command finds in these items, half an hour after noon. */
async function differences(items: readonly Item[], now = later): Promise<readonly Difference[]> {
  return (await reconciled(items, now)).said;
}

async function reconciled(items: readonly Item[], now = later) {
  async function* all(): AsyncGenerator<Item> {
    yield* await Promise.resolve(items);
  }
  const printed: string[] = [];
  const asked = { companyId: undefined, unitsPerSecond: 100 };
  const foundDifferences = await reconcile({ itemsOf: all, now: () => now }, asked, (text) => printed.push(text));
  return { said: foundDifferences, told: printed };
}

/** A company with one order in every state that money can be in. */
async function livedIn(): Promise<World> {
  const world = bankWorld();
  await world.openAccount(20_000_000);
  let key = 0;
  const expectCreated = async (response: Promise<{ status: number; body: unknown }>): Promise<string> => {
    const { status, body } = await response;
    expect(status, JSON.stringify(body)).toBe(201);
    return (body as { id: string }).id;
  };
  const asked = (body: object) => ({ companyId: companyOne, body, key: `k-${(key += 1)}` });
  const payIn = () => expectCreated(world.createPayIn(asked(payInBody())));
  const payout = (value = '10.00') =>
    expectCreated(world.createPayout(asked(payoutBody({ amount: { currency: 'BRL', value } }))));
  const [, paid, refunding, refunded, returned] = [
    await payIn(),
    await payIn(),
    await payIn(),
    await payIn(),
    await payIn(),
  ];
  for (const id of [paid, refunding, refunded]) await world.force(id, 'PAID');
  await world.force(returned, 'CANCELED');
  await world.refundPayIn({ ...asked({}), params: { id: refunding } });
  const refused = { description: 'refused@bank.example' };
  for (let failure = 0; failure < 2; failure += 1)
    await world.refundPayIn({ ...asked(refused), params: { id: refunded } });
  await world.force(refunded, 'REFUNDED');
  // One part settles, one stays open.
  for (const value of ['4.00', '6.00']) {
    const part = await world.refundPayIn({ ...asked({ amount: { currency: 'BRL', value } }), params: { id: paid } });
    if (value === '4.00') await world.force((part.body as { refundId: string }).refundId, 'REFUNDED');
  }
  await world.createPayIn(asked(payInBody(refused)));
  const [, sent, failed] = [await payout(), await payout(), await payout()];
  await world.force(sent, 'PAID');
  await world.force(failed, 'ERROR');
  const [batch, whole] = [await payout('40000.00'), await payout('31000.00')];
  await world.force(`${batch.slice(0, -2)}01`, 'PAID');
  await world.force(whole, 'PAID');
  await world.openAccount(0, { id: other, document: { type: 'CPF', number: '39053344705' } });
  const to = (value: string) => ({ amount: { currency: 'BRL', value }, paymentData: { pixKey: '39053344705' } });
  for (const value of ['10.00', '40000.00']) {
    const id = await expectCreated(world.createPayout(asked(payoutBody(to(value)))));
    if (value === '40000.00') await world.force(`${id.slice(0, -2)}02`, 'ERROR');
    await world.force(id, 'PAID');
  }
  const charge = await world.createPayIn(asked(payInBody({ accountId: other })));
  const { id: own, qrcodeData } = charge.body as { id: string; qrcodeData: string };
  const value = { amount: { currency: 'BRL', value: '25.00' } };
  await world.force(
    await expectCreated(world.createPayout(asked(payoutBody({ paymentData: { qrcodeData }, ...value })))),
    'PAID',
  );
  await world.force(own, 'REFUNDED');
  return world;
}

describe('the reconciliation of a company', () => {
  let items: readonly Item[];
  beforeEach(async () => {
    items = (await livedIn()).items();
  });
  const without = (entity: string, more: (item: Item) => boolean = () => true): readonly Item[] => {
    const at = items.findIndex((item) => item['entity'] === entity && more(item));
    expect(at, `there is a ${entity}`).toBeGreaterThanOrEqual(0);
    return items.filter((_, index) => index !== at);
  };
  const changed = (entity: string, attributes: object, more: (item: Item) => boolean = () => true): readonly Item[] => {
    const rest = without(entity, more);
    const one = items.find((item) => !rest.includes(item));
    return [...rest, { ...one, ...attributes } as Item];
  };
  const kinds = async (some: readonly Item[]): Promise<readonly string[]> => [
    ...new Set((await differences(some)).map(({ kind }) => kind)),
  ];

  test('reports no difference when every change was one transaction', async () => {
    expect(await differences(items)).toEqual([]);
  });

  test('finds a balance that is not the sum of its entries, and one below zero', async () => {
    expect(await kinds(changed('BALANCE', { available: 1 }))).toEqual(['balance against ledger']);
    expect(await kinds(changed('BALANCE', { available: -1 }))).toEqual([
      'balance against ledger',
      'balance below zero',
    ]);
    expect(await differences(changed('BALANCE', { blocked: 5 }))).toMatchObject([
      { kind: 'balance against ledger', found: expect.stringContaining(', blocked 5') as string },
    ]);
    expect(await kinds(changed('BALANCE', { blocked: -1 }))).toContain('balance below zero');
  });

  test.each([
    ['BANK_FEE', []],
    ['MED_RETURNED', []],
    ['DEPOSIT', ['balance below zero']],
  ])('lets only what the bank has taken make a balance negative, and judges an entry of %s', async (kind, expected) => {
    const { accountId, available, updatedAt: at } = parseShard(items.find((one) => one['entity'] === 'BALANCE')!);
    const id = crypto.randomUUID();
    const taken = { id, accountId, kind, available: subtractCentavos(centavos(-19), available), reserved: 0, at };
    const entry = { ...keys.ledgerEntry(companyOne, accountId, at, id), entity: 'LEDGER_ENTRY', ...taken };
    const low = changed('BALANCE', { available: -19 }, (one) => one['accountId'] === accountId);
    expect(await kinds([...low, entry])).toEqual(expected);
  });

  test.each([
    ['PAY_IN', { endToEndId: 'E1' }, 'end-to-end id E1'],
    ['REFUND_RESERVED', { refundId: 'r' }, 'refund of order none'],
  ] as const)('finds an entry of %s that names what its order does not have', async (kind, more, found) => {
    const entry = changed('LEDGER_ENTRY', more, (one) => one['kind'] === kind);
    expect(await differences(entry)).toMatchObject([{ kind: 'entry against order', found }]);
  });

  test('finds an entry that names an order of another account', async () => {
    const paid = changed('LEDGER_ENTRY', { kind: 'PAYOUT_RETURNED_LATE' }, ({ kind }) => kind === 'PAYOUT_RECEIVED');
    expect(await kinds(paid)).toContain('entry against order');
  });

  test('compares no reference of an entry that an earlier release booked', async () => {
    const names = ['refundId', 'endToEndId', 'controlNumber', 'counterparty'];
    const earlier = items.map((item) => {
      const facts = Object.entries(item).filter(([name]) => item['entity'] !== 'LEDGER_ENTRY' || !names.includes(name));
      return { ...Object.fromEntries(facts), PK: item.PK, SK: item.SK };
    });
    expect(await differences(earlier)).toEqual([]);
  });

  test('finds an order whose entry is missing', async () => {
    const lost = without('LEDGER_ENTRY', ({ kind }) => kind === 'PAYOUT_PAID');
    expect(await kinds(lost)).toEqual(['balance against ledger', 'order against ledger']);
  });

  test('finds money that did not arrive at another account of the company', async () => {
    const lost = without('LEDGER_ENTRY', ({ kind }) => kind === 'PAYOUT_RECEIVED');
    expect(await kinds(lost)).toEqual(['balance against ledger', 'order against ledger']);
  });

  test('finds a refund that did not come back to the account of the company that had paid', async () => {
    const lost = without('LEDGER_ENTRY', ({ kind }) => kind === 'REFUND_RECEIVED');
    expect(await kinds(lost)).toEqual(['balance against ledger', 'order against ledger']);
  });

  test('finds an entry whose order is missing', async () => {
    expect(await kinds(without('PAY_IN', ({ status }) => status === 'PAID'))).toContain('entry without order');
  });

  test('finds a status that no entry explains', async () => {
    expect(await kinds(changed('PAY_IN', { status: 'PAID' }, ({ status }) => status === 'PENDING'))).toEqual([
      'order against ledger',
      'order against deliveries',
    ]);
  });

  test('finds a charge whose order is missing or of another amount, and an order whose charge did not settle', async () => {
    const world = await paymentWorld();
    const { id } = await world.scheduled(paymentBody());
    await world.forced(id, 'ACCEPTED', 'COMPLETED');
    await world.scheduled(paymentBody({ dueDate: '2026-02-20' }));
    items = world.items();
    expect(await differences(items)).toEqual([]);
    expect(await kinds(without('PAY_IN'))).toContain('charge against order');
    expect(await kinds(changed('SCHEDULED_PAYMENT', { amount: 1 }))).toEqual(['charge against order']);
    expect(await kinds(changed('SCHEDULED_PAYMENT', { status: 'ACCEPTED' }))).toEqual(['charge against order']);
    expect(await kinds(changed('SCHEDULED_PAYMENT', { orderId: 'another' }))).toEqual(['charge against order']);
  });

  test('finds a batch that disagrees with its payments', async () => {
    const wrong = changed('PAYOUT_PAYMENT', { status: 'PAID' }, ({ status }) => status === 'PENDING');
    expect(await kinds(wrong)).toContain('order against ledger');
    const lost = without('PAYOUT_PAYMENT', ({ status }) => status === 'PENDING');
    expect(await kinds(lost)).toContain('batch amount against payments');
    const done = changed('PAYOUT', { status: 'PENDING' }, (item) => item['amount'] === 3_100_000);
    expect(await kinds(done)).toEqual(['batch status against payments']);
  });

  test('finds a status change that has no notification, and one that has two', async () => {
    const isPaidEvent = (item: Item): boolean => item['event'] === 'ORDER-PAYIN.PAID';
    expect(await kinds(without('DELIVERY', isPaidEvent))).toEqual(['order against deliveries']);
    const twice = items.filter((item) => item['entity'] === 'DELIVERY' && isPaidEvent(item)).slice(0, 1);
    expect(await kinds([...items, ...twice])).toEqual(['order against deliveries']);
    const resent = twice.map((item) => ({ ...item, resendOf: 'another' }));
    expect(await kinds([...items, ...resent])).toEqual([]);
  });

  test('finds a failed refund when its notification or its ledger entry is missing', async () => {
    const untold = without('DELIVERY', (item) => item['event'] === 'ORDER-PAYIN.REFUND_FAILED');
    expect(await kinds(untold)).toEqual(['order against deliveries']);
    const kept = without('LEDGER_ENTRY', ({ kind }) => kind === 'REFUND_RETURNED');
    expect(await kinds(kept)).toEqual(['balance against ledger', 'order against ledger']);
  });

  test('finds a settled part when its notification, its entry or its record is missing', async () => {
    const { orderId, id } = parseRefund(items.find(({ entity, amount }) => entity === 'REFUND' && amount === 400)!);
    const about = items.find(({ entity, body }) => entity === 'DELIVERY_BODY' && JSON.stringify(body).includes(id));
    expect(await kinds(items.filter(({ PK, entity }) => entity !== 'DELIVERY' || PK !== about!.PK))).toEqual([
      'order against deliveries',
    ]);
    const kept = without('LEDGER_ENTRY', (entry) => entry['reserved'] === -400 && entry['orderId'] === orderId);
    expect(await kinds(kept)).toEqual(['balance against ledger', 'order against ledger']);
    expect(await kinds(without('REFUND', (item) => item['id'] === id))).toEqual([
      'order against ledger',
      'entry against order',
      'order against deliveries',
    ]);
  });

  test('finds a pending delivery when its attempt has been overdue for hours', async () => {
    const found = await differences(items, '2026-01-15T21:00:00.000Z');
    expect([...new Set(found.map(({ kind }) => kind))]).toEqual(['delivery overdue']);
  });

  test('reports an item when its entity is unknown', async () => {
    const stray = { PK: `C#${companyOne}#NEW#1`, SK: 'NEW', entity: 'NEW_KIND' };
    const unknownItem = { PK: 'ELSEWHERE', SK: 'X' };
    expect(await differences([...items, stray, unknownItem])).toMatchObject([
      { companyId: '-', kind: 'unknown item', found: 'ELSEWHERE X: undefined' },
      { companyId: companyOne, kind: 'unknown item', found: `C#${companyOne}#NEW#1 NEW: "NEW_KIND"` },
    ]);
  });

  const written = sources
    .filter(({ path }) => /^(shared\/|functions\/|infra\/operator\/(migration\/|status\/trail\.ts))/u.test(path))
    .flatMap(({ lines }) => [...lines.join('\n').matchAll(/\bentity: '([A-Z_]+)'/gu)].map(([, entity = '']) => entity));

  test('covers at least as many entities as the table has kinds of keys', () => {
    expect(new Set(written).size).toBeGreaterThanOrEqual(Object.keys(keys).length);
  });

  test.each(written)('knows items of the entity %s', (entity) => {
    const records = newRecords();
    sortInto({ PK: 'C#c', SK: 'x', entity }, records);
    expect(records.unknown).toEqual([]);
  });

  test('compares each company with its own items when one reading has several companies', async () => {
    const other = otherCompany;
    const ofOther = (value: Value) => (typeof value === 'string' ? value.replaceAll(companyOne, other) : value);
    const theirs = items.map(
      (item) => Object.fromEntries(Object.entries(item).map(([name, value]) => [name, ofOther(value)])) as Item,
    );
    expect(await differences([...items, ...theirs])).toEqual([]);
    const wrong = theirs.map((item) =>
      item['entity'] === 'BALANCE' && item['accountId'] === account ? { ...item, available: 1 } : item,
    );
    expect(await differences([...items, ...wrong])).toMatchObject([
      { companyId: other, kind: 'balance against ledger', id: account },
    ]);
  });

  // The same reading a moment after everything happened, each time with one part read before its change.
  test.each([
    ['its ledger entry', 'LEDGER_ENTRY', (item: Item) => item['kind'] === 'PAYOUT_PAID'],
    ['its order', 'PAY_IN', (item: Item) => item['status'] === 'PAID'],
    ['its refund', 'REFUND', (item: Item) => item['status'] === 'PENDING'],
    ['its notification', 'DELIVERY', () => true],
    ['a payment of its batch', 'PAYOUT_PAYMENT', () => true],
  ] as const)(
    'reports no difference when a record changed during the reading and %s is missing',
    async (_what, entity, one) => {
      const { said: foundDifferences, told: printed } = await reconciled(
        without(entity, one),
        '2026-01-15T15:00:59.000Z',
      );
      expect(foundDifferences).toEqual([]);
      expect(printed.join(' ')).toMatch(/Skipped \d+ more that differ, but changed meanwhile/u);
      expect((await reconciled(without(entity, one), '2026-01-15T15:01:01.000Z')).said.length).toBeGreaterThan(0);
    },
  );

  test('compares records that changed a moment ago when they agree', async () => {
    const { said, told } = await reconciled(items, '2026-01-15T15:00:01.000Z');
    expect(said).toEqual([]);
    expect(told.at(-1)).toMatch(/^Compared [1-9]\d* accounts, orders and scheduled payments\.$/u);
  });

  test('compares records of a simulated clock that is ahead', async () => {
    const clock = { ...keys.companyClock(companyOne), entity: 'CLOCK', offsetMs: 86_400_000 };
    const lost = without('LEDGER_ENTRY', ({ kind }) => kind === 'PAYOUT_PAID');
    const yesterday = '2026-01-14T15:02:00.000Z';
    expect((await reconciled([...lost, clock], yesterday)).said.length).toBeGreaterThan(0);
  });

  test('reports that nothing was compared when there is no account or order, or all of them changed', async () => {
    const company = items.filter((item) => item['entity'] === 'COMPANY');
    expect(await kinds(company)).toEqual(['nothing compared']);
    const changing = items.filter((item) => item['entity'] === 'LEDGER_ENTRY');
    expect((await reconciled(changing, '2026-01-15T15:00:01.000Z')).said.map(({ kind }) => kind)).toEqual([
      'nothing compared',
    ]);
  });

  test('reports an item that cannot be read, and continues', async () => {
    expect(await kinds(changed('BALANCE', { available: 'much' }))).toContain('corrupt item');
  });
});

test('the command fails when a company has nothing to compare, and ends with 0 when it has an account', async () => {
  const operator = testOperator();
  const { companyId = '' } = await operator.json('company:create', '--name', 'Loja');
  expect(await operator.run('reconcile', '--company', companyId)).toMatchObject({
    code: 1,
    out: expect.stringContaining('nothing compared'),
  });
  const holder = ['--name', 'Loja', '--document', '11.222.333/0001-81', '--email', 'a@example.com'];
  await operator.json('account:create', '--company', companyId, ...holder, '--phone', '+5511900000101');
  expect(await operator.run('reconcile', '--company', companyId)).toMatchObject({
    code: 0,
    out: 'No differences.',
    err: expect.stringContaining('Compared 1 accounts'),
  });
});
