import { describe, expect, it } from 'vitest';
import { centavos } from '../../shared/domain/money.ts';
import type { Payout, PayoutWithPayments } from '../../shared/domain/payout.ts';
import { decidePayout, isFinal, payoutAsCreated } from '../../shared/domain/payout.ts';
import type { BatchPayment } from '../../shared/domain/payout-batch.ts';
import { Refusal } from '../../shared/domain/refusal.ts';

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
  return { payout: payout({ amount: centavos(1000 * statuses.length) }), payments };
}

const single = (more: Partial<Payout> = {}): PayoutWithPayments => ({ payout: payout(more), payments: [] });

describe('a payout that was not split', () => {
  it('spends what was reserved when it is paid', () => {
    const { after, balance, moved } = decidePayout(single(), { trigger: 'PAID', at });
    expect(after.payout).toEqual({ ...payout(), status: 'PAID', paidAt: at, updatedAt: at, version: 2 });
    expect(balance).toEqual({ kind: 'PAYOUT_PAID', available: 0, reserved: -3000 });
    expect(moved).toEqual([]);
  });

  it.each(['ERROR', 'CANCELED'])('gives the money back when it becomes %s', (trigger) => {
    const { after, balance } = decidePayout(single(), { trigger, at });
    expect(after.payout).toMatchObject({ status: trigger, updatedAt: at });
    expect(after.payout.paidAt).toBeUndefined();
    expect(balance).toEqual({ kind: 'PAYOUT_RETURNED', available: 3000, reserved: -3000 });
  });

  it('says why it failed, and only then', () => {
    const reason = 'The account of the receiver does not exist.';
    expect(decidePayout(single(), { trigger: 'ERROR', at, reason }).after.payout.errorMessage).toBe(reason);
    expect(decidePayout(single(), { trigger: 'ERROR', at }).after.payout.errorMessage).toMatch(/did not accept/);
    expect(decidePayout(single(), { trigger: 'CANCELED', at }).after.payout.errorMessage).toBeUndefined();
  });

  it.each(['PAID', 'ERROR', 'CANCELED', 'PARTIALLY_PAID'] as const)('cannot be moved once it is %s', (status) => {
    for (const trigger of ['PAID', 'ERROR', 'CANCELED', 'PENDING'])
      expect(() => decidePayout(single({ status }), { trigger, at })).toThrow(
        `${trigger} is not allowed: the status is ${status}; no move is allowed from it.`,
      );
  });

  it.each(['EXPIRED', 'REFUNDED', 'PENDING', 'PARTIALLY_PAID', 'paid'])('is not moved by %s', (trigger) => {
    expect(() => decidePayout(single(), { trigger, at })).toThrow(/allowed from it: PAID, ERROR, CANCELED\.$/);
  });

  it('has no payments that could be moved by themselves', () => {
    expect(() => decidePayout(single(), { trigger: 'PAID', at, sequences: [1] })).toThrow(Refusal);
  });
});

describe('a batch', () => {
  it('moves one payment with its amount and stays pending while another is open', () => {
    const { after, moved, balance } = decidePayout(batch('PENDING', 'PENDING'), {
      trigger: 'PAID',
      at,
      sequences: [2],
    });
    expect(after.payments.map(({ status }) => status)).toEqual(['PENDING', 'PAID']);
    expect(after.payout).toMatchObject({ status: 'PENDING', version: 2, updatedAt: at });
    expect(moved).toMatchObject([{ sequence: 2, status: 'PAID', paidAt: at }]);
    expect(balance).toEqual({ kind: 'PAYOUT_PAID', available: 0, reserved: -1000 });
  });

  it('becomes final with its last payment', () => {
    const { after } = decidePayout(batch('PAID', 'PENDING'), { trigger: 'PAID', at, sequences: [2] });
    expect(after.payout).toMatchObject({ status: 'PAID', paidAt: at });
    expect(isFinal(after.payout)).toBe(true);
  });

  it('says the amounts when only a part was paid', () => {
    const { after } = decidePayout(batch('PAID', 'PAID', 'PENDING'), { trigger: 'ERROR', at, sequences: [3] });
    expect(after.payout.status).toBe('PARTIALLY_PAID');
    expect(after.payout.paidAt).toBeUndefined();
    expect(after.payout.errorMessage).toBe(
      'BRL 20.00 was paid in 2 of 3 payments; BRL 10.00 in 1 was not paid and is back in the account.',
    );
  });

  it('moves everything that is open when it is moved as a whole, and nothing else', () => {
    const { after, moved, balance } = decidePayout(batch('ERROR', 'PENDING', 'PENDING'), { trigger: 'PAID', at });
    expect(after.payments.map(({ status }) => status)).toEqual(['ERROR', 'PAID', 'PAID']);
    expect(moved.map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(after.payout.status).toBe('PARTIALLY_PAID');
    expect(balance.reserved).toBe(-2000);
  });

  it('moves some payments together', () => {
    const { after, moved } = decidePayout(batch('PENDING', 'PENDING', 'PENDING'), {
      trigger: 'ERROR',
      at,
      sequences: [1, 3],
    });
    expect(moved.map(({ sequence }) => sequence)).toEqual([1, 3]);
    expect(after.payout.status).toBe('PENDING');
  });

  it('does not move a payment twice, nor one that it does not have', () => {
    const order = batch('PAID', 'PENDING');
    expect(() => decidePayout(order, { trigger: 'ERROR', at, sequences: [1] })).toThrow(/the status is PAID/);
    expect(() => decidePayout(order, { trigger: 'ERROR', at, sequences: [2, 1] })).toThrow(/the status is PAID/);
    expect(() => decidePayout(order, { trigger: 'ERROR', at, sequences: [3] })).toThrow(/not found/);
    expect(() => decidePayout(order, { trigger: 'ERROR', at, sequences: [] })).toThrow(RangeError);
  });
});

describe('a payout as it was created', () => {
  it('is the same after every move', () => {
    const order = batch('PENDING', 'PENDING', 'PENDING');
    const one = decidePayout(order, { trigger: 'PAID', at, sequences: [1] }).after;
    const all = decidePayout(one, { trigger: 'ERROR', at }).after;
    expect(payoutAsCreated(all)).toEqual(order);
    expect(payoutAsCreated(order)).toEqual(order);
  });

  it('has the control number of a TED that was sent at once, and not that of one that had to wait', () => {
    const ted = { paymentMethod: 'TED', controlNumber: 'STR20260115000000001' } as const;
    expect(payoutAsCreated(single(ted)).payout.controlNumber).toBe('STR20260115000000001');
    const waited = single({ ...ted, sendAt: '2026-01-16T09:30:00.000Z' });
    expect(payoutAsCreated(waited).payout.controlNumber).toBeUndefined();
  });
});
