import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne, noon, payInBody, payoutBody } from '#test/support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { ledgerWrites } from '#shared/platform/ledger/ledger.ts';
import { keys } from '#shared/platform/table/keys.ts';

const count = 4;
let world: World;
let requests = 0;

beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_00);
  await world.setShards(count);
});

function pay(value: string) {
  requests += 1;
  const body = payoutBody({ externalId: `P-${requests}`, amount: { currency: 'BRL', value } });
  return world.createPayout({ companyId: companyOne, key: `key-${requests}`, body });
}

async function balance(): Promise<unknown> {
  return (await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body;
}

async function shards() {
  const items = await world.store.read(
    Array.from({ length: count }, (_, shard) => keys.balance(companyOne, account, shard)),
  );
  return items.map((item) => [item?.['available'], item?.['reserved']]);
}

async function statement(): Promise<readonly string[]> {
  const query = { sort: 'asc', limit: '100' };
  const page = await world.listEntries({ companyId: companyOne, params: { accountId: account }, query });
  return (page.body as { data: { type: string }[] }).data.map(({ type }) => type);
}

const idOf = ({ body }: { readonly body: unknown }): string => (body as { id: string }).id;

describe('payouts of an account whose balance has several shards', () => {
  it('take the whole balance, whichever shard each draws, and no more', async () => {
    for (let paid = 0; paid < 20; paid += 1) expect(await pay('5.00')).toMatchObject({ status: 201 });
    expect(await balance()).toMatchObject({ available: '0.00', reserved: '100.00' });
    expect(refused(await pay('0.01'), 409)).toMatchObject({ details: [{ issue: 'INSUFFICIENT_BALANCE' }] });
    const held = (await shards()).filter(([, reserved]) => reserved !== 0);
    expect(held.length).toBeGreaterThan(1);
  });

  it('give back and spend the money of the shard that reserved it', async () => {
    const ids: string[] = [];
    for (let paid = 0; paid < 8; paid += 1) ids.push(idOf(await pay('10.00')));
    for (const [place, id] of ids.entries()) await world.force(id, place % 2 === 0 ? 'PAID' : 'CANCELED');
    expect(await balance()).toMatchObject({ available: '60.00', reserved: '0.00' });
    expect((await shards()).map(([, reserved]) => reserved)).toEqual([0, 0, 0, 0]);
    const types = await statement();
    expect(types.filter((type) => type === 'PAYOUT_PAID' || type === 'PAYOUT_RETURNED')).toHaveLength(8);
    expect(types).toHaveLength(1 + 8 + 8);
  });

  it('are one payout of the whole balance, too', async () => {
    expect(await pay('40.00')).toMatchObject({ status: 201 });
    expect(await pay('60.00')).toMatchObject({ status: 201 });
    expect(await balance()).toMatchObject({ available: '0.00', reserved: '100.00' });
  });

  it('take from the first shard, and lift it, while fees of the bank have brought it below zero', async () => {
    const fee = { accountId: account, kind: 'BANK_FEE', available: centavos(-130_00), reserved: centavos(0) } as const;
    const credit = { ...fee, kind: 'PAY_IN', available: centavos(60_00), shard: 2 } as const;
    for (const [posting, at] of [
      [fee, plusSeconds(noon, 1)],
      [credit, plusSeconds(noon, 2)],
    ] as const)
      expect(await world.store.write(ledgerWrites(companyOne, { ...posting, at, entryId: at }), at)).toEqual({
        ok: true,
      });
    world.clock.now = plusSeconds(noon, 3);
    expect(refused(await pay('30.01'), 409)).toMatchObject({ details: [{ issue: 'INSUFFICIENT_BALANCE' }] });
    for (let paid = 0; paid < 3; paid += 1) expect(await pay('10.00')).toMatchObject({ status: 201 });
    expect(await balance()).toMatchObject({ available: '0.00', reserved: '30.00' });
    expect((await shards()).every(([available]) => Number(available) >= 0)).toBe(true);
  });

  it('are refused when the account is inactive, by any shard', async () => {
    await world.setAccountStatus('ACTIVE', 'INACTIVE');
    expect(refused(await pay('1.00'), 409)).toMatchObject({ details: [{ issue: 'INVALID_VALUE' }] });
  });

  it('show no shard in what the partner reads', async () => {
    for (let paid = 0; paid < 6; paid += 1) {
      const created = await pay('1.00');
      const read = await world.getPayout({ companyId: companyOne, params: { id: idOf(created) } });
      for (const { body } of [created, read]) expect(body).not.toHaveProperty('shard');
    }
  });

  it('use the money of pay-ins, which are credited to any shard, and refunds give it back', async () => {
    const created: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      const body = payInBody({ externalId: `I-${count}` });
      created.push(idOf(await world.createPayIn({ companyId: companyOne, key: `in-${count}`, body })));
    }
    for (const id of created) await world.force(id, 'PAID');
    expect(await balance()).toMatchObject({ available: '300.00' });
    expect((await shards()).filter(([available]) => available !== 0).length).toBeGreaterThan(2);
    for (const id of created) {
      const refund = { companyId: companyOne, key: `r-${id}`, params: { id }, body: {} };
      expect(await world.refundPayIn(refund)).toMatchObject({ status: 201 });
      await world.force(id, 'REFUNDED');
    }
    expect(await balance()).toMatchObject({ available: '100.00', reserved: '0.00' });
  });
});
