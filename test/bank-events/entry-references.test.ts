import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '#shared/accounts/model.ts';
import { deposit } from '#infra/operator/accounts/accounts.ts';
import { returnUnmatched } from '#infra/operator/bank.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { applyReceivedPix } from '#shared/bank-events/credits.ts';
import { centavos } from '#shared/core/money.ts';
import type { Counterpart } from '#shared/core/party.ts';
import { applyPaymentStates } from '#shared/payouts/apply-state.ts';
import { readPayout } from '#shared/payouts/store.ts';
import type { EntryReferences, LedgerKind } from '#shared/platform/ledger/balance.ts';
import { counterpartyOf, ledgerKinds, maxShards } from '#shared/platform/ledger/balance.ts';
import { ledgerEntryPut, parseLedgerEntry } from '#shared/platform/ledger/ledger.ts';
import type { World } from '../support/bank-world.ts';
import {
  account,
  accountElsewhere,
  bankWorld,
  companyOne,
  holder,
  payInBody,
  payoutBody,
  receiver,
} from '../support/bank-world.ts';
import { decideDispute, openDispute } from '#shared/bank-events/disputes.ts';
import { simulatedClaim } from '#shared/sandbox/order-events.ts';
import { connectionId } from '../support/connected-items.ts';
import { creditOf } from '../support/credits.ts';
import { each } from '../support/each.ts';
import { costOf } from '../support/write-units.ts';
import { connect, e2e, paidAt, readLists, rtrId } from './bank-events-world.ts';

/**
 * What each kind of entry names: every one of them, some, or none. A kind without a line here does not compile, and a
 * kind that no scenario below books fails.
 */
type Presence = 'ALL' | 'SOME' | 'NONE';
type Named = Readonly<Record<keyof EntryReferences, Presence>>;
const nothing = {
  ...{ orderId: 'NONE', refundId: 'NONE', creditId: 'NONE', disputeId: 'NONE', endToEndId: 'NONE' },
  ...{ controlNumber: 'NONE', counterparty: 'NONE' },
} as const satisfies Named;
const ofPayout = {
  ...nothing,
  orderId: 'ALL',
  endToEndId: 'SOME',
  controlNumber: 'SOME',
  counterparty: 'ALL',
} as const;
// Of a pay-in or of a credit.
const ofRefund = { ...nothing, orderId: 'SOME', refundId: 'ALL', creditId: 'SOME', counterparty: 'SOME' } as const;
// Of the payment of a pay-in or of a credit.
const ofDispute = {
  ...nothing,
  orderId: 'SOME',
  creditId: 'SOME',
  disputeId: 'ALL',
  endToEndId: 'ALL',
  counterparty: 'SOME',
} as const satisfies Named;
const named: Readonly<Record<LedgerKind, Named>> = {
  OPENING: nothing,
  DEPOSIT: nothing,
  PAY_IN: { ...nothing, orderId: 'ALL', endToEndId: 'ALL', counterparty: 'ALL' },
  REFUND_RESERVED: ofRefund,
  REFUND_SETTLED: { ...ofRefund, endToEndId: 'ALL', counterparty: 'ALL' },
  REFUND_RETURNED: ofRefund,
  REFUND: { ...nothing, orderId: 'ALL', refundId: 'ALL', endToEndId: 'ALL', counterparty: 'ALL' },
  REFUND_RECEIVED: { ...nothing, endToEndId: 'ALL', counterparty: 'ALL' },
  PAYOUT_RESERVED: ofPayout,
  PAYOUT_PAID: ofPayout,
  PAYOUT_RETURNED: ofPayout,
  PAYOUT_MOVED: { ...nothing, orderId: 'ALL', endToEndId: 'ALL', counterparty: 'ALL' },
  PAYOUT_RECEIVED: { ...nothing, endToEndId: 'ALL', counterparty: 'ALL' },
  PAYOUT_RETURNED_LATE: { ...nothing, orderId: 'ALL', endToEndId: 'ALL', counterparty: 'ALL' },
  UNMATCHED_CREDIT: { ...nothing, orderId: 'SOME', creditId: 'ALL', endToEndId: 'ALL', counterparty: 'SOME' },
  BANK_FEE: { ...nothing, orderId: 'SOME', endToEndId: 'ALL' },
  MED_BLOCKED: ofDispute,
  MED_RELEASED: ofDispute,
  MED_RETURNED: ofDispute,
};
const referenceNames = Object.keys(nothing) as readonly (keyof EntryReferences)[];

const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
/** The longest name that a request can have, in bytes. */
const longName = '語'.repeat(140);
const person = { ...receiver, name: longName };
const stranger = { name: longName, document: { type: 'CPF', number: '39053344705' } } as const;
const brl = (value: string) => ({ amount: { currency: 'BRL', value } });

type Shown = Readonly<Record<string, unknown>> & { readonly type: LedgerKind; readonly orderId?: string };
let world: World;
let shown: readonly Shown[];
let bank: Awaited<ReturnType<typeof connect>>;
const made: Record<string, string> = {};

let keys = 0;
const asked = (body: object) => ({ companyId: companyOne, body, key: `k-${(keys += 1)}` });

async function create(name: string, response: Promise<{ status: number; body: unknown; text: string }>) {
  const { status, body, text } = await response;
  expect(status, text).toBe(201);
  const created = body as { id: string; refundId?: string; qrcodeData: string };
  made[name] = created.refundId ?? created.id;
  return created;
}
const payIn = (name: string, more: object = {}) =>
  create(name, world.createPayIn(asked(payInBody({ payer: person, ...more }))));
const payout = (name: string, more: object = {}) =>
  create(name, world.createPayout(asked(payoutBody({ receiver: person, ...more }))));
const refund = (name: string, id: string, body: object = {}) =>
  create(name, world.refundPayIn({ ...asked(body), params: { id } }));
const context = () => {
  const { store, ids, clock } = world;
  const now = () => clock.now;
  return { store, ids, now, realNow: now, at: clock.now, companyId: companyOne, requestId: 'r' };
};

/** What the simulated bank does. */
async function simulated(): Promise<void> {
  await deposit(
    { ...context(), sandbox: undefined },
    { companyId: companyOne, accountId: account, amount: centavos(100) },
  );
  for (const name of ['refunded', 'failed', 'refundedByBank', 'disputed'])
    await world.force((await payIn(name)).id, 'PAID');
  await disputed({ orderId: made['disputed']! });
  await refund('settledRefund', made['refunded']!);
  await world.force(made['refunded']!, 'REFUNDED');
  await refund('failedRefund', made['failed']!, { description: 'refused@bank.example' });
  await world.force(made['refundedByBank']!, 'REFUNDED');
  await world.force((await payout('paid')).id, 'PAID');
  await world.force((await payout('returned')).id, 'ERROR');
  const ted = { paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere } };
  for (const [name, status] of [
    ['ted', 'PAID'],
    ['failedTed', 'ERROR'],
  ] as const)
    await world.force((await payout(name, ted)).id, status);
  const toOther = { receiver: undefined, paymentData: { pixKey: '39053344705' } };
  await world.force((await payout('transfer', toOther)).id, 'PAID');
  const { id, qrcodeData } = await payIn('ownCharge', { accountId: other });
  await world.force(
    (await payout('payingOwn', { receiver: undefined, paymentData: { qrcodeData }, ...brl('25.00') })).id,
    'PAID',
  );
  await world.force(id, 'REFUNDED');
  // A batch whose payments end differently at once.
  const { id: batch } = await payout('batch', brl('31000.00'));
  const order = (await readPayout(world.store, companyOne, batch))!;
  const paid = { status: 'PAID', at: paidAt, returns: [] } as const;
  const failed = { status: 'ERROR', reason: 'Closed.', returns: [] } as const;
  const [first, second, third] = [1, 2, 3];
  await applyPaymentStates(context(), order, [
    { sequence: second, state: paid },
    { sequence: third, state: failed },
  ]);
  await applyPaymentStates(context(), order, [{ sequence: first, state: paid }]);
}

/** A claim that is rejected, and one that is accepted. */
async function disputed(of: { readonly orderId: string } | { readonly creditId: string }): Promise<void> {
  for (const outcome of ['REJECTED', 'ACCEPTED'] as const) {
    const { dispute } = await openDispute(context(), of, { ...simulatedClaim(world.clock.now), amount: centavos(100) });
    await decideDispute(context(), dispute.id, { outcome });
  }
}

/** What a bank of the company's own reports. */
async function connected(): Promise<void> {
  world.bank.payouts.prepare = () => Promise.resolve({});
  world.bank.payouts.send.submit = () =>
    Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
  const events = (await bankEventContext(bank.events, companyOne, connectionId))!;
  const fee = centavos(19);
  const { id } = await payIn('atBank');
  bank.pays(1, id.replaceAll('-', ''), 2500, { fee, payer: stranger });
  bank.pays(2, undefined, 700, { payer: stranger });
  bank.pays(3, undefined, 300, { fee });
  const late = await payout('late');
  await payout('neverNumbered');
  const reference = late.id.replaceAll('-', '');
  const state = {
    status: 'PAID',
    at: paidAt,
    endToEndId: e2e(9),
    returns: [{ returnId: rtrId(9), amount: centavos(400), at: paidAt }],
  } as const;
  bank.known.sent.set(reference, { reference, endToEndId: e2e(9), amount: centavos(1000), fee, state });
  await readLists(events, 'HOURLY');
  const again = { endToEndId: e2e(4), amount: centavos(2500), at: paidAt, returns: [], payer: stranger };
  await applyReceivedPix(events, { ...again, txid: id.replaceAll('-', '') });
  await world.force(made['neverNumbered']!, 'ERROR');
  await disputed({ creditId: (await creditOf(world.store, companyOne, e2e(3))).credit.id });
  for (const [number, outcome] of [
    [2, { status: 'SETTLED', returnId: rtrId(2), at: paidAt }],
    [3, { status: 'FAILED', reason: 'Closed.' }],
  ] as const) {
    world.bank.refunds.submit = () => Promise.resolve({ outcome: 'DONE', state: outcome });
    await returnUnmatched(context(), { companyId: companyOne, endToEndId: e2e(number) });
    world.bank.refunds.find = () => Promise.resolve({ outcome: 'DONE', state: outcome });
    await world.poll();
  }
}

beforeAll(async () => {
  world = bankWorld();
  await world.openAccount(20_000_000, { fullName: `P${longName.slice(1)}` });
  await world.openAccount(0, {
    id: other,
    fullName: `O${longName.slice(1)}`,
    document: { type: 'CPF', number: '39053344705' },
  });
  await simulated();
  bank = await connect(world);
  await connected();
  const pages = await Promise.all(
    [account, other].map((accountId) =>
      world.listEntries({ companyId: companyOne, params: { accountId }, query: { limit: '100' } }),
    ),
  );
  shown = pages.flatMap(({ body }) => (body as { data: Shown[] }).data);
});

const of = (kind: LedgerKind, orderName?: string): readonly Shown[] =>
  shown.filter(({ type, orderId }) => type === kind && (orderName === undefined || orderId === made[orderName]));

test.each(ledgerKinds)('an entry of %s names what its kind has', (kind) => {
  const entries = of(kind);
  expect(entries.length).toBeGreaterThan(0);
  const found = Object.fromEntries(
    referenceNames.map((name) => {
      const count = entries.filter((entry) => entry[name] !== undefined).length;
      return [name, count === 0 ? 'NONE' : count === entries.length ? 'ALL' : 'SOME'];
    }),
  );
  expect(found).toEqual(named[kind]);
});

const item = (entity: string, id: string) => world.items(entity).find((one) => one['id'] === id)!;
const one = (entries: readonly Shown[]): Shown => {
  expect(entries).toHaveLength(1);
  return entries[0]!;
};

test('an entry names an order only of its own account', () => {
  const orders = [...world.items('PAY_IN'), ...world.items('PAYOUT')];
  const accountOf = new Map(orders.map(({ id, accountId }) => [id, accountId]));
  for (const { type, orderId, accountId } of each(shown))
    if (orderId !== undefined) expect(accountOf.get(orderId), type).toBe(accountId);
});

test('an entry is found by the order that it names, and not by that of the other account', async () => {
  const find = async (accountId: string, orderId: string, more: object = {}) => {
    const query = { orderId, ...more };
    const { body } = await world.listEntries({ companyId: companyOne, params: { accountId }, query });
    return (body as { data: Shown[] }).data.map(({ type }) => type);
  };
  expect(await find(account, made['refunded']!)).toEqual(['REFUND_SETTLED', 'REFUND_RESERVED', 'PAY_IN']);
  expect(await find(account, made['refunded']!, { type: 'PAY_IN' })).toEqual(['PAY_IN']);
  expect(await find(account, made['transfer']!)).toEqual(['PAYOUT_PAID', 'PAYOUT_RESERVED']);
  expect(await find(other, made['transfer']!)).toEqual([]);
  expect(await find(account, made['ownCharge']!)).toEqual([]);
});

describe('what an entry names is what its order, refund or payment has', () => {
  test('for a pay-in and its refund', () => {
    const { endToEndId, payer } = item('PAY_IN', made['refunded']!);
    const { ispb, branch, account: number } = (payer as { bank: Readonly<Record<string, string>> }).bank;
    const counterparty = { ...person, bank: { ispb, branch, account: number } };
    expect(one(of('PAY_IN', 'refunded'))).toMatchObject({ endToEndId, counterparty });
    const returnId = item('REFUND', made['settledRefund']!)['endToEndId'];
    expect(returnId).toMatch(/^D/u);
    const refundId = made['settledRefund'];
    expect(one(of('REFUND_RESERVED', 'refunded'))).toMatchObject({ refundId, counterparty });
    expect(one(of('REFUND_SETTLED', 'refunded'))).toMatchObject({ refundId, endToEndId: returnId, counterparty });
    expect(one(of('REFUND_RETURNED', 'failed'))).toMatchObject({ refundId: made['failedRefund'] });
    const [byBank] = world.items('REFUND').filter(({ orderId }) => orderId === made['refundedByBank']);
    expect(one(of('REFUND', 'refundedByBank'))).toMatchObject({ refundId: byBank!['id'] });
  });

  test('for a payout by PIX or TED, and one whose bank gives its number late and returns a part', () => {
    const { endToEndId, receiver: owner } = item('PAYOUT', made['paid']!);
    const { name, document } = owner as unknown as Counterpart;
    for (const kind of ['PAYOUT_RESERVED', 'PAYOUT_PAID'] as const)
      expect(one(of(kind, 'paid'))).toMatchObject({ endToEndId, counterparty: { name, document } });
    const { controlNumber } = item('PAYOUT', made['ted']!);
    const bankAccount = { ispb: '60701190', branch: '0001', account: '12345-6' };
    for (const kind of ['PAYOUT_RESERVED', 'PAYOUT_PAID'] as const)
      expect(one(of(kind, 'ted'))).toMatchObject({ controlNumber, counterparty: { ...person, bank: bankAccount } });
    expect(one(of('PAYOUT_RESERVED', 'late'))).not.toHaveProperty('endToEndId');
    expect(one(of('PAYOUT_PAID', 'late'))).toMatchObject({ endToEndId: e2e(9) });
    expect(one(of('PAYOUT_RETURNED_LATE', 'late'))).toMatchObject({ endToEndId: rtrId(9), available: '4.00' });
  });

  test('for a batch, by the first of the payments that moved', () => {
    const numbers = world
      .items('PAYOUT_PAYMENT')
      .filter(({ PK }) => PK.includes(made['batch']!))
      .map(({ endToEndId }) => endToEndId);
    expect(new Set(numbers).size).toBe(3);
    const [first, second] = numbers;
    expect(one(of('PAYOUT_RESERVED', 'batch'))).toMatchObject({ endToEndId: first });
    expect(one(of('PAYOUT_MOVED', 'batch'))).toMatchObject({ endToEndId: second });
    expect(one(of('PAYOUT_PAID', 'batch'))).toMatchObject({ endToEndId: first });
  });

  test('for a transfer between accounts of the company, with the holder of the other side', () => {
    const party = (accountId: string) => {
      const { fullName, document, bankAccountData } = item('ACCOUNT', accountId) as unknown as Account;
      const { ispb, branchNumber: branch, accountNumber } = bankAccountData;
      return { name: fullName, document, bank: { ispb, branch, account: accountNumber } };
    };
    const { endToEndId } = item('PAYOUT', made['transfer']!);
    expect(one(of('PAYOUT_RECEIVED'))).toMatchObject({ accountId: other, endToEndId, counterparty: party(account) });
    const paying = item('PAYOUT', made['payingOwn']!);
    const paidCharge = { accountId: other, endToEndId: paying['endToEndId'], counterparty: party(account) };
    expect(one(of('PAY_IN', 'ownCharge'))).toMatchObject(paidCharge);
    const [gone] = world.items('REFUND').filter(({ orderId }) => orderId === made['ownCharge']);
    const back = { accountId: account, endToEndId: gone!['endToEndId'], counterparty: party(other) };
    expect(one(of('REFUND_RECEIVED'))).toMatchObject(back);
  });

  test('for money that no charge expected, and for fees', () => {
    const credits = of('UNMATCHED_CREDIT').map(({ endToEndId, orderId, counterparty }) => [
      endToEndId,
      orderId,
      counterparty,
    ]);
    expect(credits.toSorted()).toEqual([
      [e2e(2), undefined, stranger],
      [e2e(3), undefined, undefined],
      [e2e(4), made['atBank'], stranger],
    ]);
    const fees = of('BANK_FEE').map(({ endToEndId, orderId }) => [endToEndId, orderId]);
    expect(fees.toSorted()).toEqual([
      [e2e(1), made['atBank']],
      [e2e(3), undefined],
      [e2e(9), made['late']],
    ]);
  });
});

describe('an entry stays within one write unit', () => {
  test('with the longest names, whatever moved it', () => {
    const sizes = world.items('LEDGER_ENTRY').map((entry) => costOf(undefined, entry, 2));
    expect(Math.max(...sizes.map(({ bytes }) => bytes))).toBeGreaterThan(800);
    for (const { units } of sizes) expect(units.table).toBe(2);
  });

  test('with everything that one entry can name at once, at its longest, in the last shard', () => {
    const bankData = { ispb: '60701190', branch: '9999-X', account: '9'.repeat(20) };
    const posting = {
      ...{
        accountId: account,
        kind: 'PAYOUT_RETURNED_LATE' as const,
        at: paidAt,
        entryId: other,
        shard: maxShards - 1,
      },
      ...{ available: centavos(-999_999_999_999), reserved: centavos(999_999_999_999) },
      ...{ orderId: other, refundId: '0'.repeat(32), endToEndId: e2e(1), controlNumber: '0'.repeat(20) },
      counterparty: counterpartyOf({ ...person, document: holder.document, bank: bankData }),
    } as const;
    expect(posting.counterparty.bank).toEqual(bankData);
    const { put } = ledgerEntryPut(companyOne, posting);
    expect(parseLedgerEntry(put)).toMatchObject({ counterparty: posting.counterparty });
    expect(costOf(undefined, put, 2).bytes).toBeLessThanOrEqual(1024);
  });

  test('and leaves out an account whose number is longer than any real one', () => {
    const bankData = { ispb: '60701190', branch: '0001', account: '語'.repeat(140) };
    const kept = { name: longName, document: person.document.number };
    expect(counterpartyOf({ ...person, bank: bankData })).toEqual(kept);
    expect(counterpartyOf({ ...person, bank: { ispb: '60701190', account: '1' } })).toEqual({
      ...kept,
      bank: { ispb: '60701190', account: '1' },
    });
  });
});
