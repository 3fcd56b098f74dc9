import { beforeEach, describe, expect, it } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import type { Answer } from '#test/support/api.ts';
import type { World } from '#test/support/bank-world.ts';
import { account, accountElsewhere, bankWorld, companyOne, payoutBody, receiver } from '#test/support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';

type Batch = Record<string, unknown> & { transactions: { id: string; status: string }[] };
type Body = { id: string; status: string; endToEndId: string; batch: Batch };

let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(2_000_000_00);
});

async function create(value: string, more: Record<string, unknown> = {}, key = 'k'): Promise<Body> {
  const body = payoutBody({ amount: { currency: 'BRL', value }, ...more });
  const response = await world.createPayout({ companyId: companyOne, key, body });
  expect(response).toMatchObject({ status: 201 });
  return response.body as Body;
}

async function read(id: string): Promise<Body> {
  return (await world.getPayout({ companyId: companyOne, params: { id } })).body as Body;
}

async function balance(): Promise<unknown> {
  return (await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body;
}

const notifications = (): Record<string, unknown>[] => world.notifications();

const child = (id: string, sequence: number): string => id.slice(0, -2) + sequence.toString(16).padStart(2, '0');

describe('a PIX payout above the limit of one transaction', () => {
  it('has keys of up to 258 characters for its payments', async () => {
    const longest = 'k'.repeat(255);
    const { batch } = await create('1350000.00', {}, longest);
    const keys = batch.transactions.map((payment) => (payment as unknown as { idempotencyKey: string }).idempotencyKey);
    expect([keys[0], keys.at(-1), keys.length]).toEqual([longest, `${longest}-90`, 90]);
  });

  it('is answered with its batch', async () => {
    const { batch, ...payout } = await create('40000.00');
    expect(payout).toMatchObject({ status: 'PENDING', amount: '40000.00' });
    expect(batch).toEqual({
      id: payout.id,
      transactionsCount: 3,
      paidCount: 0,
      failedCount: 0,
      pendingCount: 3,
      paidAmount: '0.00',
      pendingAmount: '40000.00',
      transactions: [
        ['k', '15000.00'],
        ['k-2', '15000.00'],
        ['k-3', '10000.00'],
      ].map(([idempotencyKey, amount], index) => ({
        id: child(payout.id, index + 1),
        idempotencyKey,
        sequence: index + 1,
        amount,
        status: 'PENDING',
        endToEndId: expect.stringMatching(/^E99999004202601151500/),
      })),
    });
    const ids = world.items('PAYOUT_PAYMENT').map((item) => item['endToEndId']);
    expect(new Set(ids).size).toBe(3);
    expect(payout.endToEndId).toBe(ids[0]);
    expect(await balance()).toMatchObject({ available: '1960000.00', reserved: '40000.00' });
    expect(world.items('LEDGER_ENTRY')).toHaveLength(2);
  });

  it('is split, unlike a PIX payout of exactly the limit or a TED of any amount', async () => {
    expect(await create('15000.00')).not.toHaveProperty('batch');
    const paymentData = { bankAccount: accountElsewhere };
    const ted = payoutBody({
      amount: { currency: 'BRL', value: '900000.00' },
      paymentMethod: 'TED',
      paymentData,
      receiver: receiver,
    });
    const response = await world.createPayout({ companyId: companyOne, key: 'ted', body: ted });
    expect(response.status).toBe(201);
    expect(response.body).not.toHaveProperty('batch');
  });

  it('is split by the account’s own limit where it has one', async () => {
    const id = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
    await world.openAccount(1000_00, { id, pixTransactionLimit: centavos(100_00) });
    expect((await create('250.00', { accountId: id })).batch).toMatchObject({ transactionsCount: 3 });
  });

  it('can have 90 payments, which are created, settled and read as one payout', async () => {
    const { id, batch } = await create('1350000.00');
    expect(batch.transactions).toHaveLength(90);
    expect(batch.transactions.at(-1)).toMatchObject({ sequence: 90, idempotencyKey: 'k-90', id: child(id, 90) });
    expect(await world.force(id, 'PAID')).toMatchObject({ status: 200 });
    expect((await read(id)).batch).toMatchObject({ paidCount: 90, paidAmount: '1350000.00', pendingCount: 0 });
    expect(world.items('LEDGER_ENTRY')).toHaveLength(3);
    expect(notifications()).toHaveLength(1);
  });
});

describe('a batch', () => {
  it('shows what became of each payment', async () => {
    const { id } = await create('40000.00');
    world.clock.now = '2026-01-15T16:00:00.000Z';
    const response = await world.force(child(id, 2), 'PAID');
    expect(response).toMatchObject({ status: 200, body: { id: child(id, 2) } });
    const { batch, ...payout } = await read(id);
    expect(payout).toMatchObject({ status: 'PENDING', updatedAt: '2026-01-15T16:00:00.000Z' });
    expect(payout).not.toHaveProperty('paidAt');
    expect(batch).toMatchObject({ paidCount: 1, pendingCount: 2, paidAmount: '15000.00', pendingAmount: '25000.00' });
    expect(batch.transactions[1]).toMatchObject({ status: 'PAID', paidAt: '2026-01-15T16:00:00.000Z' });
    expect(await balance()).toMatchObject({ available: '1960000.00', reserved: '25000.00' });
    expect(notifications()).toEqual([]);
  });

  it.each([
    [['PAID', 'PAID', 'PAID'], 'PAID', 'ORDER-PAYOUT.PAID'],
    [['ERROR', 'ERROR', 'ERROR'], 'ERROR', 'ORDER-PAYOUT.ERROR'],
    [['CANCELED', 'CANCELED', 'CANCELED'], 'ERROR', 'ORDER-PAYOUT.ERROR'],
    [['CANCELED', 'ERROR', 'CANCELED'], 'ERROR', 'ORDER-PAYOUT.ERROR'],
    [['PAID', 'ERROR', 'PAID'], 'PARTIALLY_PAID', 'ORDER-PAYOUT.ERROR'],
  ])('with the payment outcomes %j becomes %s and sends one notification', async (moves, status, event) => {
    const { id } = await create('40000.00');
    for (const [index, move] of moves.entries()) {
      expect(notifications()).toEqual([]);
      expect(await world.force(child(id, index + 1), move)).toMatchObject({ status: 200 });
    }
    expect((await read(id)).status).toBe(status);
    expect(notifications()).toMatchObject([{ event, id }]);
    expect(await balance()).toMatchObject({ reserved: '0.00' });
    for (const one of [id, child(id, 1)])
      refused(await world.force(one, 'PAID'), 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  it('is notified with its message and counters, without its payments, when it was paid in part', async () => {
    const { id } = await create('40000.00');
    await world.force(child(id, 3), 'ERROR');
    await world.force(id, 'PAID');
    const [notification] = notifications();
    expect(notification).toMatchObject({
      event: 'ORDER-PAYOUT.ERROR',
      status: 'ERROR',
      type: 'PAY-OUT',
      paidAt: null,
      message: 'BRL 30000.00 was paid in 2 of 3 payments; BRL 10000.00 in 1 was not paid and is back in the account.',
      amount: { currency: 'BRL', value: '40000.00' },
    });
    expect(notification!['batch']).toEqual({
      id,
      transactionsCount: 3,
      paidCount: 2,
      failedCount: 1,
      pendingCount: 0,
      paidAmount: '30000.00',
      pendingAmount: '0.00',
    });
    expect((await read(id)) as unknown).toMatchObject({ errorMessage: notification!['message'] });
    expect(await balance()).toMatchObject({ available: '1970000.00', reserved: '0.00' });
  });

  it('has no payment beyond its last', async () => {
    const { id } = await create('40000.00');
    refused(await world.force(child(id, 4), 'PAID'), 404);
    refused(await world.force(child(id, 91), 'PAID'), 404);
  });

  it('becomes final once when its last payments settle concurrently', async () => {
    const { id } = await create('1350000.00');
    const responses: Answer[] = await Promise.all(
      Array.from({ length: 6 }, (_, index) => world.force(child(id, index + 1), index % 2 === 0 ? 'PAID' : 'ERROR')),
    );
    const moved = responses.filter(({ status }) => status === 200).length;
    expect((await read(id)).batch).toMatchObject({ pendingCount: 90 - moved });
    await Promise.all([world.force(id, 'PAID'), world.force(id, 'ERROR'), world.force(id, 'CANCELED')]);
    expect((await read(id)).batch).toMatchObject({ pendingCount: 0 });
    expect(notifications()).toHaveLength(1);
    expect(await balance()).toMatchObject({ reserved: '0.00' });
  });
});
