import { describe, expect, it } from 'vitest';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { RequestError } from '#shared/core/errors.ts';
import { centavos } from '#shared/core/money.ts';
import type { Credit } from '#shared/credits/model.ts';
import { returnableAmount } from '#shared/credits/model.ts';
import { creditAfterDispute, disputedCredit } from '#shared/credits/states.ts';
import type { Dispute, DisputeStatus } from '#shared/disputes/model.ts';
import { disputeStatuses, isUndecided, missingAmount } from '#shared/disputes/model.ts';
import type { DisputeEvent } from '#shared/disputes/states.ts';
import { blockMore, decideDispute, defend, openDispute, requireUndisputed } from '#shared/disputes/states.ts';
import { refundableAmount } from '#shared/refunds/model.ts';
import {
  decideBankRefund,
  decideRefund,
  disputedPayIn,
  payInAfterDispute,
  requestRefund,
} from '#shared/refunds/states.ts';
import { aPayIn, aRefund, created, later } from '../support/builders.ts';
import { each } from '../support/each.ts';
import { fc } from '../support/properties.ts';
import { errorOf } from '../support/refusals.ts';

const dueAt = plusSeconds(created, 7 * 86_400);
const payment = { accountId: 'account', orderId: 'order', endToEndId: 'E1', left: centavos(2500) } as const;
const claim = { kind: 'FRAUD', reason: 'A scam.', dueAt } as const;
const opening = (available: number, amount?: number, left = 2500) =>
  openDispute(
    { ...payment, left: centavos(left) },
    { ...claim, ...(amount !== undefined && { amount: centavos(amount) }) },
    { id: 'dispute', at: created, available: centavos(available) },
  );
const aDispute = (more: Partial<Dispute> = {}): Dispute => ({ ...opening(2500).dispute, ...more });
const finals = ['ACCEPTED', 'REJECTED', 'CANCELED'] as const;
const isFinal = (status: DisputeStatus): boolean => finals.some((one) => one === status);
const outcomes = ['DEFENDED', ...finals] as const;
const limit = '409 amount:LIMIT_EXCEEDED';

describe('a dispute that is opened', () => {
  it('claims all that is left when no amount is named, and blocks it', () => {
    expect(opening(9999)).toEqual({
      dispute: {
        ...{ id: 'dispute', accountId: 'account', orderId: 'order', endToEndId: 'E1', ...claim, status: 'OPEN' },
        ...{ amount: 2500, blockedAmount: 2500, returnedAmount: 0, createdAt: created, updatedAt: created, version: 1 },
        statusHistory: [{ status: 'OPEN', createdAt: created }],
      },
      balance: { kind: 'MED_BLOCKED', available: -2500, blocked: 2500 },
    });
  });

  it.each([
    [0, 0],
    [-100, 0],
    [1, 1],
    [2499, 2499],
    [2500, 2500],
    [2501, 2500],
  ])('blocks, of a claim of 2500, when %i is available, %i', (available, blocked) => {
    const { dispute, balance } = opening(available);
    expect(dispute.blockedAmount).toBe(blocked);
    expect(balance).toEqual(blocked === 0 ? undefined : { kind: 'MED_BLOCKED', available: -blocked, blocked });
  });

  it('a dispute is of at least a centavo and at most what is left of the payment', () => {
    expect(opening(0, 2500).dispute.amount).toBe(2500);
    expect(opening(0, 1).dispute.amount).toBe(1);
    expect(errorOf(() => opening(0, 2501))).toBe(limit);
    expect(errorOf(() => opening(0, undefined, 0))).toBe(limit);
    expect(errorOf(() => opening(0, 1, 0))).toBe(limit);
    expect(() => opening(0, 2501)).toThrow('Of this payment 25.00 can be claimed.');
  });
});

describe('a block of more money', () => {
  const short = aDispute({ blockedAmount: centavos(1000) });
  it('takes what is missing and available, and raises version and time, but no status', () => {
    expect(blockMore(short, centavos(700), later)).toEqual({
      dispute: { ...short, blockedAmount: 1700, updatedAt: later, version: 2 },
      balance: { kind: 'MED_BLOCKED', available: -700, blocked: 700 },
    });
    expect(blockMore(short, centavos(9999), later)?.dispute.blockedAmount).toBe(2500);
  });

  it('no more is blocked when no money is missing or available', () => {
    expect(blockMore(short, centavos(0), later)).toBeUndefined();
    expect(blockMore(short, centavos(-5), later)).toBeUndefined();
    expect(blockMore(aDispute(), centavos(100), later)).toBeUndefined();
  });

  it('gives the dispute a later time than the change before it', () => {
    expect(blockMore({ ...short, updatedAt: later }, centavos(1), created)?.dispute.updatedAt).toBe(
      plusMilliseconds(later, 1),
    );
  });
});

describe('a dispute that the bank decides', () => {
  const before = aDispute({ blockedAmount: centavos(1000) });
  const accept = (amount?: number, of = before) =>
    decideDispute(of, { outcome: 'ACCEPTED', ...(amount !== undefined && { amount: centavos(amount) }) }, later);

  it.each([
    [undefined, 2500, -1500],
    [2500, 2500, -1500],
    [1001, 1001, -1],
    [1000, 1000, 0],
    [999, 999, 1],
    [1, 1, 999],
  ])(
    'gives back, accepted for %s of 2500 with 1000 blocked, %i, and available changes by %i',
    (amount, back, change) => {
      const { dispute, balance } = accept(amount);
      expect(dispute).toMatchObject({ status: 'ACCEPTED', amount: 2500, blockedAmount: 0, returnedAmount: back });
      expect(balance).toEqual({ kind: 'MED_RETURNED', available: change, blocked: -1000 });
      expect(change + -1000).toBe(-back);
    },
  );

  it('an accepted dispute takes all from available in one entry when no money was blocked', () => {
    expect(accept(undefined, aDispute({ blockedAmount: centavos(0) })).balance).toEqual({
      ...{ kind: 'MED_RETURNED', available: -2500, blocked: 0 },
    });
  });

  it('is accepted for at least a centavo and at most the claim', () => {
    for (const amount of each([0, -1, 2501])) expect(errorOf(() => accept(amount))).toBe(limit);
  });

  it.each(['REJECTED', 'CANCELED'] as const)('releases what is blocked, and no more, when it is %s', (outcome) => {
    const { dispute, balance } = decideDispute(before, { outcome }, later);
    expect(dispute).toMatchObject({ status: outcome, blockedAmount: 0, returnedAmount: 0, updatedAt: later });
    expect(balance).toEqual({ kind: 'MED_RELEASED', available: 1000, blocked: -1000 });
    const nothing = decideDispute(aDispute({ blockedAmount: centavos(0) }), { outcome }, later);
    expect(nothing.balance).toBeUndefined();
  });

  it('keeps its money when it is DEFENDED', () => {
    const { dispute, balance } = decideDispute(before, { outcome: 'DEFENDED' }, later);
    expect(dispute).toMatchObject({ status: 'DEFENDED', blockedAmount: 1000 });
    expect(dispute.statusHistory.map(({ status }) => status)).toEqual(['OPEN', 'DEFENDED']);
    expect(balance).toBeUndefined();
  });

  it('stays what it is once it is final, and is DEFENDED once', () => {
    for (const status of each(disputeStatuses))
      for (const outcome of each(outcomes)) {
        const isAllowed = status === 'OPEN' || (status === 'DEFENDED' && outcome !== 'DEFENDED');
        expect(
          errorOf(() => decideDispute(aDispute({ status }), { outcome }, later)),
          `${status} ${outcome}`,
        ).toBe(isAllowed ? 'none' : '409 status:TRANSITION_NOT_ALLOWED');
      }
  });
});

describe('a defence', () => {
  const wanted = { text: 'Delivered.', documents: [] };
  const ask = (dispute: Dispute, at: string) => defend({ dispute, defences: [] }, wanted, { id: 'd', at });

  it('makes the dispute DEFENDED until a millisecond before it is due', () => {
    const last = plusMilliseconds(dueAt, -1);
    expect(ask(aDispute(), last)).toMatchObject({
      dispute: { status: 'DEFENDED', blockedAmount: 2500 },
      defence: { id: 'd', disputeId: 'dispute', text: 'Delivered.', createdAt: last },
    });
    expect(errorOf(() => ask(aDispute(), plusMilliseconds(dueAt, 1)))).toBe('409 id:OUTSIDE_WINDOW');
  });

  it.each(disputeStatuses.filter((status) => status !== 'OPEN'))('is refused when the dispute is %s', (status) => {
    expect(errorOf(() => ask(aDispute({ status }), later))).toBe('409 id:TRANSITION_NOT_ALLOWED');
  });
});

describe('the money of one dispute', () => {
  type Step = { readonly what: 'BLOCK' | (typeof outcomes)[number]; readonly amount: number };
  const step: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom('BLOCK', 'BLOCK', 'BLOCK', ...outcomes),
    amount: fc.integer({ min: -50, max: 300 }),
  });

  it('is blocked up to the claim, adds up over its entries, and ends with the decision, in whatever order', () => {
    let accepted = 0;
    let partly = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: -100, max: 500 }),
        fc.array(step, { maxLength: 12 }),
        (amount, available, steps) => {
          let { dispute, balance } = opening(available, amount, 400);
          const total = { available: 0, blocked: 0 };
          const book = (): void => {
            if (balance === undefined) return;
            expect(Math.abs(balance.available) + Math.abs(balance.blocked)).toBeGreaterThan(0);
            total.available += balance.available;
            total.blocked += balance.blocked;
          };
          const agrees = (): void => {
            expect(total.blocked).toBe(dispute.blockedAmount);
            expect(total.available + total.blocked).toBe(0 - dispute.returnedAmount);
            expect(dispute.blockedAmount).toBeGreaterThanOrEqual(0);
            expect(dispute.blockedAmount + dispute.returnedAmount).toBeLessThanOrEqual(dispute.amount);
            if (!isUndecided(dispute)) expect(dispute.blockedAmount).toBe(0);
            expect(dispute.statusHistory.at(-1)?.status).toBe(dispute.status);
          };
          book();
          agrees();
          for (const { what, amount: given } of steps) {
            if (what === 'BLOCK') {
              if (!isUndecided(dispute)) continue;
              const missing = missingAmount(dispute);
              const more = blockMore(dispute, centavos(given), later);
              expect(more?.balance.blocked ?? 0).toBe(Math.max(0, Math.min(missing, given)));
              if (more === undefined) continue;
              expect(more.dispute.version).toBe(dispute.version + 1);
              ({ dispute, balance } = more);
            } else {
              const event: DisputeEvent =
                what === 'ACCEPTED' ? { outcome: what, amount: centavos(given) } : { outcome: what };
              const isRefused =
                isFinal(dispute.status) ||
                (what === 'DEFENDED' && dispute.status === 'DEFENDED') ||
                (what === 'ACCEPTED' && (given < 1 || given > dispute.amount));
              if (isRefused) {
                expect(() => decideDispute(dispute, event, later)).toThrow(RequestError);
                continue;
              }
              const was = dispute;
              const decided = decideDispute(dispute, event, later);
              dispute = decided.dispute;
              balance = decided.balance;
              expect(dispute.updatedAt > was.updatedAt).toBe(true);
              if (what === 'ACCEPTED') {
                accepted += 1;
                partly += given < was.amount ? 1 : 0;
              }
            }
            book();
            agrees();
          }
        },
      ),
    );
    expect([accepted > 0, partly > 0], 'runs in which money went back, and a part of it').toEqual([true, true]);
  });
});

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
