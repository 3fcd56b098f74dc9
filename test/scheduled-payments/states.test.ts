import { describe, expect, test } from 'vitest';
import { instantAt, plusMilliseconds } from '#shared/core/brasilia-time.ts';
import type { ScheduledPayment, ScheduledPaymentStatus } from '#shared/scheduled-payments/model.ts';
import { scheduledPaymentStatuses } from '#shared/scheduled-payments/model.ts';
import type { ChargeEvent } from '#shared/scheduled-payments/states.ts';
import {
  decideScheduledPayment,
  eventsAtCreation,
  retryOf,
  withCancellationEvent,
  withoutScheduledRetry,
} from '#shared/scheduled-payments/states.ts';
import { debtor, later, receiverDocument } from '../support/builders.ts';
import { aChargeCancellation, aPayment, newIds, paymentId, terms } from '../support/charges.ts';
import { errorOf } from '../support/refusals.ts';
import { each } from '../support/each.ts';

const aMillisecondLater = plusMilliseconds(later, 1);

type Trigger = ChargeEvent['trigger'];
const factsOf = (trigger: Trigger, at = later): ChargeEvent =>
  trigger === 'REJECTED' || trigger === 'ERROR' ? { trigger, at, errorCode: 'AM02' } : { trigger, at };
const move = (payment: ScheduledPayment, trigger: Trigger, by: 'bank' | 'service' = 'bank', at = later) =>
  decideScheduledPayment({ payment, terms: terms() }, factsOf(trigger, at), newIds, by);
const events = ({ events: all }: ReturnType<typeof move>) =>
  all.map(({ event }) => event.replace('SUBSCRIPTION.SCHEDULED_PAYMENT.', ''));

/** Section 3 and docs/decisions/016: from, tool value, to, events, what it means for the cycle. Written by hand. */
const table = `
INITIAL   CANCELLATION_PENDING           INITIAL                        CANCELLATION.PENDING   -
INITIAL   CANCELLATION_REJECTED          INITIAL                        CANCELLATION.REJECTED  -
PENDING   ACCEPTED                       ACCEPTED                       ACCEPTED               -
PENDING   REJECTED                       REJECTED                       REJECTED               FREE
PENDING   ERROR                          ERROR                          ERROR                  FAILED
PENDING   CANCELED                       CANCELED                       CANCELLATION.ACCEPTED  FREE
PENDING   CANCELED_SETTLEMENT_ERROR      CANCELED                       CANCELLATION.ACCEPTED  FREE
PENDING   CANCELLATION_PENDING           PENDING                        CANCELLATION.PENDING   -
PENDING   CANCELLATION_REJECTED          PENDING                        CANCELLATION.REJECTED  -
ACCEPTED  COMPLETED                      COMPLETED                      COMPLETED              -
ACCEPTED  ERROR                          ERROR                          ERROR                  FAILED
ACCEPTED  CANCELED                       CANCELED                       CANCELLATION.ACCEPTED  FREE
ACCEPTED  CANCELED_INSUFFICIENT_BALANCE  CANCELED_INSUFFICIENT_BALANCE  CANCELLATION.ACCEPTED  UNPAID
ACCEPTED  CANCELED_SETTLEMENT_ERROR      CANCELED                       CANCELLATION.ACCEPTED  FREE
ACCEPTED  CANCELLATION_PENDING           ACCEPTED                       CANCELLATION.PENDING   -
ACCEPTED  CANCELLATION_REJECTED          ACCEPTED                       CANCELLATION.REJECTED  -
`
  .trim()
  .split('\n')
  .map((line) => line.split(/\s+/u));
const triggers = [...new Set(table.map(([, trigger]) => trigger)), 'INITIAL', 'PENDING'] as Trigger[];

describe('the bank', () => {
  test.each(table)(
    'changes a payment from %s by %s to %s, with the event %s and the cycle %s',
    (from, trigger, to, event, cycle) => {
      const before = aPayment({ status: from as ScheduledPaymentStatus });
      const moved = move(before, trigger as Trigger);
      expect(moved.payment.status).toBe(to);
      expect(events(moved)).toEqual([event]);
      expect(moved.cycle ?? '-').toBe(cycle);
      expect(moved.payment.version).toBe(before.version + 1);
      const changed = from !== to;
      expect(moved.payment.updatedAt).toBe(changed ? later : before.updatedAt);
      expect(moved.payment.statusHistory.length - before.statusHistory.length).toBe(changed ? 1 : 0);
      for (const { payment } of moved.events) expect(payment).toEqual(moved.payment);
    },
  );

  test('moves a payment in no other way', () => {
    const listed = new Set(table.map(([from, trigger]) => `${from} ${trigger}`));
    for (const status of each(scheduledPaymentStatuses))
      for (const trigger of triggers) {
        const refused = errorOf(() => move(aPayment({ status }), trigger));
        expect([`${status} ${trigger}`, refused === 'none']).toEqual([
          `${status} ${trigger}`,
          listed.has(`${status} ${trigger}`),
        ]);
        if (refused !== 'none') expect(refused).toBe('409 status:TRANSITION_NOT_ALLOWED');
      }
  });
});

describe('the service', () => {
  test('moves a payment from INITIAL to PENDING when its window opens, with the command SCHEDULE pending', () => {
    const { payment, events: all } = move(
      aPayment({ status: 'INITIAL', releaseAt: later }),
      'WINDOW_OPENED',
      'service',
    );
    expect(payment).toMatchObject({ status: 'PENDING', pendingCommands: ['SCHEDULE'] });
    expect(payment).not.toHaveProperty('releaseAt');
    expect(all).toEqual([{ event: 'SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING', payment }]);
  });

  test.each(['INITIAL', 'PENDING', 'ACCEPTED'] as const)('cancels a payment in %s with its subscription', (status) => {
    const moved = move(aPayment({ status, pendingCommands: ['SCHEDULE'] }), 'AUTHORIZATION_CANCELED', 'service');
    expect(moved.payment.status).toBe('CANCELED');
    expect(moved.payment.cancellation).toMatchObject({ status: 'ACCEPTED', reason: 'AUTHORIZATION_CANCELED' });
    expect(moved.payment).not.toHaveProperty('pendingCommands');
    expect([...events(moved), moved.cycle]).toEqual(['CANCELLATION.ACCEPTED', 'FREE']);
  });

  test('ends a charge, or a request to cancel it, that the bank did not get in time', () => {
    const open = { cancellation: aChargeCancellation(), pendingCommands: ['SCHEDULE', 'CANCEL'] } as const;
    const failed = move(aPayment(open), 'ERROR', 'service');
    expect([...events(failed), failed.cycle]).toEqual(['ERROR', 'CANCELLATION.REJECTED', 'FAILED']);
    for (const status of ['PENDING', 'ACCEPTED'] as const) {
      const rejected = move(aPayment({ ...open, status }), 'CANCELLATION_REJECTED', 'service');
      expect(rejected.payment).toMatchObject({
        status,
        cancellation: { status: 'REJECTED' },
        pendingCommands: ['SCHEDULE'],
      });
      expect(events(rejected)).toEqual(['CANCELLATION.REJECTED']);
    }
  });

  test('cannot trigger the transitions of the bank, nor the bank those of the service', () => {
    for (const trigger of ['ACCEPTED', 'COMPLETED', 'REJECTED', 'CANCELLATION_PENDING'] as const)
      expect(errorOf(() => move(aPayment(), trigger, 'service'))).toBe('409 status:TRANSITION_NOT_ALLOWED');
    expect(errorOf(() => move(aPayment(), 'AUTHORIZATION_CANCELED'))).toBe('409 status:TRANSITION_NOT_ALLOWED');
  });
});

describe('a cancellation', () => {
  const reasonAfter = (trigger: Trigger, more: Partial<ScheduledPayment> = {}) =>
    move(aPayment({ status: 'ACCEPTED', ...more }), trigger).payment.cancellation;
  const open = aChargeCancellation({ reason: 'ACCOUNT_BLOCKED' });

  test('is the payer’s, with their document, when it was not requested', () => {
    expect(reasonAfter('CANCELED')).toEqual({
      id: newIds.cancellationId,
      status: 'ACCEPTED',
      endToEndId: aPayment().endToEndId,
      reason: 'REQUESTED_BY_PAYER',
      canceledAt: later,
      customer: { document: debtor.document },
    });
    expect(reasonAfter('CANCELLATION_PENDING')).toMatchObject({ status: 'PENDING', reason: 'REQUESTED_BY_PAYER' });
    expect(reasonAfter('CANCELLATION_REJECTED')).toMatchObject({ status: 'REJECTED', reason: 'REQUESTED_BY_PAYER' });
  });

  test('keeps id and reason, and gets the time of the answer, when it was requested', () => {
    expect(reasonAfter('CANCELED', { cancellation: open })).toEqual({ ...open, status: 'ACCEPTED', canceledAt: later });
    expect(reasonAfter('CANCELLATION_REJECTED', { cancellation: open })).toEqual({
      ...open,
      status: 'REJECTED',
      canceledAt: later,
    });
    expect(reasonAfter('CANCELLATION_PENDING', { cancellation: open })).toEqual(open);
  });

  test('gets an id of its own when an earlier request was rejected', () => {
    const rejected = aChargeCancellation({ status: 'REJECTED' });
    expect(reasonAfter('CANCELED', { cancellation: rejected })?.id).toBe(newIds.cancellationId);
    expect(reasonAfter('CANCELLATION_PENDING', { cancellation: rejected })?.id).toBe(newIds.cancellationId);
  });

  test('has the reason OTHER_REASONS for insufficient balance, and SETTLEMENT_ERROR for a settlement error', () => {
    expect(reasonAfter('CANCELED_INSUFFICIENT_BALANCE')).toMatchObject({ reason: 'OTHER_REASONS' });
    expect(reasonAfter('CANCELED_SETTLEMENT_ERROR')).toMatchObject({ reason: 'SETTLEMENT_ERROR', status: 'ACCEPTED' });
  });

  test.each(['COMPLETED', 'ERROR'] as const)(
    'is rejected, with its event, when it is still open and the payment becomes %s',
    (to) => {
      const moved = move(aPayment({ status: 'ACCEPTED', cancellation: open }), to);
      expect(events(moved)).toEqual([to, 'CANCELLATION.REJECTED']);
      expect(moved.payment.cancellation).toEqual({ ...open, status: 'REJECTED', canceledAt: aMillisecondLater });
    },
  );

  test('is rejected when it is still open at a settlement error, because the charge goes on', () => {
    const moved = move(aPayment({ status: 'ACCEPTED', cancellation: open }), 'CANCELED_SETTLEMENT_ERROR');
    const notifiedCancellations = moved.events.map(({ payment: { cancellation } }) => cancellation);
    expect(notifiedCancellations.map((one) => [one?.id, one?.status, one?.canceledAt])).toEqual([
      [open.id, 'REJECTED', later],
      [newIds.cancellationId, 'ACCEPTED', aMillisecondLater],
    ]);
  });

  test('names the customer that the bank names', () => {
    const customer = { document: receiverDocument };
    const facts = { trigger: 'CANCELED', at: later, reason: 'ACCOUNT_CLOSURE', customer } as const;
    const { payment } = decideScheduledPayment({ payment: aPayment(), terms: terms() }, facts, newIds);
    expect(payment.cancellation).toMatchObject({ reason: 'ACCOUNT_CLOSURE', customer });
  });
});

describe('a transition', () => {
  test('removes the pending command SCHEDULE, but not CANCEL, when it goes to ACCEPTED', () => {
    expect(move(aPayment({ pendingCommands: ['SCHEDULE'] }), 'ACCEPTED').payment).not.toHaveProperty('pendingCommands');
    expect(move(aPayment({ pendingCommands: ['SCHEDULE', 'CANCEL'] }), 'ACCEPTED').payment.pendingCommands).toEqual([
      'CANCEL',
    ]);
  });

  test('removes the pending command CANCEL when it answers the request to cancel', () => {
    const asked = aPayment({ pendingCommands: ['SCHEDULE', 'CANCEL'], cancellation: aChargeCancellation() });
    for (const trigger of ['CANCELLATION_PENDING', 'CANCELLATION_REJECTED'] as const)
      expect(move(asked, trigger).payment.pendingCommands).toEqual(['SCHEDULE']);
  });

  test('leaves no pending command when it goes to a final status', () => {
    const status = 'ACCEPTED';
    for (const trigger of ['COMPLETED', 'ERROR', 'CANCELED', 'CANCELED_INSUFFICIENT_BALANCE'] as const)
      expect(move(aPayment({ status, pendingCommands: ['CANCEL'] }), trigger).payment).not.toHaveProperty(
        'pendingCommands',
      );
  });

  test('sets the errorCode of a failure, and the orderId of a settlement', () => {
    expect(move(aPayment(), 'REJECTED').payment.errorCode).toBe('AM02');
    expect(move(aPayment(), 'ERROR').payment.errorCode).toBe('AM02');
    expect(move(aPayment({ status: 'ACCEPTED' }), 'COMPLETED').payment.orderId).toBe(newIds.orderId);
  });

  test('owes a resend and keeps the cycle when it is a settlement error on the day before 21:00', () => {
    const today = (time: string) =>
      move(aPayment({ status: 'ACCEPTED' }), 'CANCELED_SETTLEMENT_ERROR', 'bank', instantAt('2026-03-20', time));
    expect(today('20:59').payment.scheduledRetry).toEqual({ since: instantAt('2026-03-20', '20:59'), by: 'us' });
    expect(today('20:59').cycle).toBeUndefined();
    expect(today('21:00').payment).not.toHaveProperty('scheduledRetry');
    expect(today('21:00').cycle).toBe('FREE');
  });

  test('keeps pollAt after a settlement error when the bank resends itself, and removes it otherwise', () => {
    const pollAt = instantAt('2026-03-21', '08:00');
    const at = instantAt('2026-03-20', '20:59');
    const failed = (resentBy: 'us' | 'bank') =>
      decideScheduledPayment(
        { payment: aPayment({ status: 'ACCEPTED', pollAt }), terms: terms() },
        { trigger: 'CANCELED_SETTLEMENT_ERROR', at, resentBy },
        newIds,
      ).payment;
    expect(failed('bank')).toMatchObject({ scheduledRetry: { since: at, by: 'bank' }, pollAt });
    expect(failed('us')).toMatchObject({ scheduledRetry: { since: at, by: 'us' } });
    expect(failed('us')).not.toHaveProperty('pollAt');
  });

  test('never sets updatedAt back when the bank reports it late', () => {
    const written = instantAt('2026-03-20', '12:00');
    const at = (time: string) =>
      move(aPayment({ updatedAt: written }), 'ACCEPTED', 'bank', instantAt('2026-03-20', time)).payment.updatedAt;
    expect(at('11:59')).toBe(written);
    expect(at('12:01')).toBe(instantAt('2026-03-20', '12:01'));
  });

  test('never frees the cycle when it finishes a new attempt or a resend of one', () => {
    const firstAttemptId = 'dddddddd-0000-4000-8000-0000000000ff';
    const attempt = aPayment({ purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: firstAttemptId });
    const charges = [
      { payment: attempt, terms: terms({ firstAttemptId }) },
      {
        payment: { ...attempt, id: 'dddddddd-0000-4000-8000-000000000009', settlementErrorRetryRootId: paymentId },
        terms: terms({ firstAttemptId }),
      },
    ];
    for (const charge of charges)
      for (const trigger of ['REJECTED', 'ERROR', 'CANCELED'] as const)
        expect(decideScheduledPayment(charge, factsOf(trigger), newIds).cycle).toBe('UNPAID');
  });
});

test('a resend is a payment of its own that waits for the bank, with what the first one has', () => {
  const original = aPayment({ status: 'CANCELED', description: 'March', scheduledRetry: { since: later, by: 'us' } });
  const names = { id: 'dddddddd-0000-4000-8000-000000000002', externalId: 'charge-1-resent' };
  expect(retryOf(original, names, later)).toMatchObject({
    ...names,
    ...{ status: 'PENDING', description: 'March', amount: original.amount, pendingCommands: ['SCHEDULE'], version: 1 },
    statusHistory: ['INITIAL', 'PENDING'].map((status) => ({ status, createdAt: later })),
    ...{ settlementErrorRetryRootId: paymentId, settlementErrorRetryAttempt: 1, originalScheduledPaymentId: paymentId },
  });
  expect(retryOf(aPayment(), names, later)).not.toHaveProperty('description');
  const owed = aPayment({ scheduledRetry: { since: later, by: 'bank' }, pollAt: later, version: 4 });
  expect(withoutScheduledRetry(owed)).toStrictEqual({ ...aPayment(), version: 5 });
});

test('a payment without a cancellation has no cancellation event', () => {
  expect(() => withCancellationEvent(aPayment())).toThrow('no event of its cancellation');
});

test('a new payment has the event PENDING, and no event while it is held in INITIAL', () => {
  expect(eventsAtCreation(aPayment()).map(({ event }) => event)).toEqual(['SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING']);
  expect(eventsAtCreation(aPayment({ status: 'INITIAL' }))).toEqual([]);
  expect(() => eventsAtCreation(aPayment({ status: 'CANCELED' }))).toThrow('no event of the status CANCELED');
});
