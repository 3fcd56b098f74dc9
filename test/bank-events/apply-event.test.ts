import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { returnUnmatched } from '#infra/operator/bank.ts';
import { centavos } from '#shared/core/money.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { applyReceivedPix } from '#shared/bank-events/credits.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { account, accountElsewhere, companyOne, payInBody, payoutBody, receiver } from '../support/bank-world.ts';
import { attempt, attemptDay, attemptNumber } from '../support/bank-attempts.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { subscriptionBody } from '../support/subscription-world.ts';
import { chave, connect, e2e, paidAt, rtrId } from './bank-events-world.ts';
import { connectionId } from '../support/connected-items.ts';

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
const entries = () => world.items('LEDGER_ENTRY').map(({ kind }) => kind);
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
  test('pays its pay-in with one call to the bank, and a replay makes no call', async () => {
    const id = await payIn();
    const events = bank.pays(1, txidOf(id), 2500);
    expect(await bank.hear(events)).toBe('MOVED');
    expect(await payInStatus(id)).toBe('PAID');
    expect(bank.known.calls).toBe(1);
    for (let times = 0; times < 1000; times += 1) expect(await bank.hear(events)).toBe('SAME');
    expect(bank.known.calls).toBe(1);
    expect(entries().filter((kind) => kind === 'PAY_IN')).toHaveLength(1);
    expect(world.notifications().filter(({ event }) => event === 'ORDER-PAYIN.PAID')).toHaveLength(1);
  });

  test('is applied as the bank reports it: a forged callback body leaves the pay-in PENDING', async () => {
    const id = await payIn();
    expect(await bank.hear({ kind: 'PIX', endToEndId: e2e(7), txid: txidOf(id) })).toBe('UNKNOWN');
    expect(await payInStatus(id)).toBe('PENDING');
    bank.pays(7, undefined, 100);
    expect(await bank.hear({ kind: 'PIX', endToEndId: e2e(7), txid: txidOf(id) })).toBe('MOVED');
    expect(await payInStatus(id)).toBe('PENDING');
    expect(entries()).toContain('UNMATCHED_CREDIT');
  });

  test.each([
    ['without a txid', undefined],
    ['with a txid that is no reference of ours', 'abcdefghijklmnopqrstuvwxyz'],
    ['with a txid of ours that no order has', '0123456789abcdef0123456789abcd00'],
  ])('%s is credited once, as unexpected money', async (_name, txid) => {
    const events = bank.pays(2, txid, 300);
    expect(await bank.hear(events)).toBe('MOVED');
    expect(await bank.hear(events)).toBe('SAME');
    expect(entries().filter((kind) => kind === 'UNMATCHED_CREDIT')).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test('pays its charge once, and a second one for the same charge is a credit of its own', async () => {
    const id = await payIn();
    const both = [bank.pays(1, txidOf(id), 2500), bank.pays(2, txidOf(id), 2500)];
    await Promise.all(both.map((events) => bank.hear(events)));
    expect(await payInStatus(id)).toBe('PAID');
    expect(
      entries()
        .filter((kind) => kind === 'PAY_IN' || kind === 'UNMATCHED_CREDIT')
        .toSorted(),
    ).toEqual(['PAY_IN', 'UNMATCHED_CREDIT']);
  });
});

describe('a devolução', () => {
  test.each([
    ['SETTLED', { status: 'SETTLED', returnId: rtrId(1), at: paidAt } as const, 'REFUNDED'],
    ['FAILED', { status: 'FAILED', reason: 'The account is closed.' } as const, 'PAID'],
  ])('changes its refund once when the bank reports its status %s', async (status, state, payInIs) => {
    const id = await payIn();
    await bank.hear(bank.pays(1, txidOf(id), 2500));
    const refundId = await refund(id);
    const events: BankEvent = { kind: 'RETURN', endToEndId: e2e(1), id: refundId };
    expect(await bank.hear(events)).toBe('UNKNOWN');
    bank.known.refunds.set(refundId, state);
    expect(await bank.hear(events)).toBe('MOVED');
    expect(await bank.hear(events)).toBe('SAME');
    expect(world.items('REFUND')[0]?.['status']).toBe(status);
    expect(await payInStatus(id)).toBe(payInIs);
  });

  test('without a refund (an unsolicited return) is listed and reported once, and books no entry', async () => {
    const id = await payIn();
    await bank.hear(bank.pays(1, txidOf(id), 2500));
    const returned = { id: 'med1', returnId: rtrId(9), amount: centavos(2500), at: paidAt };
    bank.pays(1, txidOf(id), 2500, { returns: [returned] });
    const before = entries();
    const events: BankEvent = { kind: 'RETURN', endToEndId: e2e(1), id: 'med1' };
    expect(await bank.hear(events)).toBe('MOVED');
    expect(await bank.hear(events)).toBe('SAME');
    expect(await bank.hear({ ...events, id: 'med2' }), 'not shown yet').toBe('UNKNOWN');
    expect(entries()).toEqual(before);
    expect(world.items('FOREIGN_RETURN')).toMatchObject([{ returnId: rtrId(9), amount: 2500, endToEndId: e2e(1) }]);
    expect(errors.map(({ message }) => message)).toEqual(['Bank returned a payment without a refund request']);
  });
});

describe('the return of a credit that an operator requested', () => {
  const asked = async (): Promise<string> => {
    await bank.hear(bank.pays(1, undefined, 2500));
    await returnUnmatched(world.deps, { companyId: companyOne, endToEndId: e2e(1) });
    return textOf(world.items('CREDIT_RETURN')[0]?.['id']);
  };
  const money = async () => {
    const { body } = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
    const { available, reserved } = body as { available: string; reserved: string };
    return [world.items('CREDIT')[0]?.['status'], available, reserved];
  };
  const settled = { status: 'SETTLED', returnId: rtrId(1), at: paidAt } as const;

  test.each([
    ['SETTLED', settled, ['RETURNED', '0.00', '0.00']],
    ['FAILED', { status: 'FAILED', reason: 'The account is closed.' } as const, ['OPEN', '25.00', '0.00']],
  ])('changes its status once when the bank reports %s', async (_status, state, after) => {
    const id = await asked();
    const events: BankEvent = { kind: 'RETURN', endToEndId: e2e(1), id: id.toUpperCase() };
    expect(await bank.hear(events)).toBe('UNKNOWN');
    bank.known.refunds.set(id, { status: 'PENDING' });
    const before = world.items('CREDIT_RETURN');
    expect(await bank.hear(events)).toBe('SAME');
    expect(world.items('CREDIT_RETURN'), 'polled at its time').toEqual(before);
    expect(await money()).toEqual(['OPEN', '0.00', '25.00']);
    bank.known.refunds.set(id, state);
    expect(await bank.hear(events)).toBe('MOVED');
    await bank.hear(events);
    expect(await money()).toEqual(after);
  });

  test('settles when the payment shows it with its amount, and is not listed as unsolicited', async () => {
    const id = await asked();
    const shows = async (amount: number) => {
      bank.pays(1, undefined, 2500, { returns: [{ id, returnId: rtrId(1), amount: centavos(amount), at: paidAt }] });
      const context = await bankEventContext(bank.events, companyOne, connectionId);
      return applyReceivedPix(context!, bank.known.received.get(e2e(1))!);
    };
    expect(await shows(2499)).toBe('SAME');
    expect(await money()).toEqual(['OPEN', '0.00', '25.00']);
    expect([await shows(2500), await shows(2500)]).toEqual(['MOVED', 'SAME']);
    expect(await money()).toEqual(['RETURNED', '0.00', '0.00']);
    expect(world.items('FOREIGN_RETURN')).toEqual([]);
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

  test('is PAID when the bank reports it as paid, even with an error code in the callback body', async () => {
    const id = await createPayout();
    const reference = txidOf(id);
    const events: BankEvent = { kind: 'PAYOUT', idEnvio: reference, code: 'AC03' };
    const amount = centavos(1000);
    bank.known.sent.set(reference, { reference, amount, state: { status: 'ACCEPTED', returns: [] } });
    expect(await bank.hear(events)).toBe('SAME');
    expect(await payoutStatus(id)).toMatchObject({ status: 'PENDING' });
    bank.known.sent.set(reference, { reference, amount, state: { status: 'PAID', at: paidAt, returns: [] } });
    expect(await bank.hear(events)).toBe('MOVED');
    expect(await bank.hear(events)).toBe('SAME');
    expect(await payoutStatus(id)).toMatchObject({ status: 'PAID' });
  });

  test('takes the error code of the callback body when the bank reports a failure without a code', async () => {
    const id = await createPayout();
    const reference = txidOf(id);
    const state = { status: 'ERROR', reason: 'NAO_REALIZADO', returns: [] } as const;
    bank.known.sent.set(reference, { reference, amount: centavos(1000), state });
    expect(await bank.hear({ kind: 'PAYOUT', idEnvio: reference, code: 'AC03' })).toBe('MOVED');
    expect(JSON.stringify(await payoutStatus(id))).toContain('AC03');
    expect(entries()).toContain('PAYOUT_RETURNED');
  });

  test('takes the error code of the bank, not of the callback body, when the bank reports one', async () => {
    const id = await createPayout();
    const state = { status: 'ERROR', code: 'AC07', reason: 'Closed.', returns: [] } as const;
    bank.known.sent.set(txidOf(id), { reference: txidOf(id), amount: centavos(1000), state });
    await bank.hear({ kind: 'PAYOUT', idEnvio: txidOf(id), code: 'AC03' });
    expect(await payoutStatus(id)).toMatchObject({ status: 'ERROR', errorMessage: 'AC07: Closed.' });
  });

  test('is UNKNOWN when its reference names a part that the order does not have', async () => {
    const reference = txidOf((await createPayout()).replace(/..$/u, '05'));
    const state = { status: 'PAID', at: paidAt, returns: [] } as const;
    bank.known.sent.set(reference, { reference, amount: centavos(1000), state });
    expect(await bank.hear({ kind: 'PAYOUT', idEnvio: reference })).toBe('UNKNOWN');
  });

  test('stays PAID when money of it is returned, and the money is credited once', async () => {
    const id = await createPayout();
    const reference = txidOf(id);
    const paid = { status: 'PAID', at: paidAt, returns: [] } as const;
    const events: BankEvent = { kind: 'PAYOUT', idEnvio: reference };
    bank.known.sent.set(reference, { reference, amount: centavos(1000), state: paid });
    await bank.hear(events);
    const returns = [{ returnId: rtrId(3), amount: centavos(400), at: paidAt }];
    bank.known.sent.set(reference, { reference, amount: centavos(1000), state: { ...paid, returns } });
    await bank.hear(events);
    await bank.hear(events);
    expect(entries().filter((kind) => kind === 'PAYOUT_RETURNED_LATE')).toHaveLength(1);
    expect(await payoutStatus(id)).toMatchObject({ status: 'PAID' });
  });

  test('stays PAID when it is a TED that its bank rejects after it was sent, and the whole money is credited once', async () => {
    const id = await createPayout({ paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere }, receiver });
    const reference = txidOf(id);
    const event: BankEvent = { kind: 'PAYOUT', idEnvio: reference };
    const paid = { status: 'PAID', at: paidAt, returns: [] } as const;
    const reason = { code: 'conta_destinatario_encerrada', reason: 'Closed.' };
    const rejected = { status: 'ERROR', ...reason, cameBack: true, returns: [] } as const;
    for (const state of [paid, rejected, rejected, paid, rejected]) {
      bank.known.sent.set(reference, { reference, amount: centavos(1000), state });
      await bank.hear(event);
    }
    expect(entries().filter((kind) => kind === 'PAYOUT_RETURNED_LATE')).toHaveLength(1);
    const [entry] = world.items('LEDGER_ENTRY').filter(({ kind }) => kind === 'PAYOUT_RETURNED_LATE');
    expect(entry).toMatchObject({ available: 1000, orderId: id, controlNumber: expect.any(String) as string });
    expect(entry).not.toHaveProperty('endToEndId');
    expect(await payoutStatus(id)).toMatchObject({ status: 'PAID' });
  });

  test('is credited nothing when its bank contradicts itself about a paid TED, and does not say that it came back', async () => {
    const id = await createPayout({ paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere }, receiver });
    const reference = txidOf(id);
    const states = [
      { status: 'PAID', at: paidAt, returns: [] },
      { status: 'ERROR', code: 'AC03', reason: 'Closed.', returns: [] },
    ] as const;
    for (const state of states) {
      bank.known.sent.set(reference, { reference, amount: centavos(1000), state });
      await bank.hear({ kind: 'PAYOUT', idEnvio: reference });
    }
    expect(entries()).not.toContain('PAYOUT_RETURNED_LATE');
    expect(await payoutStatus(id)).toMatchObject({ status: 'PAID' });
  });

  test.each(['not-a-reference', '0123456789abcdef0123456789abcd00'])(
    'is UNKNOWN when no order has its reference %s',
    async (idEnvio) => {
      expect(await bank.hear({ kind: 'PAYOUT', idEnvio })).toBe('UNKNOWN');
    },
  );
});

describe('a recurrence', () => {
  test('is found by the id that its bank gave it', async () => {
    const { id } = await world.created(subscriptionBody());
    const idRec = textOf(world.items('SUBSCRIPTION').find((one) => one['id'] === id)?.['providerId']);
    const events: BankEvent = { kind: 'RECURRENCE', idRec };
    expect(await bank.hear(events)).toBe('UNKNOWN');
    const history = [
      { status: 'CREATED', at: paidAt },
      { status: 'APPROVED', at: paidAt },
    ] as const;
    bank.known.recurrences.set(idRec, { recurrenceId: idRec, location: 'pix.example/rec/1', history });
    expect(await bank.hear(events)).toBe('MOVED');
    expect(await bank.hear(events)).toBe('SAME');
    expect(world.items('SUBSCRIPTION').find((one) => one['id'] === id)?.['status']).toBe('ACCEPTED');
  });

  test('is UNKNOWN, without a call to the bank, when no subscription has its id', async () => {
    expect(await bank.hear({ kind: 'RECURRENCE', idRec: 'RR9999999920261125abcdefghijk' })).toBe('UNKNOWN');
    expect(bank.known.calls).toBe(0);
  });
});

describe('a recurring charge', () => {
  test('completes by its attempt, and its Pix is not credited again', async () => {
    const [subscription] = world.items('SUBSCRIPTION');
    await world.store.writeOne({
      update: { PK: subscription!.PK, SK: subscription!.SK },
      set: { connection: connectionId },
      when: { is: 'present' },
    });
    const payment = await world.scheduled(paymentBody({ dueDate: attemptDay }));
    world.clock.now = '2026-01-20T12:00:00.000Z';
    const txid = txidOf(payment.id);
    const state = { attempts: [attempt(['SCHEDULED', 'PAID'])] };
    bank.known.charges.set(txid, { txid, idRec: 'RR9999999920261125abcdefghijk', state });
    const amount = Number(world.items('SCHEDULED_PAYMENT')[0]?.['amount']);
    const pix = bank.pays(1, txid, amount, { endToEndId: attemptNumber });
    bank.known.received.set(attemptNumber, {
      endToEndId: attemptNumber,
      amount: centavos(amount),
      at: paidAt,
      returns: [],
      chave,
      txid,
    });
    expect(await bank.hear({ ...pix, endToEndId: attemptNumber } as BankEvent)).toBe('MOVED');
    expect(await bank.hear({ kind: 'RECURRING_CHARGE', txid })).toBe('SAME');
    expect((await world.payment(payment.id)).status).toBe('COMPLETED');
    expect(entries().filter((kind) => kind === 'PAY_IN')).toHaveLength(1);
    expect(entries()).not.toContain('UNMATCHED_CREDIT');
  });

  test('is UNKNOWN, without a call to the bank, when no scheduled payment has its txid', async () => {
    const txid = '0123456789abcdef0123456789abcdef';
    expect(await bank.hear({ kind: 'RECURRING_CHARGE', txid })).toBe('UNKNOWN');
    expect(bank.known.calls).toBe(0);
  });
});
