import { expect, test } from 'vitest';
import { PayInRecord } from '#shared/pay-ins/contract.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import { payInView } from '#shared/pay-ins/view.ts';
import { aPayIn, later } from '#test/support/builders.ts';

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
  canceledAt: later,
  expiredAt: later,
  payerAccountId: payIn.accountId,
  connection: payIn.id,
  subscription: { id: payIn.id, code: 'contract-1', scheduledPayment: { id: payIn.id, externalId: 'payment-1' } },
});

/** What the service knows of a pay-in and its record does not show (2.6). */
const notShown = [
  'accountId',
  'connection',
  'ownerBank',
  'payer',
  'payerAccountId',
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
