import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '#shared/platform/table/store.ts';
import { checkOrders } from '#test/model/orders-invariants.ts';
import type { Answer } from '#test/support/api.ts';
import { payInBody, payoutBody } from '#test/support/bank-world.ts';
import type { TestEngine } from '#test/support/engine.ts';
import { startEngine } from '#test/support/engine.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { RaceWorld } from '#test/table/race-world.ts';
import { raceWorld } from '#test/table/race-world.ts';
import { isDue } from '#test/support/due.ts';

let engine: TestEngine;
let { world, companyId, accountId } = {} as RaceWorld;

beforeAll(async () => {
  engine = await startEngine();
});
afterAll(async () => {
  await engine.stop();
});

beforeEach(() => {
  ({ world, companyId, accountId } = raceWorld(engine));
});

async function itemsOfCompany(): Promise<Item[]> {
  const found: Item[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page = await engine.client.send(
      new ScanCommand({ TableName: engine.tableName, ...(from && { ExclusiveStartKey: from }) }),
    );
    found.push(...((page.Items ?? []) as Item[]));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return found
    .filter(({ PK }) => PK.startsWith(`C#${companyId}`) || PK.startsWith('CONTROL_NUMBER#'))
    .sort((one, other) => `${one.PK} ${one.SK}`.localeCompare(`${other.PK} ${other.SK}`));
}

async function checked(): Promise<Item[]> {
  const items = await itemsOfCompany();
  checkOrders(items);
  return items;
}

const itemsOf = (items: readonly Item[], entity: string): Item[] => items.filter((item) => item['entity'] === entity);
const open = (available: number) => world.openAccount(available, { id: accountId, companyId });
const create = (key: string, more: Record<string, unknown> = {}): Promise<Answer> =>
  world.createPayout({ companyId, key, body: payoutBody({ accountId, ...more }) });
const money = (value: string) => ({ amount: { currency: 'BRL', value } });
const child = (id: string, sequence: number): string => id.slice(0, -2) + sequence.toString(16).padStart(2, '0');

describe('on a real engine', () => {
  it('20 equal requests at once make one payout, and all get its answer', async () => {
    await open(100_000_00);
    const body = payoutBody({ accountId, ...money('40000.00') });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => world.createPayout({ companyId, key: 'k', body })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const items = await checked();
    expect(itemsOf(items, 'PAYOUT')).toHaveLength(1);
    expect(itemsOf(items, 'PAYOUT_PAYMENT')).toHaveLength(3);
  });

  it('10 payouts with the same receiver and amount at once are one at an account that refuses equal ones', async () => {
    await world.openAccount(100_000_00, { id: accountId, companyId, equalPayouts: 'REFUSED' });
    const responses = await Promise.all(Array.from({ length: 10 }, (_, place) => create(`equal-${place}`)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(9).fill(409)]);
    expect(itemsOf(await checked(), 'PAYOUT')).toHaveLength(1);
  });

  it('60 payouts at once take no more than the account has', async () => {
    await open(100_000_00);
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => create(`k-${index}`, money('9000.00'))),
    );
    const created = responses.filter(({ status }) => status === 201);
    expect(created).toHaveLength(11);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(itemsOf(await checked(), 'PAYOUT')).toHaveLength(11);
  });

  it('concurrent payouts, pay-ins and refunds of one account keep all invariants of orders and balance', async () => {
    await open(50_000_00);
    const payIns = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        world.createPayIn({ companyId, key: `i-${index}`, body: payInBody({ accountId }) }),
      ),
    );
    const ids = payIns.map(({ body }) => (body as { id: string }).id);
    await Promise.all([
      ...ids.map((id) => world.force(id, 'PAID', companyId)),
      ...Array.from({ length: 20 }, (_, index) => create(`k-${index}`, money('15000.01'))),
    ]);
    await Promise.all([
      ...ids.map((id, index) => world.refundPayIn({ companyId, key: `r-${index}`, params: { id }, body: {} })),
      ...ids.map((id) => world.force(id, 'REFUNDED', companyId)),
      ...ids.map((id, index) => world.refundPayIn({ companyId, key: `s-${index}`, params: { id }, body: {} })),
    ]);
    await checked();
  });

  it('a payout changes its status once when six final statuses are forced concurrently', async () => {
    await open(100_00);
    const { id } = (await create('k')).body as { id: string };
    const responses = await Promise.all(
      ['PAID', 'ERROR', 'CANCELED', 'PAID', 'ERROR', 'CANCELED'].map((status) => world.force(id, status, companyId)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(itemsOf(await checked(), 'DELIVERY')).toHaveLength(1);
  });

  it('a batch whose last payments move at once becomes final once', async () => {
    await open(100_000_00);
    const { id } = (await create('k', money('60000.00'))).body as { id: string };
    const moves = [1, 2, 3, 4].flatMap((sequence) => [
      world.force(child(id, sequence), 'PAID', companyId),
      world.force(child(id, sequence), 'ERROR', companyId),
    ]);
    const responses = await Promise.all(moves);
    expect(new Set(responses.map(({ status }) => status)).has(500)).toBe(false);
    await checked();
    await world.force(id, 'PAID', companyId);
    expect(itemsOf(await checked(), 'DELIVERY')).toHaveLength(1);
  });

  it('a batch of 90 is created, moved in part and moved as a whole, each in one transaction', async () => {
    await open(2_000_000_00);
    const created = await create('k', money('1350000.00'));
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    expect(await world.force(child(id, 90), 'ERROR', companyId)).toMatchObject({ status: 200 });
    expect(await world.force(id, 'PAID', companyId)).toMatchObject({ status: 200 });
    const items = await checked();
    expect(itemsOf(items, 'PAYOUT_PAYMENT')).toHaveLength(90);
    expect(itemsOf(items, 'DELIVERY')).toHaveLength(1);
    const read = await world.getPayout({ companyId, params: { id } });
    expect(read.body).toMatchObject({ status: 'PARTIALLY_PAID', batch: { paidCount: 89, failedCount: 1 } });
  });

  it('90 payments of one batch all become PAID when they are settled concurrently, with one notification', async () => {
    await open(2_000_000_00);
    const { id } = (await create('k', money('1350000.00'))).body as { id: string };
    const responses = await Promise.all(
      Array.from({ length: 90 }, (_, index) => world.force(child(id, index + 1), 'PAID', companyId)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(90).fill(200));
    const items = await checked();
    expect(itemsOf(items, 'PAYOUT')).toMatchObject([{ status: 'PAID', openPayments: 0 }]);
    expect(itemsOf(items, 'DELIVERY')).toHaveLength(1);
  });

  it('90 payments to another account of the company, settled at the same instant, all arrive', async () => {
    const sibling = randomIds.uuid();
    await open(2_000_000_00);
    await world.openAccount(0, { id: sibling, companyId, document: { type: 'CPF', number: '39053344705' } });
    const { id } = (await create('k', { ...money('1350000.00'), paymentData: { pixKey: '39053344705' } })).body as {
      id: string;
    };
    const responses = await Promise.all(
      Array.from({ length: 90 }, (_, index) => world.force(child(id, index + 1), 'PAID', companyId)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(90).fill(200));
    await checked();
    const { body } = await world.getBalance({ companyId, params: { accountId: sibling } });
    expect(body).toMatchObject({ available: '1350000.00' });
  });

  it('a charge and its payouts, moved to everything at once, end in one way that fits together', async () => {
    const sibling = randomIds.uuid();
    await open(2_000_000_00);
    await world.openAccount(0, { id: sibling, companyId });
    const charges = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        world.createPayIn({
          companyId,
          key: `i-${index}`,
          body: payInBody({ accountId: sibling, ...money('20000.00') }),
        }),
      ),
    );
    const createdCharges = charges.map(({ body }) => body as { id: string; qrcodeData: string });
    const paying = async ({ qrcodeData }: { qrcodeData: string }, key: string): Promise<string> => {
      const { status, body } = await create(key, { ...money('20000.00'), paymentData: { qrcodeData } });
      expect(status).toBe(201);
      return (body as { id: string }).id;
    };
    const payouts = await Promise.all(
      createdCharges.flatMap((one, at) => [paying(one, `p-${at}`), paying(one, `q-${at}`)]),
    );
    const ends = ['PAID', 'CANCELED', 'EXPIRED', 'ERROR'];
    const responses = await Promise.all([
      ...payouts.map((id) => world.force(id, 'PAID', companyId)),
      ...payouts.map((id) => world.force(child(id, 2), 'ERROR', companyId)),
      ...createdCharges.map(({ id }, at) => world.force(id, ends[at % ends.length]!, companyId)),
    ]);
    expect(responses.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
    await checked();
  });

  it('a charge is paid by a batch of 90 in one transaction', async () => {
    const sibling = randomIds.uuid();
    await open(2_000_000_00);
    await world.openAccount(0, { id: sibling, companyId });
    const body = payInBody({ accountId: sibling, ...money('1350000.00') });
    const { qrcodeData } = (await world.createPayIn({ companyId, key: 'i', body })).body as { qrcodeData: string };
    const { id } = (await create('k', { ...money('1350000.00'), paymentData: { qrcodeData } })).body as { id: string };
    expect(await world.force(id, 'PAID', companyId)).toMatchObject({ status: 200 });
    const items = await checked();
    expect(itemsOf(items, 'PAY_IN')).toMatchObject([{ status: 'PAID' }]);
    expect(itemsOf(items, 'DELIVERY')).toHaveLength(2);
  });

  it('a TED that waits is sent once by several runs at the same time', async () => {
    world.clock.now = '2026-01-17T15:00:00.000Z';
    await open(100_00);
    const bankAccount = { bankNumber: '341', accountType: 'CHECKING_ACCOUNT', branchNumber: '1', accountNumber: '2' };
    const receiver = { name: 'Maria', document: { type: 'CPF', number: '52998224725' } };
    const { id } = (await create('k', { paymentMethod: 'TED', paymentData: { bankAccount }, receiver })).body as {
      id: string;
    };
    const controlNumbers = new Set<string>();
    // The run goes through the companies of the other tests as well; they sent no TED.
    world.bank.payouts.send.submit = (instruction, asking) => {
      if (instruction.controlNumber !== undefined) controlNumbers.add(instruction.controlNumber);
      return world.simulated.payouts.send.submit(instruction, asking);
    };
    world.clock.now = '2026-01-19T09:30:00.000Z';
    await Promise.all([world.submitPayouts(), world.submitPayouts(), world.submitPayouts()]);
    const { controlNumber } = (await world.getPayout({ companyId, params: { id } })).body as { controlNumber: string };
    expect([...controlNumbers]).toEqual([controlNumber]);
    expect(isDue(itemsOf(await checked(), 'PAYOUT')[0])).toBe(false);
  });
});
