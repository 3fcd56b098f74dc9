import { beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '#shared/accounts/model.ts';
import { checkOrders } from '#test/model/orders-invariants.ts';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne, otherCompany, payoutBody } from '#test/support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';

const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const third = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc';
const heldByJose: Partial<Account> = {
  id: other,
  fullName: 'José Gonçalves',
  document: { type: 'CPF', number: '39053344705' },
  email: 'Jose@Example.com',
  phone: '+5511900000102',
  bankAccountData: {
    ispb: '60701190',
    branchNumber: '0012',
    accountNumber: '0034567-8',
    accountType: 'CHECKING_ACCOUNT',
    createdAt: '2026-01-02T00:00:00.000Z',
  },
  createdAt: '2026-01-02T00:00:00.000Z',
};
const jose = { name: 'José Gonçalves', document: heldByJose.document };
const byKey = (pixKey: string) => ({ paymentData: { pixKey } });
const atBank = { ispb: '60701190', accountType: 'CHECKING_ACCOUNT', branchNumber: '12', accountNumber: '345678' };
const keys = ['39053344705', 'jose@example.com', '+5511900000102', other] as const;

let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_000_00);
  await world.openAccount(0, heldByJose);
});

const create = (more: Record<string, unknown>, key = 'k') =>
  world.createPayout({ companyId: companyOne, key, body: payoutBody(more) });
const idOf = async (more: Record<string, unknown>, key = 'k'): Promise<string> => {
  const { status, body } = await create(more, key);
  expect(status).toBe(201);
  return (body as { id: string }).id;
};
const read = async (id: string): Promise<unknown> =>
  (await world.getPayout({ companyId: companyOne, params: { id } })).body;
const balance = async (accountId: string): Promise<unknown> =>
  (await world.getBalance({ companyId: companyOne, params: { accountId } })).body;
const money = (value: string) => ({ amount: { currency: 'BRL', value } });
const child = (id: string, sequence: number): string => id.slice(0, -2) + sequence.toString(16).padStart(2, '0');

describe('a payout to another account of the company', () => {
  it.each(keys)('names the holder of that account as its receiver when its key is %s', async (key) => {
    const id = await idOf(byKey(key));
    expect(world.items('PAYOUT')[0]).toMatchObject({ receiver: jose, internal: { accountId: other } });
    await world.force(id, 'PAID');
    expect(world.notifications()).toMatchObject([{ receiver: { ...jose, bank: { account: '0034567-8' } } }]);
    expect(world.notifications()[0]!['receiver']).not.toHaveProperty('accountId');
  });

  it.each(['PIX', 'TED'])(
    'credits that account when bank, branch and number are written in another way, by %s',
    async (paymentMethod) => {
      const id = await idOf({ paymentMethod, paymentData: { bankAccount: atBank }, receiver: jose });
      await world.force(id, 'PAID');
      expect(await balance(other)).toMatchObject({ available: '10.00' });
    },
  );

  it('credits it in the transaction in which it is paid, with its entry', async () => {
    const id = await idOf(byKey(other));
    expect(await balance(other)).toMatchObject({ available: '0.00' });
    await world.force(id, 'PAID');
    expect(await balance(account)).toMatchObject({ available: '99990.00', reserved: '0.00' });
    expect(await balance(other)).toMatchObject({ available: '10.00', reserved: '0.00' });
    expect(world.items('LEDGER_ENTRY').filter((entry) => entry['orderId'] === id)).toMatchObject([
      { kind: 'PAYOUT_RESERVED', accountId: account, available: -1000, reserved: 1000 },
      { kind: 'PAYOUT_PAID', accountId: account, available: 0, reserved: -1000 },
      { kind: 'PAYOUT_RECEIVED', accountId: other, available: 1000, reserved: 0 },
    ]);
    expect(world.items('DELIVERY')).toHaveLength(1);
    checkOrders(world.items());
  });

  it.each(['ERROR', 'CANCELED'])('does not credit that account when it becomes %s', async (status) => {
    await world.force(await idOf(byKey(other)), status);
    expect(await balance(account)).toMatchObject({ available: '100000.00' });
    expect(await balance(other)).toMatchObject({ available: '0.00' });
  });

  it('is paid to an account that was closed meanwhile', async () => {
    const id = await idOf(byKey(other));
    await world.setAccountStatus('ACTIVE', 'CLOSED', other);
    expect(await world.force(id, 'PAID')).toMatchObject({ status: 200 });
    expect(await balance(other)).toMatchObject({ available: '10.00' });
    checkOrders(world.items());
  });

  it('credits that account payment by payment when it was split', async () => {
    const id = await idOf({ ...byKey(other), ...money('40000.00') });
    await world.force(child(id, 1), 'PAID');
    expect(await balance(other)).toMatchObject({ available: '15000.00' });
    await world.force(child(id, 2), 'ERROR');
    expect(await balance(other)).toMatchObject({ available: '15000.00' });
    await world.force(id, 'PAID');
    expect(await balance(other)).toMatchObject({ available: '25000.00' });
    expect(await read(id)).toMatchObject({ status: 'PARTIALLY_PAID', batch: { paidAmount: '25000.00' } });
    checkOrders(world.items());
  });

  it('is settled once when it is forced several times concurrently', async () => {
    const id = await idOf(byKey(other));
    await Promise.all(['PAID', 'PAID', 'ERROR', 'PAID', 'CANCELED'].map((status) => world.force(id, status)));
    checkOrders(world.items());
    expect(world.items('DELIVERY')).toHaveLength(1);
  });
});

describe('a payout to the account that pays', () => {
  it.each(['11444777000161', 'contato@padaria.example', '+5511987654321', account])(
    'is refused with 409 when it names the account by %s',
    async (key) => {
      const before = world.items();
      refused(await create(byKey(key)), 409, ['paymentData.pixKey:INVALID_VALUE']);
      expect(world.items()).toEqual(before);
    },
  );

  it('is 409 by its number', async () => {
    const bankAccount = {
      ispb: '99999004',
      accountType: 'PAYMENT_ACCOUNT',
      branchNumber: '1',
      accountNumber: '123456-7',
    };
    const receiver = { name: 'Padaria', document: { type: 'CNPJ', number: '11444777000161' } };
    refused(await create({ paymentData: { bankAccount }, receiver }), 409, ['paymentData.bankAccount:INVALID_VALUE']);
  });
});

describe('a key that several accounts of the company share', () => {
  const receiverOf = async (key: string): Promise<unknown> => {
    const id = await idOf(byKey(key), `to ${key} ${world.items('PAYOUT').length}`);
    const payout = world.items('PAYOUT').find((item) => item['id'] === id);
    return (payout?.['internal'] as { accountId?: string } | undefined)?.accountId;
  };

  it('leads to the account that was opened first, whichever was written first', async () => {
    await world.openAccount(0, { ...heldByJose, id: third, createdAt: '2026-01-01T12:00:00.000Z' });
    for (const key of keys.slice(0, 3)) expect(await receiverOf(key)).toBe(third);
    expect(await receiverOf(other), 'its id is its own').toBe(other);
  });

  it('leads to the next account when that is closed, and to none of the company when all are', async () => {
    await world.openAccount(0, { ...heldByJose, id: third, createdAt: '2026-01-03T00:00:00.000Z' });
    expect(await receiverOf('jose@example.com')).toBe(other);
    await world.setAccountStatus('ACTIVE', 'CLOSED', other);
    expect(await receiverOf('jose@example.com')).toBe(third);
    await world.setAccountStatus('ACTIVE', 'INACTIVE', third);
    expect(await receiverOf('jose@example.com'), 'an inactive account receives').toBe(third);
    await world.setAccountStatus('INACTIVE', 'CLOSED', third);
    expect(await receiverOf('jose@example.com')).toBeUndefined();
    refused(await create(byKey(third), 'id'), 400, undefined, 'the random key of a closed account is deleted');
  });
});

describe('accounts of another company', () => {
  it.each(keys)(
    'are not found by %s: the receiver is a simulated owner, and the account is not credited',
    async (key) => {
      const otherCompanyWorld = bankWorld();
      await otherCompanyWorld.openAccount(100_000_00);
      await otherCompanyWorld.openAccount(0, { ...heldByJose, companyId: otherCompany });
      const { body } = await otherCompanyWorld.createPayout({
        companyId: companyOne,
        key: 'k',
        body: payoutBody(byKey(key)),
      });
      expect(otherCompanyWorld.items('PAYOUT')[0]).not.toHaveProperty('internal');
      expect(otherCompanyWorld.items('PAYOUT')[0]!['receiver']).not.toMatchObject({ name: jose.name });
      await otherCompanyWorld.force((body as { id: string }).id, 'PAID');
      const there = await otherCompanyWorld.getBalance({ companyId: otherCompany, params: { accountId: other } });
      expect(there.body).toMatchObject({ available: '0.00' });
    },
  );
});
