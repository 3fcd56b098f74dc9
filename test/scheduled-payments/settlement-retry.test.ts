import { describe, expect, test } from 'vitest';
import { brasiliaDate, brasiliaMinuteOfDay, instantAt, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { ScheduledPayment } from '#shared/scheduled-payments/model.ts';
import { decideScheduledPayment, retryOf, withoutScheduledRetry } from '#shared/scheduled-payments/states.ts';
import { decideRetry, maxRetries } from '#shared/scheduled-payments/window.ts';
import { fc } from '../support/properties.ts';
import { aPayment, newIds, terms } from '../support/charges.ts';

const day = '2026-03-20';
const owed = (time: string, more: Partial<ScheduledPayment> = {}) =>
  aPayment({ status: 'CANCELED', scheduledRetry: { since: instantAt(day, time), by: 'us' }, ...more });

describe('an owed resend', () => {
  test.each([
    ['20:58', '20:59', 'SEND'],
    ['20:59', '21:00', 'MISSED'],
    ['00:00', '00:00', 'SEND'],
  ] as const)('a resend that is owed since %s is decided at %s as %s', (since, now, verdict) => {
    expect(decideRetry(owed(since), instantAt(day, now))).toBe(verdict);
  });

  test('is MISSED on the next day, and NONE for a payment that has none', () => {
    expect(decideRetry(owed('20:59'), instantAt('2026-03-21', '00:00'))).toBe('MISSED');
    expect(decideRetry(aPayment(), instantAt(day, '12:00'))).toBe('NONE');
    expect(decideRetry(withoutScheduledRetry(owed('12:00')), instantAt(day, '12:00'))).toBe('NONE');
  });
});

test('a resend that the bank makes is not the service’s to make', () => {
  const byBank = owed('10:00', { scheduledRetry: { since: instantAt(day, '10:00'), by: 'bank' } });
  expect(decideRetry(byBank, instantAt(day, '12:00'), 'us')).toBe('NONE');
  expect(decideRetry(byBank, instantAt(day, '12:00'), 'bank')).toBe('SEND');
  expect(decideRetry(owed('10:00'), instantAt(day, '12:00'), 'bank')).toBe('NONE');
});

/**
 * P13: a resend exists ⇒ same dates and amount, made before 21:00 of its day, attempt 1 to 3, the root is the
 * partner's.
 */
test('a chain of resends has at most three, on the day before 21:00, each naming the one before and the root', () => {
  const names = (number: number) => ({
    id: `dddddddd-0000-4000-8000-1000000000${String(number).padStart(2, '0')}`,
    externalId: `resend-${number}`,
    endToEndId: `E99999004202603201200000000000${String(number).padStart(2, '0')}`,
  });
  expect(maxRetries).toBe(3);
  const waits = fc.array(fc.record({ error: fc.nat({ max: 30_000 }), run: fc.nat({ max: 7_000 }) }), { maxLength: 6 });
  fc.assert(
    fc.property(waits, fc.nat({ max: 90_000 }), (steps, begin) => {
      const root = aPayment({ status: 'ACCEPTED' });
      let now = plusSeconds(instantAt(day, '00:00'), begin);
      const chain = [root];
      for (const { error, run } of steps) {
        now = plusSeconds(now, error);
        const last = chain.at(-1) ?? root;
        const facts = { trigger: 'CANCELED_SETTLEMENT_ERROR', at: now } as const;
        const { payment } = decideScheduledPayment({ payment: last, terms: terms() }, facts, newIds);
        now = plusSeconds(now, run);
        if (decideRetry(payment, now) !== 'SEND') break;
        chain.push(retryOf(payment, names(chain.length), now));
      }
      expect(chain.length).toBeLessThanOrEqual(1 + 3);
      for (const [attempt, resend] of chain.entries()) {
        if (attempt === 0) continue;
        expect(resend).toMatchObject({
          ...names(attempt),
          purpose: 'RESEND_DUE_TO_SETTLEMENT_ERROR',
          status: 'PENDING',
          amount: root.amount,
          dueDate: root.dueDate,
          settlementDate: root.settlementDate,
          originalScheduledPaymentId: chain[attempt - 1]?.id,
          settlementErrorRetryRootId: root.id,
          settlementErrorRetryAttempt: attempt,
        });
        expect(brasiliaDate(resend.createdAt)).toBe(day);
        expect(brasiliaMinuteOfDay(resend.createdAt)).toBeLessThan(21 * 60);
      }
    }),
    { numRuns: 300 },
  );
});
