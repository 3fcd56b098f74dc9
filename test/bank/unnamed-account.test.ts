import * as z from 'zod';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { routes } from '#functions/routes.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { connectionUpdate, servedDelete } from '#shared/bank/connection.ts';
import { buildStaticCode } from '#test/support/static-code.ts';
import type { Answer } from '../support/api.ts';
import { account, accountElsewhere, companyOne, payInBody, payoutBody, receiver } from '../support/bank-world.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { refused } from '#test/support/refusals.ts';

/** An account that no connection of its company names has no bank, and nothing is written for it. */

const named = account.replace('a', 'b');
const connection: BankConnection = {
  ...{ id: connectionId, companyId: companyOne, dialect: 'EFI', clientId: 'id' },
  ...{ apiUrl: 'https://bank.example.com', tokenUrl: 'https://bank.example.com/oauth/token', secret: 'name' },
  callback: { tokenHash: 'f'.repeat(64), subject: 'CN=bank' },
  accounts: { [named]: { chave: 'a@example.com', agencia: '0001', conta: '1', tipoConta: 'PAGAMENTO' } },
  createdAt: '2026-01-01T00:00:00.000Z',
};
const code = buildStaticCode({ merchant: { name: 'Loja', city: 'SAO PAULO' }, pixKey: 'a@b.co' });

let world: SubscriptionWorld;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  world = subscriptionWorld();
  await world.openAccount(10_000_000);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const payout = (more: object) => () =>
  world.createPayout({ companyId: companyOne, key: 'k', body: payoutBody({ ...more }) });
const unexpected = { accountId: account, amount: { currency: 'BRL', value: '1.00' } };
/** Every command of a partner that names an account in its body, in each of its forms. */
const commands: Readonly<Record<string, readonly (readonly [string, () => Promise<Answer>])[]>> = {
  'payouts/create': [
    ['a payout to a key', payout({ paymentData: { pixKey: '52998224725' } })],
    ['a payout to a code', payout({ paymentData: { qrcodeData: code } })],
    ['a payout by PIX to an account', payout({ paymentData: { bankAccount: accountElsewhere }, receiver })],
    ['a TED', payout({ paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere }, receiver })],
    ['a payout in several payments', payout({ amount: { currency: 'BRL', value: '40000.00' } })],
  ],
  'order-tools/receive-credit': [
    ['a payment to a key', () => world.receiveCredit({ companyId: companyOne, body: unexpected })],
  ],
  'pay-ins/create': [['a pay-in', () => world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() })]],
  'subscriptions/create': [
    ['a subscription of journey 2', () => world.send(subscriptionBody(), 'k')],
    ['a subscription of journey 3', () => world.send(compositeBody(), 'k')],
  ],
};
const all = Object.values(commands).flat();

/** The connection as it is, written over what is there; what a process knew of the company is old. */
const connect = async (): Promise<void> => {
  await world.store.write(connectedItems(connection), world.ids.uuid());
  vi.setSystemTime(Date.now() + 60_000);
};
/** As `bank:disconnect` does it in its two steps. */
const leave = async (): Promise<void> => {
  await world.store.write([servedDelete(connection, named)], world.ids.uuid());
  vi.setSystemTime(Date.now() + 60_000);
};
const end = async (): Promise<void> => {
  await world.store.write([connectionUpdate(connection, { endedAt: world.clock.now })], world.ids.uuid());
  vi.setSystemTime(Date.now() + 60_000);
};

async function expectRefused(send: () => Promise<Answer>): Promise<void> {
  const before = world.items();
  refused(await send(), 409, ['accountId:INVALID_VALUE']);
  expect(world.items()).toEqual(before);
  const { body } = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
  expect(body).toMatchObject({ available: '100000.00', reserved: '0.00' });
}

test('every command whose body has an account is tried here', () => {
  const having = routes
    .filter(({ contract: { body } }) => body instanceof z.ZodObject && 'accountId' in body.shape)
    .map(({ folder }) => folder);
  expect(having.toSorted()).toEqual(Object.keys(commands).toSorted());
});

test.each(all)('%s is refused before anything is written when no connection names its account', async (_name, send) => {
  await connect();
  await expectRefused(send);
});

test.each(all)('%s is the simulated bank’s when its company has no connection', async (_name, send) => {
  const response = await send();
  expect(response.status, response.text).toBe(201);
  const created = world
    .items()
    .filter(({ entity }) => ['PAYOUT', 'PAY_IN', 'SUBSCRIPTION', 'CREDIT'].some((one) => one === entity));
  expect(created).not.toEqual([]);
  expect(created.filter((item) => 'connection' in item)).toEqual([]);
});

test.each(all)('%s is refused when the last connection left every account and has not ended', async (_name, send) => {
  await connect();
  await leave();
  await expectRefused(send);
});

test.each(all)('%s is the simulated bank’s again when the only connection has ended', async (_name, send) => {
  await connect();
  await leave();
  await end();
  const response = await send();
  expect(response.status, response.text).toBe(201);
});
