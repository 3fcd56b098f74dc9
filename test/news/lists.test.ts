import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import { checkBalance } from '#shared/news/balance.ts';
import { newsContext } from '#shared/news/context.ts';
import { readLists } from '#shared/news/lists.ts';
import { workLists } from '#shared/news/work-lists.ts';
import { account, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { subscriptionBody } from '../support/subscription-world.ts';
import { connect, e2e, paidAt, rtrId } from './news-world.ts';

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let errors: ReturnType<typeof collectErrors>;
beforeEach(async () => {
  errors = collectErrors();
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true, balance: true });
  bank = await connect(world, 'read-bank-lists');
});
afterEach(() => {
  vi.restoreAllMocks();
});

const context = async () => {
  const found = await newsContext(bank.news, companyOne);
  if (found === undefined) throw new Error('The company has no connection.');
  return found;
};
const read = async (extent: 'HOURLY' | 'DAILY' = 'HOURLY') => readLists(await context(), extent);
const entries = (kind: string) => world.items('LEDGER_ENTRY').filter((entry) => entry['kind'] === kind);
const available = async () => {
  const { body } = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
  return (body as { available: string }).available;
};
const txidOfPayIn = async (): Promise<string> => {
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: crypto.randomUUID() });
  return (body as { id: string }).id.replaceAll('-', '');
};

test('what no callback brought is moved once, on whichever page it is, and counted', async () => {
  const txids = [await txidOfPayIn(), await txidOfPayIn(), await txidOfPayIn()];
  txids.forEach((txid, at) => bank.pays(at, txid, 2500));
  bank.pays(9, undefined, 700);
  expect(await read()).toMatchObject({ missed: 3, failed: 0 });
  expect(await read()).toMatchObject({ missed: 0, failed: 0 });
  expect(entries('PAY_IN')).toHaveLength(3);
  expect(entries('UNMATCHED_CREDIT')).toHaveLength(1);
});

test('fees are booked once, however often the list is read', async () => {
  bank.pays(1, await txidOfPayIn(), 2500, { fee: centavos(19) });
  await read();
  await read('DAILY');
  expect(entries('BANK_FEE')).toMatchObject([{ available: -19, reserved: 0, accountId: account }]);
});

test('a fee of more than the account has is booked, and only money that comes in raises the balance again', async () => {
  bank.pays(1, undefined, 10, { fee: centavos(19) });
  expect(await read()).toMatchObject({ failed: 0 });
  expect(await available()).toBe('-0.09');
  bank.pays(2, undefined, 5);
  await read();
  expect(await available()).toBe('-0.04');
  const { body } = await world.createPayout({ companyId: companyOne, body: payoutBody(), key: 'k' });
  expect(body).toMatchObject({ details: [{ issue: 'INSUFFICIENT_BALANCE' }] });
  bank.known.balance = -4;
  expect(await checkBalance(await context(), await read('DAILY'))).toEqual({ difference: 0, candidates: [] });
});

test('a payment within the company has the fee of both its sides', async () => {
  bank.pays(1, await txidOfPayIn(), 2500, { fee: centavos(19) });
  await read();
  world.bank.payouts.prepare = () => Promise.resolve({ endToEndId: e2e(1) });
  const { body } = await world.createPayout({ companyId: companyOne, body: payoutBody(), key: 'k' });
  const { id } = body as { id: string };
  const state = { status: 'PAID', at: paidAt, endToEndId: e2e(1), returns: [] } as const;
  const sent = { reference: id.replaceAll('-', ''), endToEndId: e2e(1), amount: centavos(1000), state };
  bank.known.sent.set(sent.reference, { ...sent, fee: centavos(7) });
  await read();
  await read();
  expect(entries('BANK_FEE').map((entry) => entry['available'])).toEqual([-19, -7]);
});

test('a recurrence that ended unheard is canceled by the daily list', async () => {
  const { id } = await world.created(subscriptionBody());
  const of = () => world.items('SUBSCRIPTION').find((one) => one['id'] === id);
  const idRec = of()?.['providerId'] as string;
  const history = [{ status: 'CANCELED', at: paidAt }] as const;
  bank.known.recurrences.set(idRec, { recurrenceId: idRec, location: 'pix.example/rec/1', history });
  expect(await read()).toMatchObject({ missed: 0 });
  expect(await read('DAILY')).toMatchObject({ missed: 1 });
  expect(of()?.['status']).toBe('CANCELED');
});

test('the balance of the bank is that of the entries, without what the bank sent back unasked', async () => {
  const returned = { id: 'med1', returnId: rtrId(9), amount: centavos(500), at: paidAt };
  bank.pays(1, await txidOfPayIn(), 2500, { returns: [returned] });
  bank.known.balance = 2000;
  const report = await read('DAILY');
  expect(await checkBalance(await context(), report)).toEqual({ difference: 0, candidates: [] });
});

test('a balance that differs is reported with what could explain it', async () => {
  bank.pays(1, await txidOfPayIn(), 2500);
  const state = { status: 'PAID', at: paidAt, returns: [] } as const;
  bank.known.sent.set('past', { endToEndId: e2e(5), amount: centavos(300), state });
  bank.known.balance = 2200;
  const report = await read('DAILY');
  expect(await checkBalance(await context(), report)).toEqual({ difference: -300, candidates: [`SENT ${e2e(5)}`] });
  expect(errors.map(({ message }) => message)).toEqual(["the bank's balance differs from the entries"]);
});

test('a run reads every connected company, and a bank that does not answer fails alone', async () => {
  bank.pays(1, await txidOfPayIn(), 2500);
  const run = { ...world.dueRun, store: world.store, now: world.deps.now };
  bank.known.isSilent = true;
  expect(await workLists(run, bank.news, 'HOURLY')).toMatchObject({ failed: 1 });
  bank.known.isSilent = false;
  expect(await workLists(run, bank.news, 'HOURLY')).toEqual({ counts: { MissedByCallback: 1 }, failed: 0, pending: 0 });
});

test('a certificate that ends within thirty days is told once a day, even if the bank answers nothing any more', async () => {
  const run = { ...world.dueRun, store: world.store, now: world.deps.now };
  const told = () => errors.map(({ message }) => message).filter((message) => String(message).includes('certificate'));
  bank.known.certificateEnd = '2026-02-14T00:00:00.000Z';
  await workLists(run, bank.news, 'DAILY');
  expect(told()).toEqual([]);
  bank.known.certificateEnd = '2026-02-13T00:00:00.000Z';
  bank.known.isSilent = true;
  await workLists(run, bank.news, 'HOURLY');
  expect(told()).toEqual([]);
  await workLists(run, bank.news, 'DAILY');
  expect(told()).toEqual(['the certificate for a bank ends soon']);
});
