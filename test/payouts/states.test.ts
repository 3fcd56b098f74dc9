import { describe, expect, it } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import type { BatchPayment, Payout, PayoutWithPayments } from '#shared/payouts/model.ts';
import { createdPayout, isFinal } from '#shared/payouts/model.ts';
import type { PayoutEvent } from '#shared/payouts/states.ts';
import { decidePayout, selectPayments } from '#shared/payouts/states.ts';
import { RequestError } from '#shared/core/errors.ts';

const createdAt = '2026-01-15T15:00:00.000Z';
const at = '2026-01-15T16:00:00.000Z';
const bank = { ispb: '99999004', account: '1234567' };

function payout(more: Partial<Payout> = {}): Payout {
  return {
    id: '6f1b3c2e-0000-4000-8000-00000000ab00',
    externalId: 'P-1',
    accountId: 'A',
    paymentMethod: 'PIX',
    initiation: 'KEY',
    amount: centavos(3000),
    description: 'Supplier',
    receiver: { name: 'Maria', document: { type: 'CPF', number: '52998224725' }, bank },
    ownerBank: { name: 'Padaria', document: '11444777000161', bank },
    paymentData: { pixKey: '52998224725' },
    idempotencyKey: 'k',
    endToEndId: 'E9999900420260115150000000000001',
    sendAt: createdAt,
    createdAt,
    status: 'PENDING',
    updatedAt: createdAt,
    version: 1,
    ...more,
  };
}

function batch(...statuses: readonly BatchPayment['status'][]): PayoutWithPayments {
  const payments = statuses.map((status, index) => ({
    sequence: index + 1,
    amount: centavos(1000),
    status,
    endToEndId: `E${index + 1}`,
    updatedAt: createdAt,
  }));
  const openPayments = statuses.filter((status) => status === 'PENDING').length;
  return { payout: payout({ amount: centavos(1000 * statuses.length), openPayments }), payments };
}

const facts = {
  PAID: { outcome: 'PAID', at: '2026-01-15T15:59:58.000Z', endToEndId: 'E1' },
  ERROR: { outcome: 'ERROR', code: 'AC03', reason: 'No such account.' },
  CANCELED: { outcome: 'CANCELED' },
} as const satisfies Record<string, PayoutEvent>;
type End = keyof typeof facts;
const ends = ['PAID', 'ERROR', 'CANCELED'] as const;

/** What becomes of everything that a trigger means: a payment of a batch by its place, or all that is open. */
function moved(order: PayoutWithPayments, end: End, sequence?: number) {
  const { outcome, parts } = selectPayments(order, end, sequence);
  return decidePayout(
    order,
    parts.map((one) => ({ ...one, event: facts[outcome] })),
    at,
  );
}

const single = (more: Partial<Payout> = {}): PayoutWithPayments => ({ payout: payout(more), payments: [] });

describe('a payout that was not split', () => {
  it('spends the reserved amount when it is paid, at the time that the bank gives', () => {
    const { after, balance, changed: payments } = moved(single(), 'PAID');
    const paidAt = facts.PAID.at;
    expect(after.payout).toEqual({ ...payout(), status: 'PAID', paidAt, updatedAt: at, version: 2 });
    expect(balance).toEqual({ kind: 'PAYOUT_PAID', available: 0, reserved: -3000 });
    expect(payments).toEqual([]);
  });

  it.each(['ERROR', 'CANCELED'] as const)('gives the money back when it becomes %s', (end) => {
    const { after, balance } = moved(single(), end);
    expect(after.payout).toMatchObject({ status: end, updatedAt: at });
    expect(after.payout.paidAt).toBeUndefined();
    expect(balance).toEqual({ kind: 'PAYOUT_RETURNED', available: 3000, reserved: -3000 });
  });

  it('has an error message, beginning with the code of the bank if there is one, only when it failed', () => {
    const message = (event: PayoutEvent) => decidePayout(single(), [{ event }], at).after.payout.errorMessage;
    expect(message(facts.ERROR)).toBe('AC03: No such account.');
    expect(message({ outcome: 'ERROR', reason: 'No.' })).toBe('No.');
    expect(decidePayout(single(), [{ event: facts.CANCELED }], at).after.payout).not.toHaveProperty('errorMessage');
  });

  it('takes the number under which it was settled if it had none', () => {
    const { endToEndId: _none, ...unsent } = payout({ paymentMethod: 'TED' });
    const facts = { outcome: 'PAID', at, controlNumber: 'STR20260115000000001' } as const;
    const settled = (one: Payout) => decidePayout({ payout: one, payments: [] }, [{ event: facts }], at).after.payout;
    expect(settled(unsent).controlNumber).toBe('STR20260115000000001');
    expect(settled({ ...unsent, controlNumber: 'STR20260115000000002' }).controlNumber).toBe('STR20260115000000002');
    expect(settled(payout())).not.toHaveProperty('controlNumber');
    expect(
      decidePayout({ payout: unsent, payments: [] }, [{ event: { outcome: 'PAID', at } }], at).after.payout,
    ).not.toHaveProperty('controlNumber');
  });

  it('takes the end-to-end id of a PIX when the bank gives it late, and keeps the one it has', () => {
    const { endToEndId: _none, ...unsent } = payout();
    const settled = (one: Payout, event: PayoutEvent) =>
      decidePayout({ payout: one, payments: [] }, [{ event }], at).after.payout;
    expect(settled(unsent, facts.PAID).endToEndId).toBe('E1');
    expect(settled(payout(), facts.PAID).endToEndId).toBe(payout().endToEndId);
    expect(settled(unsent, { outcome: 'PAID', at })).not.toHaveProperty('endToEndId');
  });

  it.each(['PAID', 'ERROR', 'CANCELED', 'PARTIALLY_PAID'] as const)(
    'refuses every transition when it is %s',
    (status) => {
      for (const end of ends) {
        const refused = `${end} is not allowed: the status is ${status}; no move is allowed from it.`;
        expect(() => selectPayments(single({ status }), end)).toThrow(refused);
        expect(() => decidePayout(single({ status }), [{ event: facts[end] }], at)).toThrow(refused);
      }
    },
  );

  it.each(['EXPIRED', 'REFUNDED', 'PENDING', 'PARTIALLY_PAID', 'paid'])('refuses a transition to %s', (trigger) => {
    expect(() => selectPayments(single(), trigger)).toThrow(/allowed from it: PAID, ERROR, CANCELED\.$/);
  });

  it('refuses the transition of a single payment', () => {
    expect(() => selectPayments(single(), 'PAID', 1)).toThrow(RequestError);
    const one = () => decidePayout(single(), [{ sequence: 1, event: facts.PAID }], at);
    expect(one).toThrow(RequestError);
    expect(one).toThrow('Order not found.');
  });
});

describe('a batch', () => {
  it('settles one payment with its amount and stays PENDING while another is open', () => {
    const { after, changed: payments, balance } = moved(batch('PENDING', 'PENDING'), 'PAID', 2);
    expect(after.payments.map(({ status }) => status)).toEqual(['PENDING', 'PAID']);
    expect(after.payout).toMatchObject({ status: 'PENDING', version: 2, updatedAt: at, openPayments: 1 });
    expect(payments).toMatchObject([{ sequence: 2, status: 'PAID', paidAt: facts.PAID.at }]);
    expect(balance).toEqual({ kind: 'PAYOUT_PAID', available: 0, reserved: -1000 });
  });

  it('goes by the end-to-end id of its first payment where it has none', () => {
    const { payout: numbered, payments } = batch('PENDING', 'PENDING');
    const { endToEndId: _none, ...unnumbered } = numbered;
    expect(moved({ payout: unnumbered, payments }, 'PAID', 2).after.payout.endToEndId).toBe('E1');
  });

  it('becomes final with its last payment', () => {
    const { after } = moved(batch('PAID', 'PENDING'), 'PAID', 2);
    expect(after.payout).toMatchObject({ status: 'PAID', paidAt: at, openPayments: 0 });
    expect(isFinal(after.payout)).toBe(true);
  });

  it('has the paid and unpaid amounts in its message when only a part was paid', () => {
    const { after } = moved(batch('PAID', 'PAID', 'PENDING'), 'ERROR', 3);
    expect(after.payout.status).toBe('PARTIALLY_PAID');
    expect(after.payout.paidAt).toBeUndefined();
    expect(after.payout.errorMessage).toBe(
      'BRL 20.00 was paid in 2 of 3 payments; BRL 10.00 in 1 was not paid and is back in the account.',
    );
  });

  it.each(['ERROR', 'CANCELED'] as const)(
    'has BRL 0.00 as paid in its message when no payment was paid and the last becomes %s',
    (end) => {
      const { after } = moved(batch('CANCELED', 'PENDING'), end);
      expect(after.payout).toMatchObject({
        status: 'ERROR',
        errorMessage: 'BRL 0.00 was paid in 0 of 2 payments; BRL 20.00 in 2 was not paid and is back in the account.',
      });
      expect(after.payout.paidAt).toBeUndefined();
    },
  );

  it('has no error message while a payment is open', () => {
    const { after } = moved(batch('ERROR', 'PENDING', 'PENDING'), 'ERROR', 2);
    expect(after.payout.status).toBe('PENDING');
    expect(after.payout).not.toHaveProperty('errorMessage');
    expect(after.payout).not.toHaveProperty('paidAt');
  });

  it('settles every open payment, and no other, when it is settled as a whole', () => {
    const { after, changed: payments, balance } = moved(batch('ERROR', 'PENDING', 'PENDING'), 'PAID');
    expect(after.payments.map(({ status }) => status)).toEqual(['ERROR', 'PAID', 'PAID']);
    expect(payments.map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(after.payout.status).toBe('PARTIALLY_PAID');
    expect(balance.reserved).toBe(-2000);
  });

  it('settles several payments in one transition when they have different outcomes', () => {
    const reportedEvents = [
      { sequence: 1, event: facts.PAID },
      { sequence: 3, event: facts.ERROR },
    ];
    const { after, balance } = decidePayout(batch('PENDING', 'PENDING', 'PENDING'), reportedEvents, at);
    expect(after.payments).toMatchObject([
      { status: 'PAID' },
      { status: 'PENDING' },
      { status: 'ERROR', errorMessage: 'AC03: No such account.' },
    ]);
    expect(after.payout.status).toBe('PENDING');
    expect(balance).toEqual({ kind: 'PAYOUT_MOVED', available: 1000, reserved: -2000 });
  });

  it('refuses a second transition of a payment, and one of a payment that it does not have', () => {
    const order = batch('PAID', 'PENDING');
    const buildErrorEvents = (...sequences: readonly number[]) =>
      sequences.map((sequence) => ({ sequence, event: facts.ERROR }));
    expect(() => decidePayout(order, buildErrorEvents(1), at)).toThrow(/the status is PAID/);
    expect(() => decidePayout(order, buildErrorEvents(2, 1), at)).toThrow(/the status is PAID/);
    expect(() => decidePayout(order, buildErrorEvents(3), at)).toThrow('Order not found.');
    expect(() => decidePayout(order, [], at)).toThrow(RangeError);
    expect(() => decidePayout(order, [{ event: facts.PAID }], at)).toThrow(RangeError);
    expect(() => selectPayments(order, 'ERROR', 1)).toThrow(/the status is PAID/);
    expect(() => selectPayments(order, 'ERROR', 3)).toThrow(/not found/);
  });
});

describe('another account of the company', () => {
  const { id } = payout();
  const received = (amount: number) => ({ kind: 'PAYOUT_RECEIVED', accountId: 'B', orderId: id, amount });
  const internal = (order: PayoutWithPayments, payInId?: string): PayoutWithPayments => ({
    ...order,
    payout: { ...order.payout, internal: { accountId: 'B', ...(payInId !== undefined && { payInId }) } },
  });
  const charged = (order: PayoutWithPayments) => internal(order, 'charge');

  it('is credited when a payout to it is paid, and not when the payout fails or goes elsewhere', () => {
    expect(moved(internal(single()), 'PAID').credit).toEqual(received(3000));
    for (const order of [internal(single()), charged(single())])
      for (const end of ['ERROR', 'CANCELED'] as const) expect(moved(order, end)).not.toHaveProperty('credit');
    expect(moved(single(), 'PAID')).not.toHaveProperty('credit');
  });

  it('is credited with each payment of a batch when that payment is paid', () => {
    expect(moved(internal(batch('PAID', 'PENDING', 'PENDING')), 'PAID', 2).credit).toEqual(received(1000));
    expect(moved(internal(batch('PAID', 'PENDING', 'PENDING')), 'PAID').credit).toEqual(received(2000));
    expect(moved(internal(batch('PAID', 'PENDING')), 'ERROR')).not.toHaveProperty('credit');
    const reportedEvents = [
      { sequence: 1, event: facts.PAID },
      { sequence: 2, event: facts.ERROR },
    ];
    expect(decidePayout(internal(batch('PENDING', 'PENDING')), reportedEvents, at).credit).toEqual(received(1000));
  });

  it('has its charge paid in full when the last payment is paid', () => {
    const whole = { kind: 'PAY_IN', accountId: 'B', orderId: 'charge', amount: 3000 };
    expect(moved(charged(single()), 'PAID').credit).toEqual(whole);
    expect(moved(charged(batch('PENDING', 'PENDING', 'PENDING')), 'PAID', 1)).not.toHaveProperty('credit');
    expect(moved(charged(batch('PAID', 'PAID', 'PENDING')), 'PAID').credit).toEqual(whole);
  });

  it('is credited with the paid part, and its charge is not paid, when another part failed', () => {
    expect(moved(charged(batch('PAID', 'PAID', 'PENDING')), 'ERROR').credit).toEqual(received(2000));
    expect(moved(charged(batch('ERROR', 'PENDING')), 'ERROR')).not.toHaveProperty('credit');
  });
});

describe('a payout as it was created', () => {
  it('is the same after every transition', () => {
    const order = batch('PENDING', 'PENDING', 'PENDING');
    const one = moved(order, 'PAID', 1).after;
    const all = moved(one, 'ERROR').after;
    expect(createdPayout(all)).toEqual(order);
    expect(createdPayout(order)).toEqual(order);
  });

  it('has the control number of a TED that was sent immediately, and not that of one that had to wait', () => {
    const ted = { paymentMethod: 'TED', controlNumber: 'STR20260115000000001' } as const;
    expect(createdPayout(single(ted)).payout.controlNumber).toBe('STR20260115000000001');
    const waited = single({ ...ted, sendAt: '2026-01-16T09:30:00.000Z' });
    expect(createdPayout(waited).payout.controlNumber).toBeUndefined();
  });
});
