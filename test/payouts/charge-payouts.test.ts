import { beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '#shared/accounts/model.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { readReceived } from '#shared/credits/received.ts';
import { applyPaymentStates } from '#shared/payouts/apply-state.ts';
import { readPayout } from '#shared/payouts/store.ts';
import { applyRefundState } from '#shared/refunds/apply-state.ts';
import { checkOrders } from '#test/model/orders-invariants.ts';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne, holder, payInBody, payoutBody, receiver } from '#test/support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';

const receiving = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const jose: Partial<Account> = { id: receiving, fullName: 'José', document: { type: 'CPF', number: '39053344705' } };
type CreatedOrder = { id: string; qrcodeData: string; endToEndId: string };

let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(2_000_000_00);
  await world.openAccount(0, jose);
});

let keys = 0;
const asked = (body: object) => ({ companyId: companyOne, key: `k-${(keys += 1)}`, body });
const money = (value: string) => ({ amount: { currency: 'BRL', value } });
const child = (id: string, sequence: number): string => id.slice(0, -2) + sequence.toString(16).padStart(2, '0');

async function charge(value = '25.00', more: object = {}): Promise<CreatedOrder> {
  const response = await world.createPayIn(asked(payInBody({ accountId: receiving, ...money(value), ...more })));
  expect(response.status).toBe(201);
  return response.body as CreatedOrder;
}

const pay = ({ qrcodeData }: CreatedOrder, value = '25.00', accountId = account) =>
  world.createPayout(asked(payoutBody({ accountId, paymentData: { qrcodeData }, ...money(value) })));

async function paying(payIn: CreatedOrder, value = '25.00', accountId = account): Promise<CreatedOrder> {
  const response = await pay(payIn, value, accountId);
  expect(response.status).toBe(201);
  return response.body as CreatedOrder;
}

const payInOf = async ({ id }: CreatedOrder) => (await world.getPayIn({ companyId: companyOne, params: { id } })).body;
const payoutOf = async ({ id }: CreatedOrder) =>
  (await world.getPayout({ companyId: companyOne, params: { id } })).body;
const available = async (accountId: string): Promise<unknown> =>
  ((await world.getBalance({ companyId: companyOne, params: { accountId } })).body as { available: string }).available;
const events = (): unknown[] => world.notifications().map(({ event }) => event);

describe('a payout of a pending charge of the company', () => {
  it('pays it together with itself: both statuses, both accounts, both notifications', async () => {
    const asking = await charge();
    const payout = await paying(asking);
    expect(await payInOf(asking)).toMatchObject({ status: 'PENDING' });
    await world.force(payout.id, 'PAID');
    expect(await payoutOf(payout)).toMatchObject({ status: 'PAID' });
    expect(await payInOf(asking)).toMatchObject({
      status: 'PAID',
      endToEndId: payout.endToEndId,
      paidAt: world.clock.now,
    });
    expect([await available(account), await available(receiving)]).toEqual(['1999975.00', '25.00']);
    expect(events().sort()).toEqual(['ORDER-PAYIN.PAID', 'ORDER-PAYOUT.PAID']);
    checkOrders(world.items());
  });

  it('is paid by who paid, not by who was expected', async () => {
    const asking = await charge();
    await world.force((await paying(asking)).id, 'PAID');
    const notification = world.notifications().find(({ event }) => event === 'ORDER-PAYIN.PAID');
    expect(notification).toMatchObject({ payer: { ...holder, bank: { ispb: '99999004', account: '1234567' } } });
    expect(JSON.stringify(notification)).not.toContain(receiver.name);
  });

  it('needs the charge’s amount, and another account than the one that gets it', async () => {
    const asking = await charge();
    refused(await pay(asking, '24.99'), 400);
    const own = await charge('25.00', { accountId: account });
    refused(await pay(own), 409, ['paymentData.qrcodeData:INVALID_VALUE']);
  });

  it.each(['ERROR', 'CANCELED'])('leaves the charge open when it becomes %s', async (status) => {
    const asking = await charge();
    await world.force((await paying(asking)).id, status);
    expect(await payInOf(asking)).toMatchObject({ status: 'PENDING' });
    expect(events()).toEqual([`ORDER-PAYOUT.${status}`]);
    checkOrders(world.items());
  });
});

describe('the refund of a charge that a payout of the company paid', () => {
  const booked = async (): Promise<number> =>
    Number(await available(account)) + Number(await available(receiving)) + (await reserved());
  const reserved = async (): Promise<number> => {
    const parts = await Promise.all(
      [account, receiving].map((accountId) => world.getBalance({ companyId: companyOne, params: { accountId } })),
    );
    return parts.reduce((sum, { body }) => sum + Number((body as { reserved: string }).reserved), 0);
  };
  const entry = () => world.items('LEDGER_ENTRY').filter(({ kind }) => kind === 'REFUND_RECEIVED');

  it.each(['that the partner requested', 'that the bank created'])(
    '%s is credited to the account that paid',
    async (which) => {
      const asking = await charge();
      await world.force((await paying(asking)).id, 'PAID');
      const total = await booked();
      if (which === 'that the partner requested') {
        const asked = { companyId: companyOne, params: { id: asking.id }, key: 'refund', body: {} };
        expect(await world.refundPayIn(asked)).toMatchObject({ status: 201 });
        await world.submitCommands();
        expect([await available(account), entry()]).toEqual(['1999975.00', []]);
      }
      await world.force(asking.id, 'REFUNDED');
      expect([await available(account), await available(receiving)]).toEqual(['2000000.00', '0.00']);
      expect(await booked()).toBe(total);
      expect(entry()).toMatchObject([{ accountId: account, orderId: asking.id, available: 25_00, reserved: 0 }]);
      checkOrders(world.items());
    },
  );

  it.each(['first as a return of the payout', 'first as a settlement of the refund'])(
    'is credited once when the bank reports it twice, %s',
    async (firstReported) => {
      const asking = await charge();
      const { id, endToEndId } = await paying(asking);
      await world.force(id, 'PAID');
      await world.refundPayIn({ companyId: companyOne, params: { id: asking.id }, key: 'refund', body: {} });
      const refundId = world.items('REFUND')[0]?.['id'] as string;
      const context = { ...world.deps, companyId: companyOne, at: world.clock.now, requestId: 'r' };
      const returned = { returnId: 'D'.padEnd(32, '0'), amount: centavos(25_00), at: world.clock.now };
      const state = { status: 'PAID', at: world.clock.now, endToEndId, returns: [returned] } as const;
      const settled = { status: 'SETTLED', at: world.clock.now, returnId: returned.returnId } as const;
      const asPayout = async () =>
        applyPaymentStates(context, (await readPayout(world.store, companyOne, id))!, [{ state }]);
      const asRefund = () => applyRefundState(context, { id: refundId, orderId: asking.id }, settled);
      const both = firstReported.includes('payout') ? [asPayout, asRefund] : [asRefund, asPayout];
      for (const report of [...both, ...both]) await report();
      expect([await available(account), await available(receiving)]).toEqual(['2000000.00', '0.00']);
      expect([world.items('REFUND')[0]?.['status'], await reserved()]).toEqual(['SETTLED', 0]);
      const mark = { accountId: account, amount: 25_00 };
      expect(await readReceived(world.store, companyOne, returned.returnId)).toMatchObject(mark);
    },
  );

  it('goes back as a whole when a batch paid it, to an account that was closed meanwhile too', async () => {
    const { id: payer } = await world.openAccount(40_000_00, { id: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc' });
    const asking = await charge('40000.00');
    await world.force((await paying(asking, '40000.00', payer)).id, 'PAID');
    await world.setAccountStatus('ACTIVE', 'CLOSED', payer);
    await world.force(asking.id, 'REFUNDED');
    expect([await available(payer), await available(receiving)]).toEqual(['40000.00', '0.00']);
    checkOrders(world.items());
  });

  it('leaves the money on the receiving account when it fails', async () => {
    const asking = await charge();
    await world.force((await paying(asking)).id, 'PAID');
    const body = { description: 'refused@bank.example' };
    await world.refundPayIn({ companyId: companyOne, params: { id: asking.id }, key: 'refused', body });
    expect([await available(account), await available(receiving), entry()]).toEqual(['1999975.00', '25.00', []]);
  });

  it('credits no account of the company when another payer had paid the charge', async () => {
    const asking = await charge();
    await world.force(asking.id, 'PAID');
    await world.force(asking.id, 'REFUNDED');
    expect([await available(account), entry()]).toEqual(['2000000.00', []]);
    checkOrders(world.items());
  });
});

describe('a payout of a charge that can no longer be paid', () => {
  it.each(['CANCELED', 'EXPIRED', 'PAID', 'ERROR'])(
    'fails with the reason when the charge became %s meanwhile',
    async (status) => {
      const asking = await charge();
      const payout = await paying(asking);
      await world.force(asking.id, status);
      const before = await available(receiving);
      expect(await world.force(payout.id, 'PAID')).toMatchObject({
        status: 200,
        body: { description: expect.stringContaining(`Payout ${payout.id}: status PENDING → ERROR. `) as string },
      });
      expect(await payoutOf(payout)).toMatchObject({
        status: 'ERROR',
        errorMessage: `BE17: The charge of the QR code is ${status} and can no longer be paid.`,
      });
      expect(await payInOf(asking)).toMatchObject({ status });
      expect(await available(receiving)).toBe(before);
      checkOrders(world.items());
    },
  );

  it('fails with the reason when the charge is past its expiry but not EXPIRED yet', async () => {
    const asking = await charge('25.00', { expiresInSeconds: 60 });
    const payout = await paying(asking);
    world.clock.now = '2026-01-15T15:01:00.000Z';
    await world.force(payout.id, 'PAID');
    expect(await payoutOf(payout)).toMatchObject({ status: 'ERROR', errorMessage: expect.stringContaining('EXPIRED') });
    await world.expirePayIns();
    expect(await payInOf(asking)).toMatchObject({ status: 'EXPIRED' });
    checkOrders(world.items());
  });

  it('fails with the reason when another payout pays the charge concurrently', async () => {
    const asking = await charge();
    const [one, other] = [await paying(asking), await paying(asking)];
    await Promise.all([world.force(one.id, 'PAID'), world.force(other.id, 'PAID')]);
    const statuses = [await payoutOf(one), await payoutOf(other)].map((body) => (body as { status: string }).status);
    expect(statuses.sort()).toEqual(['ERROR', 'PAID']);
    expect(await available(receiving)).toBe('25.00');
    checkOrders(world.items());
  });

  it.each(['CANCELED', 'EXPIRED', 'PAID', 'ERROR'])(
    'stays consistent with the charge when the charge becomes %s concurrently, in either order',
    async (status) => {
      for (const payoutFirst of [true, false]) {
        const asking = await charge();
        const payout = await paying(asking);
        const moves = [() => world.force(payout.id, 'PAID'), () => world.force(asking.id, status)];
        await Promise.all((payoutFirst ? moves : moves.reverse()).map((move) => move()));
        checkOrders(world.items());
      }
    },
  );
});

describe('a charge above the limit of one transaction', () => {
  it('is paid as a whole when the batch is, in one transaction of at most 100 writes', async () => {
    const asking = await charge('1350000.00');
    const payout = await paying(asking, '1350000.00');
    world.clock.now = plusSeconds(world.clock.now, 1);
    const write = world.store.write.bind(world.store);
    const sizes: number[] = [];
    world.store.write = (writes, token) => {
      sizes.push(writes.length);
      return write(writes, token);
    };
    expect(await world.force(payout.id, 'PAID')).toMatchObject({ status: 200 });
    expect(sizes).toEqual([100]);
    expect(await payInOf(asking)).toMatchObject({ status: 'PAID' });
    expect(await available(receiving)).toBe('1350000.00');
    checkOrders(world.items());
  });

  it('is paid with the last payment, payment by payment', async () => {
    const asking = await charge('40000.00');
    const payout = await paying(asking, '40000.00');
    for (const sequence of [2, 3]) await world.force(child(payout.id, sequence), 'PAID');
    expect(await payInOf(asking)).toMatchObject({ status: 'PENDING' });
    expect(await available(receiving)).toBe('0.00');
    await world.force(child(payout.id, 1), 'PAID');
    expect(await payInOf(asking)).toMatchObject({ status: 'PAID' });
    expect(await available(receiving)).toBe('40000.00');
    checkOrders(world.items());
  });

  it.each(['ERROR', 'PAID'])(
    'is not PAID, and its paid part stays credited, when the rest of the payout is forced to %s',
    async (last) => {
      const asking = await charge('40000.00');
      const payout = await paying(asking, '40000.00');
      await world.force(child(payout.id, 1), 'PAID');
      if (last === 'PAID') await world.force(asking.id, 'CANCELED');
      await world.force(payout.id, last);
      expect(await payoutOf(payout)).toMatchObject({ status: 'PARTIALLY_PAID', batch: { paidAmount: '15000.00' } });
      expect(await payInOf(asking)).toMatchObject({ status: last === 'PAID' ? 'CANCELED' : 'PENDING' });
      expect(await available(receiving)).toBe('15000.00');
      checkOrders(world.items());
    },
  );
});
