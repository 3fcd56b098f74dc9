import { describe, expect, it } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import { payInStatuses } from '#shared/pay-ins/model.ts';
import type { RefundEvent } from '#shared/refunds/states.ts';
import { newestFirst } from '#shared/refunds/model.ts';
import { decideRefund, maxRefunds, requestRefund } from '#shared/refunds/states.ts';
import { RequestError } from '#shared/core/errors.ts';
import { aPayIn, aRefund, later } from '../support/builders.ts';
import { errorOf } from '../support/refusals.ts';

const paidAt = '2026-01-15T15:00:00.000Z';
const wanted = { id: 'f'.repeat(32), at: '2026-01-20T15:00:00.000Z' };
const bank = { ispb: '99999004', account: '1234567' };
const payIn: PayIn = {
  id: '6f1b3c2e-0000-4000-8000-00000000ab00',
  externalId: 'I-1',
  accountId: 'A',
  status: 'PAID',
  qrcodeData: '',
  expireDateTime: '2026-01-16T15:00:00.000Z',
  amount: centavos(2500),
  description: 'Order 42',
  conciliationId: 'c'.repeat(32),
  createdAt: '2026-01-15T14:00:00.000Z',
  updatedAt: paidAt,
  paidAt,
  payer: { name: 'Maria', document: { type: 'CPF', number: '52998224725' } },
  ownerBank: { name: 'Padaria', document: '11444777000161', bank },
  version: 2,
};

describe('a refund', () => {
  it('is of the whole amount, and pending until the bank settles it', () => {
    expect(requestRefund({ payIn, refunds: [] }, { ...wanted, description: 'Returned' })).toEqual({
      id: wanted.id,
      orderId: payIn.id,
      amount: 2500,
      status: 'PENDING',
      description: 'Returned',
      createdAt: wanted.at,
    });
  });

  it.each(payInStatuses.filter((status) => status !== 'PAID'))('is not created for a pay-in that is %s', (status) => {
    const refused = () => requestRefund({ payIn: { ...payIn, status }, refunds: [] }, wanted);
    expect(refused).toThrow(`A refund is not allowed: the status is ${status}`);
    expect(errorOf(refused)).toBe('409 status:TRANSITION_NOT_ALLOWED');
  });

  it('is not made of a pay-in that does not say when it was paid', () => {
    const { paidAt: _unknown, ...undated } = payIn;
    expect(errorOf(() => requestRefund({ payIn: undated, refunds: [] }, wanted))).toBe(
      '409 status:TRANSITION_NOT_ALLOWED',
    );
  });

  it('has no description when its request has none', () => {
    expect(requestRefund({ payIn, refunds: [] }, wanted)).not.toHaveProperty('description');
  });

  it('is not asked for while another one is open', () => {
    const refunds = [requestRefund({ payIn, refunds: [] }, wanted)];
    expect(() => requestRefund({ payIn, refunds }, wanted)).toThrow(/is open already/);
    expect(errorOf(() => requestRefund({ payIn, refunds }, wanted))).toBe('409 id:TRANSITION_NOT_ALLOWED');
  });

  it('can be asked for within 90 days of the payment, to the millisecond', () => {
    const request = (at: string) => requestRefund({ payIn, refunds: [] }, { ...wanted, at });
    expect(request('2026-04-15T15:00:00.000Z')).toMatchObject({ status: 'PENDING' });
    expect(() => request('2026-04-15T15:00:00.001Z')).toThrow(/within 90 days/);
    expect(errorOf(() => request('2026-04-15T15:00:00.001Z'))).toBe('409 id:EXPIRED');
  });
});

describe('a refund that is settled or fails', () => {
  const paid = aPayIn({ status: 'PAID', paidAt: '2026-03-10T12:10:00.000Z', endToEndId: 'E1' });
  const now = { at: later, id: '1'.repeat(32) };
  const settledAt = '2026-03-10T12:29:00.000Z';
  const settled: RefundEvent = { outcome: 'SETTLED', at: settledAt, endToEndId: 'D1' };
  const failed: RefundEvent = { outcome: 'FAILED', code: 'AC06', reason: 'Blocked.' };

  it('spends the reserved amount, and keeps the id of its request, when it is settled', () => {
    const open = aRefund();
    const moved = decideRefund({ payIn: paid, refunds: [open] }, settled, now);
    expect(moved.refund).toEqual({ ...open, status: 'SETTLED', settledAt, endToEndId: 'D1' });
    expect(moved.balance).toEqual({ kind: 'REFUND_SETTLED', available: 0, reserved: -2500 });
    expect(moved.payIn).toEqual({ ...paid, status: 'REFUNDED', refundedAt: settledAt, updatedAt: later, version: 2 });
  });

  it('takes the amount from the available balance when the bank created it, even after a refund that failed', () => {
    const refunds = [aRefund({ status: 'FAILED' })];
    const { refund, balance } = decideRefund({ payIn: paid, refunds }, settled, now);
    const facts = { status: 'SETTLED', settledAt, endToEndId: 'D1' };
    expect(refund).toEqual({ id: now.id, orderId: paid.id, amount: 2500, createdAt: later, ...facts });
    expect(balance).toEqual({ kind: 'REFUND', available: -2500, reserved: 0 });
  });

  it('returns the reserve, has the bank’s reason, and leaves the pay-in PAID when it fails', () => {
    const open = aRefund();
    const moved = decideRefund({ payIn: paid, refunds: [open] }, failed, now);
    expect(moved.refund).toEqual({ ...open, status: 'FAILED', errorMessage: 'AC06: Blocked.' });
    expect(moved.balance).toEqual({ kind: 'REFUND_RETURNED', available: 2500, reserved: -2500 });
    expect(moved.payIn).toEqual({ ...paid, updatedAt: later, version: 2 });
    const again = requestRefund({ payIn: moved.payIn, refunds: [moved.refund] }, { ...wanted, id: 'e'.repeat(32) });
    expect(again.status).toBe('PENDING');
  });

  it('fails only while it is open, and is settled only when its pay-in is PAID', () => {
    const refunds = [aRefund({ status: 'SETTLED' })];
    expect(() => decideRefund({ payIn: paid, refunds: [] }, failed, now)).toThrow(
      'The failure of a refund is not allowed: the status is PAID; allowed from it: REFUNDED.',
    );
    expect(() => decideRefund({ payIn: { ...paid, status: 'REFUNDED' }, refunds }, failed, now)).toThrow(RequestError);
    for (const status of payInStatuses.filter((one) => one !== 'PAID'))
      expect(() => decideRefund({ payIn: aPayIn({ status }), refunds: [] }, settled, now)).toThrow(
        `REFUNDED is not allowed: the status is ${status}`,
      );
  });
});

describe('the refunds of one pay-in', () => {
  const failed = (count: number) =>
    Array.from({ length: count }, (_, at) => aRefund({ id: `${at}`, status: 'FAILED' }));

  it('are 50 at most, of those that a partner asks for', () => {
    expect(requestRefund({ payIn, refunds: failed(maxRefunds - 1) }, wanted).status).toBe('PENDING');
    expect(() => requestRefund({ payIn, refunds: failed(maxRefunds) }, wanted)).toThrow(/can have 50 refunds/);
    expect(errorOf(() => requestRefund({ payIn, refunds: failed(maxRefunds) }, wanted))).toBe('409 id:LIMIT_EXCEEDED');
    const settled: RefundEvent = { outcome: 'SETTLED', at: later, endToEndId: 'D1' };
    const byBank = decideRefund({ payIn, refunds: failed(maxRefunds) }, settled, { at: later, id: 'b' });
    expect(byBank.payIn.status).toBe('REFUNDED');
  });

  it('are listed newest first', () => {
    const refunds = ['2026-03-10T12:00:00.000Z', '2026-03-12T12:00:00.000Z', '2026-03-11T12:00:00.000Z'].map(
      (createdAt, at) => aRefund({ id: `${at}`, createdAt }),
    );
    expect(
      newestFirst([...refunds, aRefund({ id: '3', createdAt: refunds[0]!.createdAt })]).map(({ id }) => id),
    ).toEqual(['1', '2', '3', '0']);
  });
});
