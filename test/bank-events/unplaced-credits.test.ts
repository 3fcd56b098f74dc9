import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { creditUnplaced, showUnmatched } from '#infra/operator/bank.ts';
import { centavos } from '#shared/core/money.ts';
import { checkBalance } from '#shared/bank-events/balance.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { account, companyOne, payInBody } from '../support/bank-world.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { chave, connect, e2e, readLists } from './bank-events-world.ts';
import { connectedItems, connectionId, onlyConnection } from '../support/connected-items.ts';

const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const ofOther = 'other@company.example';
const elsewhere = 'elsewhere@company.example';

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let errors: ReturnType<typeof collectErrors>;
beforeEach(async () => {
  errors = collectErrors();
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true, balance: true });
  bank = await connect(world);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A second account at the same client of the bank. */
async function connectOther(key = ofOther): Promise<void> {
  await world.openAccount(0, { id: other });
  const connection = await onlyConnection(world.store, companyOne);
  const account2 = { chave: key, agencia: '0001', conta: '7654321', tipoConta: 'PAGAMENTO' } as const;
  const accounts = { ...connection!.accounts, [other]: account2 };
  await world.store.write(connectedItems({ ...connection!, accounts }), world.ids.uuid());
}
const context = async () => (await bankEventContext(bank.events, companyOne, connectionId))!;
const read = async () => readLists(await context(), 'HOURLY');
const credited = () =>
  world
    .items('LEDGER_ENTRY')
    .filter(({ kind }) => kind === 'UNMATCHED_CREDIT')
    .map(({ accountId, available }) => [accountId, available]);
const fees = () => world.items('LEDGER_ENTRY').filter(({ kind }) => kind === 'BANK_FEE');
const operator = () => ({ store: world.store, ids: world.ids, now: world.deps.now });
const book = (accountId: string) =>
  creditUnplaced(operator(), { companyId: companyOne, endToEndId: e2e(1), accountId });
const shown = async () =>
  (await showUnmatched(operator(), { companyId: companyOne })).map(({ accountId, state }) => [accountId, state]);
/** Money to a key, or to none. */
function pays(key: string | undefined, txid?: string, fee?: number): void {
  bank.pays(1, txid, 300, fee === undefined ? {} : { fee: centavos(fee) });
  const { chave: _chave, ...pix } = bank.known.received.get(e2e(1))!;
  bank.known.received.set(e2e(1), { ...pix, ...(key !== undefined && { chave: key }) });
}

describe('a Pix without a charge', () => {
  test.each([
    ['an unknown PIX key', elsewhere],
    ['no PIX key', undefined],
  ])('with %s is credited to the one account of the client', async (_name, key) => {
    pays(key);
    await read();
    await read();
    expect(credited()).toEqual([[account, 300]]);
  });

  test.each([
    ['its PIX key', ofOther, other],
    ['its PIX key, which the bank writes in capitals,', ofOther.toUpperCase(), other],
    ['the other PIX key', chave, account],
  ])('is credited to the account of %s when the client has two', async (_name, key, accountId) => {
    await connectOther();
    pays(key);
    await read();
    expect(credited()).toEqual([[accountId, 300]]);
  });

  test('has its fee booked to the account that was credited when the client has two', async () => {
    await connectOther();
    pays(ofOther, undefined, 19);
    await read();
    expect(fees()).toMatchObject([{ accountId: other, available: -19 }]);
  });

  test('is of the charge that its txid names when its key is of another account', async () => {
    await connectOther();
    const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: 'k' });
    pays(ofOther, (body as { id: string }).id.replaceAll('-', ''));
    await read();
    expect(credited()).toEqual([[account, 300]]);
  });
});

test('money to a key that two accounts have is credited to neither', async () => {
  await connectOther(chave);
  pays(chave);
  await read();
  expect([credited(), await shown()]).toEqual([[], [[null, 'ACCOUNT UNKNOWN']]]);
});

describe('a Pix that fits neither of two accounts', () => {
  beforeEach(() => connectOther());

  test.each([
    ['an unknown PIX key', elsewhere],
    ['no PIX key', undefined],
  ])('is credited to neither account, reported once and listed when it came with %s', async (_name, key) => {
    pays(key);
    expect(await read()).toMatchObject({ missed: 0, failed: 0 });
    await bank.hear({ kind: 'PIX', endToEndId: e2e(1) });
    await read();
    expect(credited()).toEqual([]);
    expect(errors.map(({ message }) => message)).toEqual(['Received Pix names no account of the company']);
    expect(await shown()).toEqual([[null, 'ACCOUNT UNKNOWN']]);
  });

  test('is part of the balance of the bank, less its fee', async () => {
    pays(elsewhere, undefined, 19);
    bank.known.balance = 281;
    expect(await checkBalance([{ context: await context(), readAt: (await read()).readAt }])).toBe(0);
    await book(other);
    expect(await checkBalance([{ context: await context(), readAt: (await read()).readAt }])).toBe(0);
  });

  test('is booked once to the account that an operator names, with its fee', async () => {
    pays(elsewhere, undefined, 19);
    await read();
    const facts = await Promise.all([book(other), book(other)]);
    expect(await book(other)).toEqual(facts[0]);
    await read();
    expect(credited()).toEqual([[other, 300]]);
    expect(fees()).toMatchObject([{ accountId: other, available: -19 }]);
    expect(await shown()).toEqual([[other, 'OPEN']]);
    await expect(book(account)).rejects.toMatchObject({
      name: 'RequestError',
      message: 'The money was already credited to another account.',
    });
  });

  test('is credited by the list when its key has been connected meanwhile, and not by an operator again', async () => {
    pays(elsewhere);
    await read();
    const connection = await onlyConnection(world.store, companyOne);
    const accounts = { ...connection!.accounts, [other]: { ...connection!.accounts[other]!, chave: elsewhere } };
    await world.store.write(connectedItems({ ...connection!, accounts }), world.ids.uuid());
    await read();
    expect(credited()).toEqual([[other, 300]]);
    await book(other);
    expect(credited()).toEqual([[other, 300]]);
  });

  test('cannot be booked to an unknown account, nor before the bank reported the money', async () => {
    await expect(book(other)).rejects.toThrow('not found');
    pays(elsewhere);
    await read();
    await expect(book('cccccccc-cccc-4ccc-8ccc-cccccccccccc')).rejects.toThrow('not found');
    expect(credited()).toEqual([]);
  });
});
