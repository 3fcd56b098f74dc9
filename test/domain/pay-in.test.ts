import { describe, expect, test } from 'vitest';
import type { PayInStatus } from '../../shared/domain/pay-in.ts';
import { decidePayIn, PAY_IN_STATUSES } from '../../shared/domain/pay-in.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import { aPayIn, aPayInCallback, aRefund, DEBTOR, LATER } from '../support/builders.ts';

const callback = aPayInCallback();
const withStatus = (status: PayInStatus) => ({ payIn: aPayIn({ status }), refunds: [] });

describe('a pay-in', () => {
  test('that is PAID knows when, by which payment and from which account, and adds its amount', () => {
    const { payIn, balance, refund } = decidePayIn(withStatus('PENDING'), 'PAID', callback);
    expect(payIn).toEqual(
      aPayIn({
        status: 'PAID',
        paidAt: LATER,
        updatedAt: LATER,
        endToEndId: callback.endToEndId,
        payer: { ...DEBTOR, bank: callback.payerBank },
        version: 2,
      }),
    );
    expect([balance, refund]).toEqual([{ kind: 'PAY_IN', available: 2500, reserved: 0 }, undefined]);
  });

  test.each([
    ['CANCELED', { canceledAt: LATER }],
    ['EXPIRED', { expiredAt: LATER }],
    ['ERROR', { errorMessage: expect.any(String) as string }],
  ] as const)('that is %s says so and touches no money', (status, more) => {
    const { payIn, balance, refund } = decidePayIn(withStatus('PENDING'), status, callback);
    expect(payIn).toEqual(aPayIn({ status, updatedAt: LATER, version: 2, ...more }));
    expect([balance, refund]).toEqual([undefined, undefined]);
  });

  test('expires by the service as by the bank, and by the service does nothing else', () => {
    expect(decidePayIn(withStatus('PENDING'), 'EXPIRED', callback, 'service').payIn.status).toBe('EXPIRED');
    for (const trigger of ['PAID', 'CANCELED', 'ERROR'])
      expect(() => decidePayIn(withStatus('PENDING'), trigger, callback, 'service')).toThrow(Refusal);
  });

  test('is left as it was by a move that is not allowed, which names those that are', () => {
    const given = withStatus('PAID');
    expect(() => decidePayIn(given, 'PAID', callback)).toThrow(Refusal);
    expect(given).toEqual(withStatus('PAID'));
    try {
      decidePayIn(given, 'CANCELED', callback);
    } catch (error) {
      expect((error as Refusal).details).toEqual([
        {
          field: 'status',
          issue: 'TRANSITION_NOT_ALLOWED',
          description: 'CANCELED is not allowed: the status is PAID; allowed from it: REFUNDED.',
        },
      ]);
    }
  });

  test.each(PAY_IN_STATUSES.filter((status) => status !== 'PENDING' && status !== 'PAID'))(
    'that is %s stays so',
    (status) => {
      for (const trigger of PAY_IN_STATUSES)
        expect(() => decidePayIn(withStatus(status), trigger, callback)).toThrow(Refusal);
    },
  );
});

describe('a refund', () => {
  const paid = aPayIn({ status: 'PAID', paidAt: '2026-03-10T12:10:00.000Z', endToEndId: 'E1' });
  const settled = { status: 'SETTLED', settledAt: LATER, endToEndId: callback.refund.endToEndId } as const;

  test('that was requested spends what the request reserved, and keeps its id', () => {
    const open = aRefund();
    const moved = decidePayIn({ payIn: paid, refunds: [open] }, 'REFUNDED', callback);
    expect(moved.refund).toEqual({ ...open, ...settled });
    expect(moved.balance).toEqual({ kind: 'REFUND_SETTLED', available: 0, reserved: -2500 });
    expect(moved.payIn).toEqual({ ...paid, status: 'REFUNDED', refundedAt: LATER, updatedAt: LATER, version: 2 });
  });

  test('that the bank makes by itself takes the amount from what is available', () => {
    const { refund, balance } = decidePayIn({ payIn: paid, refunds: [] }, 'REFUNDED', callback);
    expect(refund).toEqual({ id: callback.refund.id, orderId: paid.id, amount: 2500, createdAt: LATER, ...settled });
    expect(balance).toEqual({ kind: 'REFUND', available: -2500, reserved: 0 });
  });

  test('that is settled already is not settled again: the bank makes another', () => {
    const { refund } = decidePayIn({ payIn: paid, refunds: [aRefund(settled)] }, 'REFUNDED', callback);
    expect(refund?.id).toBe(callback.refund.id);
  });
});
