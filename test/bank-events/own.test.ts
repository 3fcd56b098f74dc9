import { expect, test } from 'vitest';
import { childOrderId } from '#shared/core/identifiers.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { findOwn } from '#shared/bank-events/own.ts';
import { bankWorld, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';

const e2e = (number: number): string => `E00000000202611250900${String(number).padStart(11, '0')}`;
const unknownIdOf = (number: number): string => number.toString(16).padStart(32, '0');

/** A company with one pay-in, and the batches of keys that its table was asked for. */
async function counted() {
  const world = bankWorld();
  await world.openAccount(100_000);
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: 'k' });
  const txid = (body as { id: string }).id.replaceAll('-', '');
  const batches: number[] = [];
  const store: typeof world.store = {
    ...world.store,
    read: (keys) => {
      batches.push(keys.length);
      return world.store.read(keys);
    },
  };
  return { store, txid, batches };
}

test('a true id among two thousand foreign ones is found by reads of a hundred keys, two keys an id at most', async () => {
  const { store, txid, batches } = await counted();
  const flood = Array.from({ length: 2000 }, (_, at): BankEvent => ({
    kind: 'PIX',
    endToEndId: e2e(at),
    txid: unknownIdOf(at),
  }));
  const own: BankEvent = { kind: 'PIX', endToEndId: e2e(9999), txid };
  expect([...(await findOwn(store, companyOne, [...flood, own]))]).toEqual([own]);
  expect(Math.max(...batches)).toBe(100);
  expect(batches.reduce((total, one) => total + one, 0)).toBe(2 * 2001);
});

test('ids of no form of ours cost no read', async () => {
  const { store, batches } = await counted();
  const events: readonly BankEvent[] = [
    { kind: 'PIX', endToEndId: e2e(1) },
    { kind: 'PIX', endToEndId: e2e(2), txid: 'X'.repeat(32) },
    { kind: 'PAYOUT', idEnvio: 'abc' },
  ];
  expect((await findOwn(store, companyOne, events)).size).toBe(0);
  expect(batches).toEqual([]);
});

test('a payment of a batch is the company’s own, by its own reference', async () => {
  const world = bankWorld();
  await world.openAccount(10_000_000);
  const { body } = await world.createPayout({
    ...{ companyId: companyOne, key: 'k' },
    body: payoutBody({ amount: { currency: 'BRL', value: '31000.00' } }),
  });
  const { id, batch } = body as { id: string; batch: { transactions: readonly unknown[] } };
  const events = batch.transactions.map((_one, at): BankEvent => {
    return { kind: 'PAYOUT', idEnvio: childOrderId(id, at + 1).replaceAll('-', '') };
  });
  expect(events).toHaveLength(3);
  expect([...(await findOwn(world.store, companyOne, events))]).toEqual(events);
});

test('an id of another company is a stranger, and one that is named twice is read once', async () => {
  const { store, txid, batches } = await counted();
  const events = (['PIX', 'RECURRING_CHARGE'] as const).map((kind): BankEvent => ({ kind, endToEndId: e2e(1), txid }));
  expect((await findOwn(store, '22222222-2222-4222-8222-222222222222', events)).size).toBe(0);
  expect(batches).toEqual([2]);
  expect((await findOwn(store, companyOne, events)).size).toBe(1);
});
