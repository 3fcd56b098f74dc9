import { beforeEach, describe, expect, test } from 'vitest';
import type { Difference } from '../../infra/partner/reconciliation/differences.ts';
import { differencesOf } from '../../infra/partner/reconciliation/differences.ts';
import { readCompanyRecords } from '../../infra/partner/reconciliation/company-records.ts';
import type { Item } from '../../shared/persistence/store.ts';
import type { World } from '../support/bank-world.ts';
import { bankWorld, COMPANY, payInBody, payoutBody } from '../support/bank-world.ts';

const LATER = '2026-01-15T15:30:00.000Z';

/** What the command finds in these items, half an hour after noon. */
async function differences(items: readonly Item[], now = LATER): Promise<readonly Difference[]> {
  async function* all(): AsyncGenerator<Item> {
    yield* await Promise.resolve(items);
  }
  return differencesOf(await readCompanyRecords(all()), now);
}

/** A company with one order in every state that money can be in. */
async function livedIn(): Promise<World> {
  const world = bankWorld();
  await world.openAccount(10_000_000);
  let key = 0;
  const made = async (answer: Promise<{ status: number; body: unknown }>): Promise<string> => {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).toBe(201);
    return (body as { id: string }).id;
  };
  const asked = (body: object) => ({ companyId: COMPANY, body, key: `k-${(key += 1)}` });
  const payIn = () => made(world.createPayIn(asked(payInBody())));
  const payout = (value = '10.00') =>
    made(world.createPayout(asked(payoutBody({ amount: { currency: 'BRL', value } }))));
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
  await world.force(refunded, 'REFUNDED');
  const [, sent, failed] = [await payout(), await payout(), await payout()];
  await world.force(sent, 'PAID');
  await world.force(failed, 'ERROR');
  const [batch, whole] = [await payout('40000.00'), await payout('31000.00')];
  await world.force(`${batch.slice(0, -2)}01`, 'PAID');
  await world.force(whole, 'PAID');
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

  test('finds nothing where every change was one transaction', async () => {
    expect(await differences(items)).toEqual([]);
  });

  test('finds a balance that is not the sum of its entries, and one below zero', async () => {
    expect(await kinds(changed('BALANCE', { available: 1 }))).toEqual(['balance against ledger']);
    expect(await kinds(changed('BALANCE', { available: -1 }))).toEqual([
      'balance against ledger',
      'balance below zero',
    ]);
  });

  test('finds an order whose entry is missing', async () => {
    const lost = without('LEDGER_ENTRY', ({ kind }) => kind === 'PAYOUT_PAID');
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

  test('finds a batch that disagrees with its payments', async () => {
    const wrong = changed('PAYOUT_PAYMENT', { status: 'PAID' }, ({ status }) => status === 'PENDING');
    expect(await kinds(wrong)).toContain('order against ledger');
    const lost = without('PAYOUT_PAYMENT', ({ status }) => status === 'PENDING');
    expect(await kinds(lost)).toContain('batch amount against payments');
    const done = changed('PAYOUT', { status: 'PENDING' }, (item) => item['amount'] === 3_100_000);
    expect(await kinds(done)).toEqual(['batch status against payments']);
  });

  test('finds a status change that was never told, and one that was told twice', async () => {
    const told = (item: Item): boolean => item['event'] === 'ORDER-PAYIN.PAID';
    expect(await kinds(without('DELIVERY', told))).toEqual(['order against deliveries']);
    const twice = items.filter((item) => item['entity'] === 'DELIVERY' && told(item)).slice(0, 1);
    expect(await kinds([...items, ...twice])).toEqual(['order against deliveries']);
    const resent = twice.map((item) => ({ ...item, resendOf: 'another' }));
    expect(await kinds([...items, ...resent])).toEqual([]);
  });

  test('finds a delivery that nobody attempted for hours', async () => {
    const found = await differences(items, '2026-01-15T21:00:00.000Z');
    expect([...new Set(found.map(({ kind }) => kind))]).toEqual(['delivery overdue']);
  });

  test('names an item that cannot be read instead of ending', async () => {
    expect(await kinds(changed('BALANCE', { available: 'much' }))).toContain('corrupt item');
  });
});
