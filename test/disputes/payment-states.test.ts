import { describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { Credit } from '#shared/credits/model.ts';
import { returnableAmount } from '#shared/credits/model.ts';
import { creditAfterDispute, disputedCredit } from '#shared/credits/states.ts';
import { requireUndisputed } from '#shared/disputes/states.ts';
import { refundableAmount } from '#shared/refunds/model.ts';
import {
  decideBankRefund,
  decideRefund,
  disputedPayIn,
  payInAfterDispute,
  requestRefund,
} from '#shared/refunds/states.ts';
import { aPayIn, aRefund, created, later } from '../support/builders.ts';
import { errorOf } from '../support/refusals.ts';

describe('a pay-in in a dispute', () => {
  const paid = aPayIn({ status: 'PAID', paidAt: created, endToEndId: 'E1' });
  const disputed = disputedPayIn(paid, 'dispute');
  const event = { outcome: 'SETTLED', at: later, endToEndId: 'D1' } as const;

  it('takes no refund, of the partner or of the bank', () => {
    const order = { payIn: disputed, refunds: [] };
    const refused = '409 id:TRANSITION_NOT_ALLOWED';
    expect(errorOf(() => requestRefund(order, { id: 'r', at: later }))).toBe(refused);
    expect(errorOf(() => decideBankRefund(order, event, { at: later, id: 'r' }))).toBe(refused);
    expect(
      errorOf(() => {
        requireUndisputed(disputed);
      }),
    ).toBe(refused);
    expect(() => {
      requireUndisputed(disputed);
    }).toThrow('The payment is in the dispute dispute.');
    expect(
      errorOf(() => {
        requireUndisputed(paid);
      }),
    ).toBe('none');
  });

  it('lets a refund that was pending settle, and stays in the dispute', () => {
    const refund = aRefund({ amount: centavos(1000) });
    const after = decideRefund({ payIn: disputed, refunds: [refund] }, refund, event, later);
    expect(after.payIn).toMatchObject({ status: 'PAID', refundedAmount: 1000, disputeId: 'dispute' });
  });

  it('a pay-in is as before, but for its version, when no money went back', () => {
    expect(payInAfterDispute({ payIn: disputed, refunds: [] }, centavos(0), later)).toEqual({ ...paid, version: 3 });
  });

  it('is REFUNDED, and can have no more refunded, when all went back', () => {
    const payIn = payInAfterDispute({ payIn: disputed, refunds: [] }, centavos(2500), later);
    expect(payIn).toMatchObject({ status: 'REFUNDED', refundedAt: later, updatedAt: later });
    expect(payIn).not.toHaveProperty('disputeId');
    expect(refundableAmount({ payIn, refunds: [] })).toBe(0);
  });

  it('sums refunds that settled and what disputes returned, and never what is pending or failed', () => {
    const refunds = [
      aRefund({ id: '1', amount: centavos(300), status: 'SETTLED', settledAt: later }),
      aRefund({ id: '2', amount: centavos(200) }),
      aRefund({ id: '3', amount: centavos(900), status: 'FAILED' }),
    ];
    const first = payInAfterDispute({ payIn: disputed, refunds }, centavos(1000), later);
    expect(first).toMatchObject({ status: 'PAID', refundedAmount: 1300 });
    expect(refundableAmount({ payIn: first, refunds })).toBe(1000);
    const again = payInAfterDispute({ payIn: disputedPayIn(first, 'other'), refunds }, centavos(1000), later);
    expect(again).toMatchObject({ status: 'PAID', refundedAmount: 2300 });
    const last = decideRefund({ payIn: again, refunds }, refunds[1]!, event, later);
    expect(last.payIn).toMatchObject({ status: 'REFUNDED', refundedAmount: 2500 });
  });

  it('is refunded at the time of the last return, also when a refund that the bank settled before is heard after', () => {
    const refund = aRefund({ amount: centavos(1000) });
    const returnedAt = plusSeconds(later, 3600);
    const order = { payIn: disputed, refunds: [refund] };
    const payIn = payInAfterDispute(order, centavos(1500), returnedAt);
    const heardAt = plusSeconds(returnedAt, 60);
    const after = decideRefund({ payIn, refunds: [refund] }, refund, event, heardAt).payIn;
    expect(after.status).toBe('REFUNDED');
    expect(after.refundedAt).toBe(returnedAt);
  });
});

describe('a credit in a dispute', () => {
  const credit: Credit = {
    ...{ id: 'credit', accountId: 'account', endToEndId: 'E1', amount: centavos(2500), reason: 'NO_CHARGE' },
    ...{ status: 'OPEN', receivedAt: created, updatedAt: created, version: 1 },
  };
  const disputed = disputedCredit(credit, 'dispute');

  it('is RETURNED when all went back, and open with what did when it was a part', () => {
    expect(creditAfterDispute({ credit: disputed, returns: [] }, centavos(2500), later)).toMatchObject({
      ...{ status: 'RETURNED', returnedAmount: 2500 },
    });
    const part = creditAfterDispute({ credit: disputed, returns: [] }, centavos(700), later);
    expect(part).toMatchObject({ status: 'OPEN', returnedAmount: 700, updatedAt: later });
    expect(part).not.toHaveProperty('disputeId');
    expect(returnableAmount({ credit: part, returns: [] })).toBe(1800);
  });

  it('a credit is as before, but for its version, when no money went back', () => {
    expect(creditAfterDispute({ credit: disputed, returns: [] }, centavos(0), later)).toEqual({
      ...credit,
      version: 3,
    });
  });
});
