import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BankReader } from '#shared/bank/ports/reader.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { centavos } from '#shared/core/money.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { childOrderId } from '#shared/core/identifiers.ts';
import { checkBalance } from '#shared/bank-events/balance.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { account, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { collectErrors, collectLines } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { subscriptionBody } from '../support/subscription-world.ts';
import { connect, e2e, paidAt, readLists, rtrId } from './bank-events-world.ts';
import { connectionId } from '../support/connected-items.ts';

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
  const found = await bankEventContext(bank.events, companyOne, connectionId);
  if (found === undefined) throw new Error('The company has no connection.');
  return found;
};
const read = async (extent: 'HOURLY' | 'DAILY' = 'HOURLY') => readLists(await context(), extent);
const compared = async ({ readAt }: { readonly readAt: Instant }) =>
  checkBalance([{ context: await context(), readAt }]);
const entries = (kind: string) => world.items('LEDGER_ENTRY').filter((entry) => entry['kind'] === kind);
const available = async () => {
  const { body } = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
  return (body as { available: string }).available;
};
const txidOfPayIn = async (): Promise<string> => {
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: crypto.randomUUID() });
  return (body as { id: string }).id.replaceAll('-', '');
};

test('a payment that no callback reported is applied once from any page, and counted as missed', async () => {
  const txids = [await txidOfPayIn(), await txidOfPayIn(), await txidOfPayIn()];
  txids.forEach((txid, at) => bank.pays(at, txid, 2500));
  bank.pays(9, undefined, 700);
  expect(await read()).toMatchObject({ missed: 3, failed: 0 });
  expect(await read()).toMatchObject({ missed: 0, failed: 0 });
  expect(entries('PAY_IN')).toHaveLength(3);
  expect(entries('UNMATCHED_CREDIT')).toHaveLength(1);
});

test('recurrences are listed since the connection was created, however old it is: one may end after years', async () => {
  const found = await context();
  const asked: string[] = [];
  const listRecurrences: BankReader['listRecurrences'] = (from) => {
    asked.push(from);
    return Promise.resolve({ items: [], pages: 1 });
  };
  const createdAt = '2023-03-01T12:00:00.000Z';
  const old = {
    ...found,
    connection: { ...found.connection, createdAt },
    reader: { ...found.reader, listRecurrences },
  };
  expect(await readLists(old, 'DAILY')).toMatchObject({ failed: 0 });
  expect(asked).toEqual([createdAt]);
});

test('each list is read over the period in which its items may change', async () => {
  const asked: (readonly [string, string, string])[] = [];
  const listed = (list: string) => (from: string, to: string) => {
    asked.push([list, from, to]);
    return Promise.resolve({ items: [], pages: 1 });
  };
  const found = await failing({
    ...{ listReceived: listed('pix'), listSent: listed('enviados') },
    ...{ listRecurrences: listed('rec'), listRecurringCharges: listed('cobr') },
  });
  const now = world.clock.now;
  const ago = (hours: number): string => plusSeconds(now, -hours * 3600);
  await readLists(found, 'HOURLY');
  await readLists(found, 'DAILY');
  expect(asked).toEqual([
    ...[3, 3 * 24].flatMap((hours) => ['pix', 'enviados'].map((list) => [list, ago(hours), now])),
    ['rec', found.connection.createdAt, now],
    ['cobr', ago(60 * 24), now],
  ]);
});

/** The reader whose lists fail as this says. */
const failing = async (lists: Partial<BankReader>) => {
  const found = await context();
  return { ...found, reader: { ...found.reader, ...lists } };
};
const fails = () => Promise.reject(new BankUnavailable('The bank response is missing or unreadable.'));

test('a list that fails is counted and logged by its name, and the other lists are read', async () => {
  bank.pays(1, await txidOfPayIn(), 2500);
  const sent = { reference: 'past', endToEndId: e2e(5), amount: centavos(300) };
  bank.known.sent.set('past', { ...sent, state: { status: 'PAID', at: paidAt, returns: [] } });
  expect(await readLists(await failing({ listSent: fails }), 'DAILY')).toMatchObject({ missed: 1, failed: 1 });
  expect(await readLists(await failing({ listReceived: fails, listRecurrences: fails }), 'DAILY')).toMatchObject({
    failed: 2,
  });
  expect(errors.map(({ message, companyId, list, page }) => ({ message, companyId, list, page }))).toEqual(
    ['enviados', 'pix', 'rec'].map((list) => ({
      ...{ message: 'Cannot read a page of a list', companyId: companyOne, list, page: 0 },
    })),
  );
});

test('a page that fails is counted and logged by its number, and the pages after it are read', async () => {
  for (let at = 0; at < 6; at += 1) bank.pays(at, await txidOfPayIn(), 2500);
  const { reader } = await context();
  const listReceived: BankReader['listReceived'] = (from, to, page) =>
    page === 1 ? fails() : reader.listReceived(from, to, page);
  expect(await readLists(await failing({ listReceived }), 'HOURLY')).toMatchObject({ missed: 4, failed: 1 });
  expect(errors).toMatchObject([{ message: 'Cannot read a page of a list', list: 'pix', page: 1 }]);
});

test('a list is read to its last page when failed pages alternate with good ones, however many fail', async () => {
  const asked: number[] = [];
  const listReceived: BankReader['listReceived'] = (_from, _to, page) => {
    asked.push(page);
    return page % 3 < 2 ? fails() : Promise.resolve({ items: [], pages: 12 });
  };
  const first: BankReader['listReceived'] = (from, to, page) =>
    page === 0 ? Promise.resolve({ items: [], pages: 12 }) : listReceived(from, to, page);
  expect(await readLists(await failing({ listReceived: first }), 'HOURLY')).toMatchObject({ failed: 7 });
  expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('a list is left to a later job when its pages fail in a row, or when the job has no time left', async () => {
  let calls = 0;
  const listReceived: BankReader['listReceived'] = (_from, _to, page) => {
    calls += 1;
    return page === 0 ? Promise.resolve({ items: [], pages: 1_000_000 }) : fails();
  };
  expect(await readLists(await failing({ listReceived }), 'HOURLY')).toMatchObject({ failed: 3 });
  expect(calls).toBe(4);
  const within: (number | undefined)[] = [];
  const endless = (_from: string, _to: string, _page: number, withinMs?: number) => {
    within.push(withinMs);
    return Promise.resolve({ items: [], pages: 1_000_000 });
  };
  let leftMs = 60_000;
  const remainingMs = () => (leftMs -= 10_000);
  expect(
    await readLists(await failing({ listReceived: endless, listSent: endless }), 'HOURLY', { remainingMs }),
  ).toMatchObject({ failed: 0 });
  expect(within).toEqual([37_000, 17_000]);
});

test('items that cannot be read are counted and logged with their ids', async () => {
  bank.pays(1, await txidOfPayIn(), 2500);
  const { reader } = await context();
  const listReceived: BankReader['listReceived'] = async (from, to, page) => ({
    ...{ ...(await reader.listReceived(from, to, page)), unreadable: 2, unreadableIds: [e2e(7)] },
  });
  expect(await readLists(await failing({ listReceived }), 'HOURLY')).toMatchObject({ missed: 1, failed: 2 });
  expect(errors).toMatchObject([
    { message: 'List contained unreadable items', list: 'pix', page: 0, count: 2, ids: e2e(7) },
  ]);
});

test('fees are booked once, however often the list is read', async () => {
  bank.pays(1, await txidOfPayIn(), 2500, { fee: centavos(19) });
  await read();
  await read('DAILY');
  expect(entries('BANK_FEE')).toMatchObject([{ available: -19, reserved: 0, accountId: account }]);
});

test.each([
  { status: 'ACCEPTED' },
  { status: 'AWAITS_APPROVAL' },
  { status: 'ERROR', reason: 'NAO_REALIZADO' },
  { status: 'CANCELED' },
] as const)('no fee is booked for a payment of ours that is $status, with any list of its bank', async (end) => {
  bank.pays(1, await txidOfPayIn(), 2500);
  await read();
  world.bank.payouts.prepare = () => Promise.resolve({ endToEndId: e2e(2) });
  world.bank.payouts.send.submit = () =>
    Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
  const { body } = await world.createPayout({ companyId: companyOne, body: payoutBody(), key: 'k' });
  const reference = (body as { id: string }).id.replaceAll('-', '');
  const sent = { reference, endToEndId: e2e(2), amount: centavos(1000), fee: centavos(7) };
  bank.known.sent.set(reference, { ...sent, state: { ...end, returns: [] } });
  await read();
  expect(entries('BANK_FEE')).toEqual([]);
  bank.known.sent.set(reference, { ...sent, state: { status: 'PAID', at: paidAt, returns: [] } });
  await read();
  expect(entries('BANK_FEE')).toHaveLength(1);
});

test('no fee is booked when the listed amount differs from ours, or when the fee is zero', async () => {
  const txid = await txidOfPayIn();
  bank.pays(1, txid, 2500);
  await read();
  bank.pays(1, txid, 2501, { fee: centavos(19) });
  await read();
  bank.pays(1, txid, 2500, { fee: centavos(0) });
  expect(await read()).toMatchObject({ failed: 0 });
  world.bank.payouts.prepare = () => Promise.resolve({ endToEndId: e2e(2) });
  const { body } = await world.createPayout({ companyId: companyOne, body: payoutBody(), key: 'k' });
  const reference = (body as { id: string }).id.replaceAll('-', '');
  const reportPaid = (amount: number, fee: number) => {
    const state = { status: 'PAID', at: paidAt, returns: [] } as const;
    const sent = { reference, endToEndId: e2e(2), amount: centavos(amount), fee: centavos(fee), state };
    bank.known.sent.set(reference, sent);
    return read();
  };
  expect(await reportPaid(1001, 7)).toMatchObject({ failed: 0 });
  expect(await reportPaid(1000, 0)).toMatchObject({ failed: 0 });
  expect(entries('BANK_FEE')).toEqual([]);
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
  expect(await compared(await read('DAILY'))).toBe(0);
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
  const fees = entries('BANK_FEE').map(({ available: money, orderId }) => [money, orderId]);
  expect(fees).toEqual([
    [-19, world.items('PAY_IN')[0]?.['id']],
    [-7, id],
  ]);
});

test('payments of a batch that no callback ended are counted as missed, each with its fee booked to the batch', async () => {
  bank.pays(1, await txidOfPayIn(), 2500);
  bank.pays(2, undefined, 4_000_000);
  await read();
  world.bank.payouts.prepare = () => Promise.resolve({});
  world.bank.payouts.send.submit = () =>
    Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
  const body = payoutBody({ amount: { currency: 'BRL', value: '31000.00' } });
  const { text, body: created } = await world.createPayout({ companyId: companyOne, body, key: 'k' });
  const { id } = created as { id: string };
  for (const [at, amount] of [1_500_000, 1_500_000, 100_000].entries()) {
    const reference = childOrderId(id, at + 1).replaceAll('-', '');
    const endToEndId = e2e(10 + at);
    const state = { status: 'PAID', at: paidAt, endToEndId, returns: [] } as const;
    bank.known.sent.set(reference, { reference, endToEndId, amount: centavos(amount), fee: centavos(7 + at), state });
  }
  expect(await read(), text).toMatchObject({ missed: 3, failed: 0 });
  expect(await read()).toMatchObject({ missed: 0, failed: 0 });
  const fees = entries('BANK_FEE').map(({ accountId, orderId, available: money }) => [accountId, orderId, money]);
  expect(fees).toEqual([-7, -8, -9].map((money) => [account, id, money]));
});

test('a recurrence that was canceled without a callback is canceled by the daily list', async () => {
  const { id } = await world.created(subscriptionBody());
  const findSubscription = () => world.items('SUBSCRIPTION').find((one) => one['id'] === id);
  const idRec = findSubscription()?.['providerId'] as string;
  const history = [{ status: 'CANCELED', at: paidAt }] as const;
  bank.known.recurrences.set(idRec, { recurrenceId: idRec, location: 'pix.example/rec/1', history });
  expect(await read()).toMatchObject({ missed: 0 });
  expect(await read('DAILY')).toMatchObject({ missed: 1 });
  expect(findSubscription()?.['status']).toBe('CANCELED');
});

test('the balance of the bank matches the entries less its unsolicited returns', async () => {
  const returned = { id: 'med1', returnId: rtrId(9), amount: centavos(500), at: paidAt };
  bank.pays(1, await txidOfPayIn(), 2500, { returns: [returned] });
  bank.known.balance = 2000;
  const report = await read('DAILY');
  expect(await compared(report)).toBe(0);
});

test('a balance that differs is reported, and each list logs the payments that could explain it', async () => {
  const unknown = collectLines(({ message }) => message === 'List contained an unknown payment');
  bank.pays(1, await txidOfPayIn(), 2500);
  const state = { status: 'PAID', at: paidAt, returns: [] } as const;
  bank.known.sent.set('past', { endToEndId: e2e(5), amount: centavos(300), state });
  const report = await read('DAILY');
  expect(unknown).toMatchObject([{ companyId: companyOne, connectionId, direction: 'SENT', id: e2e(5), amount: 300 }]);
  errors = collectErrors();
  for (const difference of [-300, 300]) {
    bank.known.balance = 2500 + difference;
    expect(await compared(report)).toBe(difference);
  }
  const differs = 'Balance at the bank differs from the ledger entries';
  expect(errors.map(({ message }) => message)).toEqual([differs, differs]);
});

test('a run reads every connected company, and a bank that does not answer fails alone', async () => {
  bank.pays(1, await txidOfPayIn(), 2500);
  const run = { ...world.dueRun, store: world.store, now: world.deps.now };
  bank.known.isSilent = true;
  // Each of its lists.
  expect(await workLists(run, bank.events, 'HOURLY')).toMatchObject({ failed: 3 });
  bank.known.isSilent = false;
  expect(await workLists(run, bank.events, 'HOURLY')).toEqual({
    counts: { MissedByCallback: 1 },
    failed: 0,
    pending: 0,
  });
});

test('a certificate that expires within 30 days is reported by the daily run, even when the bank does not answer', async () => {
  const run = { ...world.dueRun, store: world.store, now: world.deps.now };
  const readErrorMessages = () =>
    errors.map(({ message }) => message).filter((message) => String(message).includes('certificate'));
  bank.known.certificateEnd = '2026-02-14T00:00:00.000Z';
  await workLists(run, bank.events, 'DAILY');
  expect(readErrorMessages()).toEqual([]);
  bank.known.certificateEnd = '2026-02-13T00:00:00.000Z';
  bank.known.isSilent = true;
  await workLists(run, bank.events, 'HOURLY');
  expect(readErrorMessages()).toEqual([]);
  await workLists(run, bank.events, 'DAILY');
  expect(readErrorMessages()).toEqual(['Client certificate for a bank expires soon']);
});
