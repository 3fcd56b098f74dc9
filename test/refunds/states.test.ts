import { describe, expect, it } from 'vitest';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import { payInStatuses } from '#shared/pay-ins/model.ts';
import type { ReturnEvent } from '#shared/core/return-event.ts';
import type { PayInWithRefunds, Refund } from '#shared/refunds/model.ts';
import { newestFirst, refundableAmount } from '#shared/refunds/model.ts';
import { decideBankRefund, decideRefund, maxRefunds, requestRefund } from '#shared/refunds/states.ts';
import { RequestError } from '#shared/core/errors.ts';
import { aPayIn, aRefund, later } from '../support/builders.ts';
import { fc } from '../support/properties.ts';
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
  it('is of all that is left when no amount is asked for, and pending until the bank settles it', () => {
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

  it('a refund is at most what open and settled refunds have left, and failed ones take no money', () => {
    const refunds = [
      aRefund({ id: '1', amount: centavos(1000) }),
      aRefund({ id: '2', amount: centavos(499), status: 'SETTLED' }),
      aRefund({ id: '3', status: 'FAILED' }),
    ];
    const request = (amount?: number) =>
      requestRefund({ payIn, refunds }, { ...wanted, amount: amount === undefined ? undefined : centavos(amount) });
    expect(request().amount).toBe(1001);
    expect(request(1001).amount).toBe(1001);
    expect(request(1).amount).toBe(1);
    expect(() => request(1002)).toThrow('Of this pay-in 10.01 can still be refunded.');
    expect(errorOf(() => request(1002))).toBe('409 amount:LIMIT_EXCEEDED');
  });

  it('a refund is not requested when no money is left', () => {
    const refunds = [requestRefund({ payIn, refunds: [] }, wanted)];
    expect(errorOf(() => requestRefund({ payIn, refunds }, wanted))).toBe('409 amount:LIMIT_EXCEEDED');
    expect(errorOf(() => requestRefund({ payIn, refunds }, { ...wanted, amount: centavos(1) }))).toBe(
      '409 amount:LIMIT_EXCEEDED',
    );
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
  const decide = (refunds: readonly Refund[], event: ReturnEvent, refund = refunds[0]!) =>
    decideRefund({ payIn: paid, refunds }, refund, event, later);
  const settledAt = '2026-03-10T12:29:00.000Z';
  const settled = { outcome: 'SETTLED', at: settledAt, endToEndId: 'D1' } as const;
  const failed: ReturnEvent = { outcome: 'FAILED', code: 'AC06', reason: 'Blocked.' };

  it('spends the reserved amount, and keeps the id of its request, when it is settled', () => {
    const open = aRefund();
    const moved = decide([open], settled);
    expect(moved.refund).toEqual({ ...open, status: 'SETTLED', decidedAt: later, settledAt, endToEndId: 'D1' });
    expect(moved.balance).toEqual({ kind: 'REFUND_SETTLED', available: 0, reserved: -2500 });
    expect(moved.payIn).toEqual({ ...paid, status: 'REFUNDED', refundedAt: settledAt, updatedAt: later, version: 2 });
  });

  it('takes the amount from the available balance when the bank created it, even after a refund that failed', () => {
    const refunds = [aRefund({ status: 'FAILED' })];
    const { refund, balance } = decideBankRefund({ payIn: paid, refunds }, settled, now);
    const facts = { status: 'SETTLED', decidedAt: later, settledAt, endToEndId: 'D1' };
    expect(refund).toEqual({ id: now.id, orderId: paid.id, amount: 2500, createdAt: later, ...facts });
    expect(balance).toEqual({ kind: 'REFUND', available: -2500, reserved: 0 });
  });

  it('returns the reserve, has the bank’s reason, and leaves the pay-in PAID when it fails', () => {
    const open = aRefund();
    const moved = decide([open], failed);
    expect(moved.refund).toEqual({ ...open, status: 'FAILED', decidedAt: later, errorMessage: 'AC06: Blocked.' });
    expect(moved.balance).toEqual({ kind: 'REFUND_RETURNED', available: 2500, reserved: -2500 });
    expect(moved.payIn).toEqual({ ...paid, updatedAt: later, version: 2 });
    const again = requestRefund({ payIn: moved.payIn, refunds: [moved.refund] }, { ...wanted, id: 'e'.repeat(32) });
    expect(again.status).toBe('PENDING');
  });

  it('ends only while it is open, and is settled only when its pay-in is PAID', () => {
    for (const status of ['SETTLED', 'FAILED'] as const)
      for (const event of [settled, failed])
        expect(() => decide([aRefund({ status })], event)).toThrow(
          `${event.outcome} is not allowed: the status is ${status}; no move is allowed from it.`,
        );
    for (const status of payInStatuses.filter((one) => one !== 'PAID')) {
      const order = { payIn: aPayIn({ status }), refunds: [] };
      expect(() => decideRefund(order, aRefund(), settled, later)).toThrow(`the status is ${status}`);
      expect(() => decideBankRefund(order, settled, now)).toThrow(`REFUNDED is not allowed: the status is ${status}`);
    }
  });

  it('leaves the pay-in PAID with refundedAmount while a part is left, and REFUNDED when the last part settles', () => {
    const [first, second] = [aRefund({ amount: centavos(1500) }), aRefund({ id: 'b', amount: centavos(1000) })];
    const after = decide([first, second], settled);
    expect(after.payIn).toEqual({ ...paid, refundedAmount: 1500, updatedAt: later, version: 2 });
    expect(after.balance).toEqual({ kind: 'REFUND_SETTLED', available: 0, reserved: -1500 });
    const last = decideRefund({ payIn: after.payIn, refunds: [after.refund, second] }, second, settled, later);
    expect(last.payIn).toMatchObject({ status: 'REFUNDED', refundedAmount: 2500, refundedAt: settledAt });
  });

  it('a refund of a part gives back its own reserve, and no more, when it fails', () => {
    const part = aRefund({ amount: centavos(300) });
    const { balance, payIn } = decide([part], failed);
    expect(balance).toEqual({ kind: 'REFUND_RETURNED', available: 300, reserved: -300 });
    expect(payIn).not.toHaveProperty('refundedAmount');
  });

  it('takes what is left when the bank created it beside open and settled parts', () => {
    const refunds = [
      aRefund({ amount: centavos(600) }),
      aRefund({ id: 'b', amount: centavos(400), status: 'SETTLED' }),
    ];
    const { refund, payIn } = decideBankRefund({ payIn: paid, refunds }, settled, now);
    expect(refund.amount).toBe(1500);
    expect(payIn).toMatchObject({ status: 'PAID', refundedAmount: 1900 });
  });

  it('gives the pay-in a later time than every event before it, in whatever order the times of the events come', () => {
    const seconds = fc.integer({ min: 0, max: 60 });
    const event = fc.record({ kind: fc.constantFrom('SETTLED', 'FAILED', 'BANK'), asked: seconds, settles: seconds });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), (events) => {
        const open = events.map((_event, place) => aRefund({ id: `${place}`, amount: centavos(100) }));
        let order: PayInWithRefunds = { payIn: paid, refunds: open };
        const times = [paid.updatedAt];
        for (const [place, { kind, asked, settles }] of events.entries()) {
          const at = plusSeconds(later, asked);
          const outcome: ReturnEvent =
            kind === 'FAILED' ? failed : { outcome: 'SETTLED', at: plusSeconds(later, settles), endToEndId: 'D1' };
          if (order.payIn.status !== 'PAID') break;
          if (kind === 'BANK' && outcome.outcome === 'SETTLED' && refundableAmount(order) > 0) {
            const { payIn, refund } = decideBankRefund(order, outcome, { at, id: `bank ${place}` });
            order = { payIn, refunds: [...order.refunds, refund] };
          } else {
            const { payIn, refund } = decideRefund(order, order.refunds[place]!, outcome, at);
            order = { payIn, refunds: order.refunds.map((one) => (one.id === refund.id ? refund : one)) };
          }
          expect(order.payIn.updatedAt >= at).toBe(true);
          times.push(order.payIn.updatedAt);
        }
        expect(times).toEqual([...new Set(times)].toSorted());
        const settledTimes = order.refunds.flatMap(({ settledAt: time }) => time ?? []);
        const last = order.payIn.status === 'REFUNDED' ? settledTimes.toSorted().at(-1) : undefined;
        expect(order.payIn.refundedAt).toBe(last);
      }),
    );
  });

  it('was refunded when its latest part settled, also when that part is heard first', () => {
    const [first, second] = [aRefund({ amount: centavos(1500) }), aRefund({ id: 'b', amount: centavos(1000) })];
    const sooner = { ...settled, at: '2026-03-10T12:20:00.000Z' };
    const { payIn, refund } = decide([first, second], settled);
    const last = decideRefund({ payIn, refunds: [refund, second] }, second, sooner, paid.updatedAt);
    expect(last.payIn).toMatchObject({ refundedAt: settledAt, updatedAt: plusMilliseconds(later, 1) });
  });

  it('is never more, with the others, than was paid, and the pay-in is REFUNDED exactly when all has gone back', () => {
    const request = fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.constantFrom(settled, failed, undefined));
    fc.assert(
      fc.property(fc.array(request), (requests) => {
        let order: PayInWithRefunds = { payIn: paid, refunds: [] };
        let [available, reserved] = [2500, 0];
        for (const [place, [amount, event]] of requests.entries()) {
          const asked = { ...wanted, id: `${place}`, at: paid.paidAt!, amount: centavos(amount) };
          if (amount > refundableAmount(order) || order.payIn.status !== 'PAID' || place >= maxRefunds) {
            expect(() => requestRefund(order, asked)).toThrow(RequestError);
            continue;
          }
          const refund = requestRefund(order, asked);
          order = { ...order, refunds: [...order.refunds, refund] };
          available -= amount;
          reserved += amount;
          if (event === undefined) continue;
          const moved = decideRefund(order, refund, event, later);
          const refunds = order.refunds.map((one) => (one.id === refund.id ? moved.refund : one));
          order = { payIn: moved.payIn, refunds };
          available += moved.balance.available;
          reserved += moved.balance.reserved;
        }
        const of = (status: string) =>
          order.refunds.filter((one) => one.status === status).reduce((sum, { amount }) => sum + amount, 0);
        expect(available).toBe(2500 - of('SETTLED') - of('PENDING'));
        expect(available).toBeGreaterThanOrEqual(0);
        expect(reserved).toBe(of('PENDING'));
        expect(order.payIn.status).toBe(of('SETTLED') === 2500 ? 'REFUNDED' : 'PAID');
      }),
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
    const settled = { outcome: 'SETTLED', at: later, endToEndId: 'D1' } as const;
    const byBank = decideBankRefund({ payIn, refunds: failed(maxRefunds) }, settled, { at: later, id: 'b' });
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
