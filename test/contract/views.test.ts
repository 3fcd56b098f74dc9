import { expect, test } from 'vitest';
import { PayInRecord } from '#shared/pay-ins/contract.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import { payInView } from '#shared/pay-ins/view.ts';
import { centavos } from '#shared/core/money.ts';
import { SubscriptionEventData, SubscriptionRecord } from '#shared/subscriptions/contract.ts';
import type { Subscription } from '#shared/subscriptions/model.ts';
import { subscriptionEventData, subscriptionView } from '#shared/subscriptions/view.ts';
import { aPayIn, aSubscription, debtor, later } from '#test/support/builders.ts';

/**
 * `Required`: a new field does not compile here before it has a value, and then the view must show it or not on
 * purpose.
 */
const full = (payIn: PayIn): Required<PayIn> => ({
  ...payIn,
  errorMessage: 'AC03: The account of the receiver does not exist.',
  endToEndId: 'E9999900420260310120012345678901',
  paidAt: later,
  refundedAt: later,
  refundedAmount: payIn.amount,
  returnedByDisputes: payIn.amount,
  disputeReturnedAt: later,
  disputeId: payIn.id,
  canceledAt: later,
  createdBy: 'client',
  canceledBy: 'client',
  expiredAt: later,
  payerAccountId: payIn.accountId,
  shard: 3,
  connection: payIn.id,
  subscription: { id: payIn.id, code: 'contract-1', scheduledPayment: { id: payIn.id, externalId: 'payment-1' } },
});

/** What the service knows of a pay-in and its record does not show (2.6). */
const notShown = [
  'accountId',
  'connection',
  'disputeId',
  'disputeReturnedAt',
  'ownerBank',
  'payer',
  'payerAccountId',
  'returnedByDisputes',
  'shard',
  'subscription',
  'updatedAt',
  'version',
];
/** What its record shows and the service does not store. */
const onlyShown = ['paymentMethod', 'qrcodeImageBase64'];

test('a pay-in shows every field of its record, and each field of the pay-in is shown or left out on purpose', () => {
  const payIn = full(aPayIn());
  const shown = Object.keys(payInView(payIn)).toSorted();
  expect(shown, 'the view fills every field of the contract').toEqual(Object.keys(PayInRecord.shape).toSorted());
  expect(
    [...Object.keys(payIn), ...onlyShown].filter((field) => !notShown.includes(field)).toSorted(),
    'shared/pay-ins/view.ts shows a new field, or it is named above',
  ).toEqual(shown);
});

const fullSubscription = (subscription: Subscription): Required<Subscription> => ({
  ...subscription,
  initialCharge: { orderId: subscription.id, expireDateTime: later, conciliationId: 'c', amount: centavos(100) },
  endDate: '2027-03-10',
  fixedAmount: centavos(100),
  maxAmountFloor: centavos(100),
  expectedPayer: debtor,
  payer: debtor,
  description: 'Plan',
  connection: subscription.id,
  createdBy: 'client',
  updatedBy: 'client',
});
/** What the service knows of a subscription and neither its record nor its events show (2.4). */
const keptBack = ['cancellationsCount', 'connection', 'expectedPayer', 'ownerBank', 'qrcodeData', 'version'];

test.each([
  ['record', SubscriptionRecord, subscriptionView],
  ['events', SubscriptionEventData, subscriptionEventData],
])('a subscription shows every field of its %s, and no other', (_name, { shape }, view) => {
  const subscription = fullSubscription(aSubscription());
  const shown = Object.keys(view({ subscription, cancellations: [] })).toSorted();
  expect(shown).toEqual(Object.keys(shape).toSorted());
  expect(
    [...Object.keys(subscription), 'cancellations', 'qrcodeDetail']
      .filter((field) => !keptBack.includes(field))
      .toSorted(),
    'shared/subscriptions/view.ts shows a new field, or it is named above',
  ).toEqual(shown);
});
