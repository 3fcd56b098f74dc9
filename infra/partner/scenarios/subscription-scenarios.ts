import { advanceTo, wait } from './steps/clock.ts';
import { balanceGrew, hasPayments, idOf, reads, settledAs, notified } from './steps/assertions.ts';
import { bankMoves, bankMovesPayment, findResend, schedule, subscribe } from './steps/subscriptions.ts';
import type { Scenario } from './context.ts';
import { section } from './context.ts';

const charge = 'SUBSCRIPTION.SCHEDULED_PAYMENT';
const value = '49.90';
/** The payer's bank takes a charge and pays it; each notification comes before the next step. */
const settles = (payment: string, payIn: string) => [
  bankMovesPayment(payment, 'ACCEPTED'),
  notified(`${charge}.ACCEPTED`, payment),
  bankMovesPayment(payment, 'COMPLETED'),
  notified(`${charge}.COMPLETED`, payment),
  settledAs(payment, payIn),
  notified('ORDER-PAYIN.PAID', payIn, { 'subscription.scheduledPayment.id': idOf(payment) }),
];
const canceledFor = (reason: string) => ({ 'data.status': 'CANCELED', 'data.cancellation.reason': reason });
/** A resend names the payment that began the chain, and its own place in it. */
const resendOf = (root: string, attempt: number) => ({
  'data.settlementErrorRetryRootId': idOf(root),
  'data.settlementErrorRetryAttempt': attempt,
});

const month = (cycle: number) => {
  const [payment, payIn] = [`charge ${cycle + 1}`, `pay-in ${cycle + 1}`];
  return section(
    `Month ${cycle + 1}: charge it, and the payer's bank pays on the due date`,
    advanceTo({ cycle, days: -3 }, '12:00'),
    schedule(payment, { of: 'contract', due: { cycle }, value }),
    notified(`${charge}.PENDING`, payment),
    advanceTo({ cycle }, '09:00'),
    ...settles(payment, payIn),
  );
};

export const threeMonths: Scenario = {
  name: 'journey-2-three-months',
  about: 'a subscription of journey 2 is authorized and charged for three months, each charge paid on its day',
  sections: [
    section('Create a monthly subscription (journey 2)', subscribe('contract')),
    section(
      "The payer's bank accepts the recurrence",
      bankMoves('contract', 'ACCEPTED'),
      notified('SUBSCRIPTION.ACCEPTED', 'contract'),
    ),
    ...[0, 1, 2].map(month),
    section('Look at the account', hasPayments('contract', 3), balanceGrew('149.70')),
  ],
};

export const payerCancels: Scenario = {
  name: 'payer-cancels-with-open-charges',
  about: 'the payer cancels: open charges are canceled, each with its notification, but for the one of that day',
  sections: [
    section(
      'An accepted subscription with three charges, the first of them due today',
      subscribe('contract'),
      bankMoves('contract', 'ACCEPTED'),
      notified('SUBSCRIPTION.ACCEPTED', 'contract'),
      advanceTo({ cycle: 0 }, '08:00'),
      ...[0, 1, 2].flatMap((cycle) => [
        schedule(`charge ${cycle + 1}`, { of: 'contract', due: { cycle }, value }),
        notified(`${charge}.PENDING`, `charge ${cycle + 1}`),
      ]),
    ),
    section(
      'The payer cancels',
      bankMoves('contract', 'CANCELED'),
      notified('SUBSCRIPTION.CANCELED', 'contract'),
      wait(60),
    ),
    section(
      'What was open is canceled',
      notified(`${charge}.CANCELLATION.ACCEPTED`, 'charge 2', canceledFor('AUTHORIZATION_CANCELED')),
      notified(`${charge}.CANCELLATION.ACCEPTED`, 'charge 3', canceledFor('AUTHORIZATION_CANCELED')),
      reads('charge 1', { status: 'PENDING' }),
    ),
    section('The charge of the day is paid all the same', ...settles('charge 1', 'pay-in'), balanceGrew(value)),
  ],
};

export const settlementErrors: Scenario = {
  name: 'settlement-error-until-21h',
  about: 'the service resends a charge after each settlement error of its day, until 21:00 in Brasilia',
  sections: [
    section(
      'A charge on its due date',
      subscribe('contract'),
      bankMoves('contract', 'ACCEPTED'),
      notified('SUBSCRIPTION.ACCEPTED', 'contract'),
      schedule('charge', { of: 'contract', due: { cycle: 0 }, value }),
      notified(`${charge}.PENDING`, 'charge'),
      advanceTo({ cycle: 0 }, '10:00'),
    ),
    section(
      'It does not settle at 10:00: the service sends it again within a minute',
      bankMovesPayment('charge', 'CANCELED_SETTLEMENT_ERROR'),
      notified(`${charge}.CANCELLATION.ACCEPTED`, 'charge', canceledFor('SETTLEMENT_ERROR')),
      wait(60),
      findResend('resend 1', 'charge'),
      notified(`${charge}.PENDING`, 'resend 1', resendOf('charge', 1)),
    ),
    section(
      'The resend does not settle at 20:58: once more',
      advanceTo({ cycle: 0 }, '20:58'),
      bankMovesPayment('resend 1', 'CANCELED_SETTLEMENT_ERROR'),
      notified(`${charge}.CANCELLATION.ACCEPTED`, 'resend 1', canceledFor('SETTLEMENT_ERROR')),
      wait(60),
      findResend('resend 2', 'resend 1'),
      notified(`${charge}.PENDING`, 'resend 2', resendOf('charge', 2)),
    ),
    section(
      'An error at 21:01 is the end: nothing is sent again',
      advanceTo({ cycle: 0 }, '21:01'),
      bankMovesPayment('resend 2', 'CANCELED_SETTLEMENT_ERROR'),
      notified(`${charge}.CANCELLATION.ACCEPTED`, 'resend 2', canceledFor('SETTLEMENT_ERROR')),
      advanceTo({ cycle: 0 }, '23:30'),
      hasPayments('contract', 3),
      balanceGrew('0.00'),
    ),
  ],
};

export const newAttempt: Scenario = {
  name: 'insufficient-balance-then-new-attempt',
  about: 'a charge ends for want of money; a new attempt three days later is paid',
  sections: [
    section(
      'A subscription that may be charged after the due date',
      subscribe('contract', { allowChargeAfterDueDate: true }),
      bankMoves('contract', 'ACCEPTED'),
      notified('SUBSCRIPTION.ACCEPTED', 'contract'),
      schedule('charge', { of: 'contract', due: { cycle: 0 }, value }),
      notified(`${charge}.PENDING`, 'charge'),
    ),
    section(
      'On the due date the payer has no money',
      advanceTo({ cycle: 0 }, '09:00'),
      bankMovesPayment('charge', 'ACCEPTED'),
      notified(`${charge}.ACCEPTED`, 'charge'),
      bankMovesPayment('charge', 'CANCELED_INSUFFICIENT_BALANCE'),
      notified(`${charge}.CANCELLATION.ACCEPTED`, 'charge', { 'data.cancellation.reason': 'OTHER_REASONS' }),
      balanceGrew('0.00'),
    ),
    section(
      'The next day: a new attempt, three days after the due date',
      advanceTo({ cycle: 0, days: 1 }, '10:00'),
      schedule('new attempt', { of: 'contract', due: { cycle: 0, days: 3 }, value, newAttemptOf: 'charge' }),
      notified(`${charge}.PENDING`, 'new attempt', { 'data.originalScheduledPaymentId': idOf('charge') }),
      advanceTo({ cycle: 0, days: 3 }, '09:00'),
      ...settles('new attempt', 'pay-in'),
      hasPayments('contract', 2),
      balanceGrew(value),
    ),
  ],
};
