import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { brl } from '#shared/contract/examples.ts';
import { checkOrders } from '#test/model/orders-invariants.ts';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne, otherCompany, payInBody, payoutBody } from '#test/support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';

let world: World;
let id: string;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(0);
  id = await paid('first');
});

async function paid(key: string): Promise<string> {
  const created = (await world.createPayIn({ companyId: companyOne, key, body: payInBody() })).body as { id: string };
  await world.force(created.id, 'PAID');
  return created.id;
}

const ask = (key: string, value?: unknown) => {
  const body = value === undefined ? {} : { amount: { currency: 'BRL', value } };
  return world.refundPayIn({ companyId: companyOne, key, params: { id }, body });
};
const asked = async (key: string, value?: string): Promise<string> =>
  ((await ask(key, value)).body as { refundId: string }).refundId;
const record = async () => (await world.getPayIn({ companyId: companyOne, params: { id } })).body as object;
const refunds = async () =>
  ((await world.listRefunds({ companyId: companyOne, params: { id } })).body as { data: object[] }).data;
const balance = async () => {
  const { body } = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
  const { available, reserved } = body as { available: string; reserved: string };
  return [available, reserved];
};
const kinds = () => world.items('LEDGER_ENTRY').map(({ kind, available, reserved }) => [kind, available, reserved]);

describe('a refund of a part', () => {
  it('reserves its amount alone, whatever form the amount has', async () => {
    expect((await ask('r', 10.5)).body).toMatchObject({ amount: brl('10.50'), status: 'PENDING' });
    expect(await balance()).toEqual(['14.50', '10.50']);
  });

  it('a refund of a part leaves the pay-in PAID with refundedAmount when it settles, as its notification shows', async () => {
    const paidAt = world.clock.now;
    const refundId = await asked('r', '10.00');
    world.clock.now = plusSeconds(paidAt, 5);
    await world.force(refundId, 'REFUNDED');
    const shown = await record();
    expect(shown).toMatchObject({ status: 'PAID', refundedAmount: brl('10.00') });
    expect(shown).not.toHaveProperty('refundedAt');
    expect(world.notifications().at(-1)).toEqual({
      ...{ id, code: expect.any(String) as string, event: 'ORDER-PAYIN.REFUNDED', status: 'REFUNDED', type: 'REFUND' },
      ...{ refundId, paidAt, refundedAt: world.clock.now, updatedAt: world.clock.now, message: '' },
      endToEndId: expect.stringMatching(/^D/u) as string,
      ...{ amount: brl('10.00'), refundedAmount: brl('10.00'), orderStatus: 'PAID' },
    });
    expect(await balance()).toEqual(['15.00', '0.00']);
  });

  it('makes the pay-in REFUNDED when it is the last', async () => {
    await world.force(await asked('r1', '10.00'), 'REFUNDED');
    await world.force(await asked('r2'), 'REFUNDED');
    expect(await record()).toMatchObject({
      status: 'REFUNDED',
      refundedAmount: brl('25.00'),
      refundedAt: world.clock.now,
    });
    expect(world.notifications().at(-1)).toMatchObject({
      ...{ status: 'REFUNDED', amount: brl('15.00'), refundedAmount: brl('25.00'), orderStatus: 'REFUNDED' },
    });
    expect(await balance()).toEqual(['0.00', '0.00']);
  });

  it('may be open beside others, and each ends by itself, in any order', async () => {
    const inTurn = (key: string, value: string): Promise<string> => {
      world.clock.now = plusSeconds(world.clock.now, 1);
      return asked(key, value);
    };
    const [first, second, third] = [await inTurn('r1', '5.00'), await inTurn('r2', '6.00'), await inTurn('r3', '7.00')];
    expect(await balance()).toEqual(['7.00', '18.00']);
    await world.force(second, 'REFUNDED');
    await world.force(first, 'REFUNDED');
    expect(await refunds()).toMatchObject([
      { refundId: third, status: 'PENDING', amount: brl('7.00') },
      { refundId: second, status: 'SETTLED', amount: brl('6.00') },
      { refundId: first, status: 'SETTLED', amount: brl('5.00') },
    ]);
    expect(await balance()).toEqual(['7.00', '7.00']);
    refused(await world.force(second, 'REFUNDED'), 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  it('is 409 LIMIT_EXCEEDED when it is more than what is left', async () => {
    await ask('r1', '20.00');
    refused(await ask('r2', '5.01'), 409, ['amount:LIMIT_EXCEEDED']);
    expect((await ask('r3', '5.00')).status).toBe(201);
    refused(await ask('r4'), 409, ['amount:LIMIT_EXCEEDED']);
  });

  it('gets the last centavo once when many ask for it at the same time', async () => {
    for (const key of ['a', 'b', 'c']) await paid(key);
    await ask('r', '24.99');
    const responses = await Promise.all(Array.from({ length: 10 }, (_, place) => ask(`last-${place}`, '0.01')));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    expect(await balance()).toEqual(['75.00', '25.00']);
  });

  it('a refund gives its amount back when it fails, and its notification has the amount and the pay-in as PAID', async () => {
    await world.force(await asked('r1', '5.00'), 'REFUNDED');
    const body = { amount: { currency: 'BRL', value: '7.00' }, description: 'refused@bank.example' };
    await world.refundPayIn({ companyId: companyOne, key: 'r2', params: { id }, body });
    expect(world.notifications().at(-1)).toMatchObject({
      ...{ event: 'ORDER-PAYIN.REFUND_FAILED', status: 'FAILED', refundedAt: null, endToEndId: null },
      ...{ amount: brl('7.00'), refundedAmount: brl('5.00'), orderStatus: 'PAID' },
    });
    expect(await balance()).toEqual(['20.00', '0.00']);
    expect((await ask('r3', '20.00')).status).toBe(201);
  });

  it.each([0, '0.00', '-1.00', '1.001', '25.00 '])('is 400 when its amount is %j', async (value) => {
    refused(await ask('r', value), 400, ['amount.value:INVALID_FORMAT']);
  });

  it('is 422 under a key that another amount has used', async () => {
    await ask('r', '5.00');
    refused(await ask('r', '5.01'), 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
    expect((await ask('r', '5.00')).headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });
});

describe('the tool REFUNDED on a pay-in with open parts', () => {
  it('returns what is left, settles them all, and notifies each once', async () => {
    const open = [await asked('r1', '5.00'), await asked('r2', '6.00')];
    const before = world.notifications().length;
    expect((await world.force(id, 'REFUNDED')).status).toBe(200);
    const told = world.notifications().slice(before);
    expect(told.map(({ amount }) => amount)).toEqual([brl('14.00'), brl('5.00'), brl('6.00')]);
    expect(told.map(({ orderStatus }) => orderStatus)).toEqual(['PAID', 'PAID', 'REFUNDED']);
    expect(told.slice(1).map(({ refundId }) => refundId)).toEqual(open);
    expect(await record()).toMatchObject({ status: 'REFUNDED', refundedAmount: brl('25.00') });
    expect(await balance()).toEqual(['0.00', '0.00']);
    expect(kinds().slice(-3)).toEqual([
      ['REFUND', -1400, 0],
      ['REFUND_SETTLED', 0, -500],
      ['REFUND_SETTLED', 0, -600],
    ]);
  });

  it('the tool changes no record when the account cannot pay what is left', async () => {
    await ask('r1', '5.00');
    await world.createPayout({ companyId: companyOne, key: 'p', body: payoutBody() });
    const before = world.items();
    refused(await world.force(id, 'REFUNDED'), 409, ['amount:INSUFFICIENT_BALANCE']);
    expect(world.items()).toEqual(before);
  });
});

describe('the tool on the id of a refund', () => {
  it('is 404 for an unknown refund and for one of another company', async () => {
    const refundId = await asked('r', '5.00');
    refused(await world.force('f'.repeat(32), 'REFUNDED'), 404);
    refused(await world.force(refundId, 'REFUNDED', otherCompany), 404);
  });

  it('takes the id in capitals, and no status but REFUNDED', async () => {
    const refundId = await asked('r', '5.00');
    const other = await world.force(refundId, 'PAID');
    refused(other, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(JSON.stringify(other.body)).toContain(
      'PAID is not allowed: the status is PENDING; allowed from it: REFUNDED.',
    );
    expect((await world.force(refundId.toUpperCase(), 'REFUNDED')).status).toBe(200);
  });
});

describe('a part of a charge that an own account paid', () => {
  it('returns to that account with its own amount', async () => {
    const payer = '0d9b5c4e-7a1f-4a53-9a0e-3f1a2b3c4d5e';
    await world.openAccount(10_000, { id: payer });
    const created = await world.createPayIn({ companyId: companyOne, key: 'own', body: payInBody() });
    const { id: charge, qrcodeData } = created.body as { id: string; qrcodeData: string };
    const body = payoutBody({ accountId: payer, paymentData: { qrcodeData }, amount: brl('25.00') });
    const payout = (await world.createPayout({ companyId: companyOne, key: 'pay', body })).body as { id: string };
    await world.force(payout.id, 'PAID');
    id = charge;
    await world.force(await asked('r1', '4.00'), 'REFUNDED');
    await world.force(id, 'REFUNDED');
    checkOrders(world.items());
    const received = world.items('LEDGER_ENTRY').filter(({ kind }) => kind === 'REFUND_RECEIVED');
    expect(received.map(({ accountId, available }) => [accountId, available])).toEqual([
      [payer, 400],
      [payer, 2100],
    ]);
  });
});
