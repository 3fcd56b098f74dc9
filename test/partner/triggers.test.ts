import { expect, test } from 'vitest';
import { triggers, wordFor } from '#infra/partner/trigger/triggers.ts';
import { chargeCancellationEvents, scheduledPaymentEvents } from '#shared/scheduled-payments/states.ts';
import { subscriptionEvents } from '#shared/subscriptions/states.ts';
import { notifiedPayInStatuses } from '#shared/pay-ins/model.ts';
import { notifiedPayoutStatuses } from '#shared/payouts/model.ts';

/** The service says these by itself, at a creation or after a refund that the bank refuses: no tool causes them. */
const notCaused = ['SUBSCRIPTION.ERROR'];

test('every event that the simulation tools can cause has a word', () => {
  const events = [
    ...notifiedPayInStatuses.map((status) => `ORDER-PAYIN.${status}`),
    ...['ORDER-PAYIN.REFUNDED', ...notifiedPayoutStatuses.map((status) => `ORDER-PAYOUT.${status}`)],
    ...[...subscriptionEvents, ...scheduledPaymentEvents, ...chargeCancellationEvents],
  ];
  expect(Object.keys(triggers).toSorted()).toEqual(events.filter((one) => !notCaused.includes(one)).toSorted());
  expect(wordFor('ORDER-PAYIN.PAID')).toBe('payin.paid');
  expect(wordFor('SUBSCRIPTION.CANCELLATION.REJECTED')).toBe('subscription.cancellation.rejected');
});
