import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { applyBankEvent } from '#shared/bank-events/apply-event.ts';
import { applyReceivedPix } from '#shared/bank-events/credits.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import { reports } from '#shared/bank/report.ts';
import { account, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { attempt, attemptDay } from '../support/bank-attempts.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { subscriptionBody } from '../support/subscription-world.ts';
import { connect, e2e, paidAt, readLists, rtrId } from './bank-events-world.ts';
import { connectedItems, connectionId, onlyConnection } from '../support/connected-items.ts';

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let errors: ReturnType<typeof collectErrors>;
beforeEach(async () => {
  errors = collectErrors();
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true });
  world.bank.recurringCharges.prepare = () => Promise.resolve({});
  bank = await connect(world);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const txidOf = (id: string): string => id.replaceAll('-', '');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const payIn = async (): Promise<string> => {
  const { status, body, text } = await world.createPayIn({
    companyId: companyOne,
    body: payInBody(),
    key: crypto.randomUUID(),
  });
  expect(status, text).toBe(201);
  return (body as { id: string }).id;
};
const payInStatus = async (id: string): Promise<unknown> =>
  ((await world.getPayIn({ companyId: companyOne, params: { id } })).body as { status: unknown }).status;
const refund = async (id: string): Promise<string> => {
  world.bank.refunds.submit = () => Promise.resolve({ outcome: 'DONE', state: { status: 'PENDING' } });
  const { status, text } = await world.refundPayIn({ companyId: companyOne, params: { id }, body: {}, key: 'r' });
  expect(status, text).toBe(201);
  return textOf(world.items('REFUND')[0]?.['id']);
};

describe('a received Pix', () => {
  test.each([
    ['another PIX key of the account', 'another@bank.example'],
    ['no PIX key', undefined],
  ])('pays the charge of its txid when the bank names %s', async (_name, key) => {
    const id = await payIn();
    const events = bank.pays(1, txidOf(id), 2500);
    const { chave: _own, ...pix } = bank.known.received.get(e2e(1))!;
    bank.known.received.set(e2e(1), { ...pix, ...(key !== undefined && { chave: key }) });
    expect(await bank.hear(events)).toBe('MOVED');
    expect(await payInStatus(id)).toBe('PAID');
  });

  test('pays the charge of its txid when the bank writes the txid in capitals', async () => {
    const id = await payIn();
    expect(await bank.hear(bank.pays(1, txidOf(id).toUpperCase(), 2500))).toBe('MOVED');
    expect(await payInStatus(id)).toBe('PAID');
  });

  test('is UNKNOWN, and the error is reported, when a later answer has another amount', async () => {
    await bank.hear(bank.pays(2, undefined, 300));
    bank.pays(2, undefined, 301);
    const context = await bankEventContext(bank.events, companyOne, connectionId);
    expect(await applyReceivedPix(context!, bank.known.received.get(e2e(2))!)).toBe('UNKNOWN');
    expect(errors.at(-1)?.['message']).toBe('Bank response named another resource than the request');
  });
});

describe('a devolução', () => {
  test('for a refund leaves it PENDING when the payment shows it with another amount', async () => {
    const id = await payIn();
    await bank.hear(bank.pays(1, txidOf(id), 2500));
    const refundId = await refund(id);
    const returned = { id: refundId, returnId: rtrId(1), at: paidAt };
    bank.pays(1, txidOf(id), 2500, { returns: [{ ...returned, amount: centavos(2499) }] });
    const context = await bankEventContext(bank.events, companyOne, connectionId);
    const hear = () => applyReceivedPix(context!, bank.known.received.get(e2e(1))!);
    expect(await hear()).toBe('SAME');
    expect(world.items('REFUND')[0]?.['status']).toBe('PENDING');
    expect(world.items('FOREIGN_RETURN')).toEqual([]);
    expect(errors.map(({ message }) => message)).toEqual(['Bank response named another resource than the request']);
    bank.pays(1, txidOf(id), 2500, { returns: [{ ...returned, amount: centavos(2500) }] });
    expect(await hear()).toBe('MOVED');
    expect(world.items('REFUND')[0]?.['status']).toBe('SETTLED');
  });
});

describe('a payout', () => {
  const createPayout = async (body: object = {}) => {
    await world.openAccount(10_000_000, { id: account.replace('a', 'b') });
    world.bank.payouts.send.submit = () =>
      Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
    const accountId = account.replace('a', 'b');
    const {
      status,
      body: payout,
      text,
    } = await world.createPayout({
      companyId: companyOne,
      body: payoutBody({ accountId, ...body }),
      key: 'p',
    });
    expect(status, text).toBe(201);
    return (payout as { id: string }).id;
  };
  const payoutStatus = async (id: string): Promise<Record<string, unknown>> =>
    (await world.getPayout({ companyId: companyOne, params: { id } })).body as Record<string, unknown>;

  const state = { status: 'PAID', at: paidAt, returns: [] } as const;
  test.each([
    ['amount', { amount: centavos(1001), state }],
    ['reference', { reference: 'f'.repeat(32), amount: centavos(1000), state }],
  ])('stays as it is when the bank names another %s', async (_what, reported) => {
    const id = await createPayout();
    bank.known.sent.set(txidOf(id), reported);
    expect(await bank.hear({ kind: 'PAYOUT', idEnvio: txidOf(id) })).toBe('UNKNOWN');
    expect(await payoutStatus(id)).toMatchObject({ status: 'PENDING' });
  });

  test('stays PAID with its end-to-end id when a later answer has another end-to-end id', async () => {
    world.bank.payouts.prepare = () => Promise.resolve({});
    const id = await createPayout();
    const reference = txidOf(id);
    const ofAnswer = (number: number) => {
      const numbered = { ...state, endToEndId: e2e(number) };
      return { reference, amount: centavos(1000), endToEndId: e2e(number), state: numbered };
    };
    bank.known.sent.set(reference, ofAnswer(1));
    expect(await bank.hear({ kind: 'PAYOUT', idEnvio: reference })).toBe('MOVED');
    bank.known.sent.set(reference, ofAnswer(2));
    expect(await bank.hear({ kind: 'PAYOUT', idEnvio: reference })).toBe('UNKNOWN');
    expect(await payoutStatus(id)).toMatchObject({ status: 'PAID', endToEndId: e2e(1) });
    expect(errors.at(-1)?.['message']).toBe('Bank response named another resource than the request');
  });

  test('stays PAID, and the contradiction is reported, when its bank answers later that it failed', async () => {
    const id = await createPayout();
    const reference = txidOf(id);
    const reportState = (now: PaymentState) => {
      bank.known.sent.set(reference, { reference, amount: centavos(1000), state: now });
      return bank.hear({ kind: 'PAYOUT', idEnvio: reference });
    };
    expect(await reportState(state)).toBe('MOVED');
    expect(await reportState({ status: 'ERROR', reason: 'NAO_REALIZADO', returns: [] })).toBe('SAME');
    expect(await payoutStatus(id)).toMatchObject({ status: 'PAID' });
    expect(errors).toMatchObject([{ message: reports.BankContradictions, orderId: id, said: 'ERROR' }]);
  });

  test('is moved by a callback that writes its reference in capitals', async () => {
    const id = await createPayout();
    const reference = txidOf(id);
    bank.known.sent.set(reference, { reference: reference.toUpperCase(), amount: centavos(1000), state });
    expect(await bank.hear({ kind: 'PAYOUT', idEnvio: reference.toUpperCase() })).toBe('MOVED');
    expect(await payoutStatus(id)).toMatchObject({ status: 'PAID' });
  });
});

test('an order is changed by events and lists of its own connection, not by another connection of the company', async () => {
  const known = (await onlyConnection(world.store, companyOne))!;
  const second = connectionId.replaceAll('c', 'd');
  await world.store.write(connectedItems({ ...known, id: second, accounts: {} }), 'second');
  const [accepted] = world.items('SUBSCRIPTION');
  const { PK, SK } = accepted!;
  await world.store.writeOne({ update: { PK, SK }, set: { connection: connectionId }, when: { is: 'present' } });
  const charge = txidOf((await world.scheduled(paymentBody({ dueDate: attemptDay }))).id);
  const { id } = await world.created(subscriptionBody());
  const idRec = textOf(world.items('SUBSCRIPTION').find((one) => one['id'] === id)?.['providerId']);
  world.bank.payouts.send.submit = () =>
    Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
  await world.openAccount(10_000_000, { id: account.replace('a', 'b') });
  const body = payoutBody({ accountId: account.replace('a', 'b') });
  const reference = txidOf(
    textOf(((await world.createPayout({ companyId: companyOne, body, key: 'p' })).body as { id: unknown }).id),
  );
  const paid = { status: 'PAID', at: paidAt, returns: [] } as const;
  bank.known.sent.set(reference, { reference, amount: centavos(1000), state: paid });
  const history = [{ status: 'APPROVED', at: paidAt }] as const;
  bank.known.recurrences.set(idRec, { recurrenceId: idRec, location: 'pix.example/rec/1', history });
  const state = { attempts: [attempt(['REQUESTED', 'SCHEDULED'])] };
  bank.known.charges.set(charge, { txid: charge, idRec: textOf(accepted?.['providerId']), state });
  const all: readonly BankEvent[] = [
    { kind: 'PAYOUT', idEnvio: reference },
    { kind: 'RECURRENCE', idRec },
    { kind: 'RECURRING_CHARGE', txid: charge },
  ];
  const hear = async (connection: string) => {
    const context = (await bankEventContext(bank.events, companyOne, connection))!;
    const ends = [];
    for (const one of all) ends.push(await applyBankEvent(context, one));
    return [ends, (await readLists(context, 'DAILY')).missed];
  };
  const before = world.items();
  expect(await hear(second)).toEqual([['UNKNOWN', 'UNKNOWN', 'UNKNOWN'], 0]);
  expect(world.items()).toEqual(before);
  expect(await hear(connectionId)).toEqual([['MOVED', 'MOVED', 'MOVED'], 0]);
});
