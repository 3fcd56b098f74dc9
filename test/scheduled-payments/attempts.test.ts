import { describe, expect, test } from 'vitest';
import { daysBetween, instantAt, plusDays, plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { CycleCharge } from '#shared/scheduled-payments/cycle.ts';
import { addAttempt, requireNewAttempt, firstChargeOf } from '#shared/scheduled-payments/cycle.ts';
import { fc } from '../support/properties.ts';
import { aPayment } from '../support/charges.ts';
import { errorOf } from '../support/refusals.ts';

/** Settled on 20 March; a monthly cycle that goes on at 10 April. */
const original = aPayment({ status: 'CANCELED_INSUFFICIENT_BALANCE' });
const unpaid: CycleCharge = { ...firstChargeOf(original), state: 'UNPAID' };
const wanted = {
  original,
  settlementDate: '2026-03-24',
  amount: original.amount,
  nextCycle: '2026-04-10',
  at: instantAt('2026-03-21', '12:00'),
};
type Wanted = typeof wanted;
const refused = (more: Partial<Wanted> = {}, charge: CycleCharge | undefined = unpaid) =>
  errorOf(() => requireNewAttempt(charge, { ...wanted, ...more }));
const attempt = (number: number, settlementDate: string) => aPayment({ id: `attempt-${number}`, settlementDate });

describe('a new attempt after the due date', () => {
  test('is made after want of money, and after an error', () => {
    expect(requireNewAttempt(unpaid, wanted)).toBe(unpaid);
    expect(refused({}, { ...unpaid, state: 'FAILED' })).toBe('none');
  });

  test('is not made after a refusal or a cancellation, nor of another payment than the cycle’s first', () => {
    const issue = '409 originalScheduledPaymentId:TRANSITION_NOT_ALLOWED';
    expect(errorOf(() => requireNewAttempt(undefined, wanted))).toBe(issue);
    expect(refused({}, { ...unpaid, firstAttemptId: 'another' })).toBe(issue);
  });

  test('is not made while an attempt is open or once one is paid', () => {
    const issue = '409 originalScheduledPaymentId:TRANSITION_NOT_ALLOWED';
    expect(refused({}, firstChargeOf(original))).toBe(issue);
    expect(refused({}, addAttempt(unpaid, attempt(1, '2026-03-22')))).toBe(issue);
  });

  test('is made three times at most', () => {
    const thrice = [1, 2, 3].reduce<CycleCharge>(
      (charge, number) => ({ ...addAttempt(charge, attempt(number, `2026-03-2${number}`)), state: 'UNPAID' }),
      unpaid,
    );
    expect(refused({}, { ...thrice, newAttempts: thrice.newAttempts.slice(1) })).toBe('none');
    expect(refused({}, thrice)).toBe('409 originalScheduledPaymentId:LIMIT_EXCEEDED');
  });

  test('has the amount of the first', () => {
    expect(refused({ amount: centavos(original.amount + 1) })).toBe('400 amount.value:INVALID_VALUE');
  });

  test.each([
    ['today', { settlementDate: '2026-03-21' }],
    ['tomorrow, when it is 23:59', { settlementDate: '2026-03-22', at: instantAt('2026-03-21', '23:59') }],
    [
      'the day of the first attempt, which failed before that day',
      { settlementDate: '2026-03-20', at: instantAt('2026-03-18', '12:00') },
    ],
    ['the eighth day after the first attempt', { settlementDate: '2026-03-28' }],
    ['the day on which the next cycle begins', { settlementDate: '2026-03-24', nextCycle: '2026-03-24' }],
  ])('is refused for %s', (_what, more) => {
    expect(refused(more)).toBe('400 dueDate:OUT_OF_RANGE');
  });

  test('is for tomorrow until 23:59', () => {
    const at = plusSeconds(instantAt('2026-03-21', '23:59'), -0.001);
    expect(refused({ settlementDate: '2026-03-22', at })).toBe('none');
  });

  test('is for another day than the ones before, however they ended', () => {
    const before: CycleCharge = { ...addAttempt(unpaid, attempt(1, '2026-03-24')), state: 'UNPAID' };
    expect(refused({}, before)).toBe('400 dueDate:OUT_OF_RANGE');
    expect(refused({ settlementDate: '2026-03-23' }, before)).toBe('none');
  });

  test('is accepted only on days that the rules leave', () => {
    const days = fc.integer({ min: -3, max: 12 });
    fc.assert(
      fc.property(days, days, fc.integer({ min: 1, max: 12 }), (now, then, next) => {
        const first = unpaid.firstSettlementDate;
        const settlementDate = plusDays(first, then);
        const nextCycle = plusDays(first, next);
        const accepted =
          refused({ settlementDate, nextCycle, at: instantAt(plusDays(first, now), '12:00') }) === 'none';
        expect(accepted).toBe(then > now && then >= 1 && daysBetween(first, settlementDate) <= 7 && then < next);
      }),
    );
  });
});
