import { describe, expect, it } from 'vitest';
import { addCentavos, centavos } from '#shared/core/money.ts';
import type { BatchPayment, PaymentStatus } from '#shared/payouts/model.ts';
import { batchStatus, batchTotals, paymentKey, splitAmount } from '#shared/payouts/model.ts';
import { fc } from '../support/properties.ts';

const limit = centavos(1_500_000);

function payments(...statuses: readonly PaymentStatus[]): BatchPayment[] {
  return statuses.map((status, index) => ({
    sequence: index + 1,
    amount: centavos(1000 + index),
    status,
    endToEndId: `E${index}`,
    updatedAt: '2026-01-15T15:00:00.000Z',
  }));
}

describe('the split of a payout at a limit of 15000.00', () => {
  it.each([
    ['0.01', 1, [1]],
    ['14999.99', 1_499_999, [1_499_999]],
    ['15000.00, the limit,', 1_500_000, [1_500_000]],
    ['15000.01', 1_500_001, [1_500_000, 1]],
    ['30000.00', 3_000_000, [1_500_000, 1_500_000]],
    ['40000.00', 4_000_000, [1_500_000, 1_500_000, 1_000_000]],
  ])('creates full payments and then one of the rest when the amount is %s', (_name, amount, expected) => {
    expect(splitAmount(centavos(amount), limit)).toEqual(expected);
  });

  it('makes at most 90 payments: 1350000.00 is the most', () => {
    expect(splitAmount(centavos(135_000_000), limit)).toHaveLength(90);
    expect(splitAmount(centavos(134_999_999), limit)).toHaveLength(90);
    expect(splitAmount(centavos(135_000_001), limit)).toBeUndefined();
  });

  it('keeps the total amount, and makes no payment that is empty or above the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000_000 }), fc.integer({ min: 1, max: 90 }), (most, count) => {
        const amount = most * (count - 1) + ((most * 7919) % most) + 1;
        const parts = splitAmount(centavos(amount), centavos(most));
        expect(parts).toBeDefined();
        expect(addCentavos(...parts!)).toBe(amount);
        expect(Math.min(...parts!)).toBeGreaterThan(0);
        expect(parts!.slice(0, -1).every((part) => part === most)).toBe(true);
        expect(parts!.at(-1)).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('refuses a limit of zero', () => {
    expect(() => splitAmount(centavos(1), centavos(0))).toThrow(RangeError);
  });
});

describe('the keys of the payments', () => {
  it('are the batch key verbatim for the first and the key with the place for the others', () => {
    expect([1, 2, 3, 90].map((sequence) => paymentKey('k', sequence))).toEqual(['k', 'k-2', 'k-3', 'k-90']);
  });

  it('have at most 258 characters: the longest key and a place of two digits', () => {
    expect([1, 90].map((sequence) => paymentKey('k'.repeat(255), sequence).length)).toEqual([255, 258]);
  });
});

describe('the status of a batch', () => {
  it.each<[PaymentStatus[], string]>([
    [['PENDING', 'PENDING'], 'PENDING'],
    [['PAID', 'PENDING'], 'PENDING'],
    [['ERROR', 'PENDING'], 'PENDING'],
    [['PAID', 'PAID'], 'PAID'],
    [['PAID', 'ERROR'], 'PARTIALLY_PAID'],
    [['CANCELED', 'PAID'], 'PARTIALLY_PAID'],
    [['ERROR', 'ERROR'], 'ERROR'],
    [['ERROR', 'CANCELED'], 'ERROR'],
    [['CANCELED', 'CANCELED'], 'ERROR'],
  ])('for the payments %j is %s', (statuses, expected) => {
    expect(batchStatus(payments(...statuses))).toBe(expected);
  });
});

describe('the totals of a batch', () => {
  it('are counted from its payments; canceled ones have failed', () => {
    expect(batchTotals(payments('PAID', 'ERROR', 'CANCELED', 'PENDING', 'PAID'))).toEqual({
      transactionsCount: 5,
      paidCount: 2,
      failedCount: 2,
      pendingCount: 1,
      paidAmount: 1000 + 1004,
      failedAmount: 1001 + 1002,
      pendingAmount: 1003,
    });
  });
});
