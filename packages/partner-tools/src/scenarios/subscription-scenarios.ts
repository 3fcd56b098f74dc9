import { advanceTo, bankMoves, wait } from './steps/simulation.ts';
import { balanceGrew, hasPayments, IdOf, reads, settledAs, notified } from './steps/assertions.ts';
import { findResend, schedule, subscribe } from './steps/subscriptions.ts';
import type { Day, Scenario } from './context.ts';
import { section } from './context.ts';

const charge = 'SUBSCRIPTION.SCHEDULED_PAYMENT';
const value = '49.90';
/** The payer's bank accepts a charge and pays it; each notification comes before the next step. */
const settles = (payment: string, payIn: string) => [
  bankMoves(payment, 'ACCEPTED'),
  notified(`${charge}.ACCEPTED`, payment),
  bankMoves(payment, 'COMPLETED'),
  notified(`${charge}.COMPLETED`, payment),
  settledAs(payment, payIn),
  notified('ORDER-PAYIN.PAID', payIn, { 'subscription.scheduledPayment.id': new IdOf(payment) }),
];
const canceledFor = (reason: string) => ({ 'data.status': 'CANCELED', 'data.cancellation.reason': reason });
const accepted = [bankMoves('contract', 'ACCEPTED'), notified('SUBSCRIPTION.ACCEPTED', 'contract')];
const charges = (payment: string, due: Day) => [
  schedule(payment, { subscription: 'contract', due, value }),
  notified(`${charge}.PENDING`, payment),
];
const doesNotSettle = (payment: string) => [
  bankMoves(payment, 'CANCELED_SETTLEMENT_ERROR'),
  notified(`${charge}.CANCELLATION.ACCEPTED`, payment, canceledFor('SETTLEMENT_ERROR')),
];
/** Checks a resend: it names the first payment of its chain, and its own number in the chain. */
const isResent = (payment: string, attempt: number) => [
  wait(60),
  findResend(`resend ${attempt}`, payment),
  notified(`${charge}.PENDING`, `resend ${attempt}`, {
    'data.settlementErrorRetryRootId': new IdOf('charge'),
    'data.settlementErrorRetryAttempt': attempt,
  }),
];

const month = (cycle: number) => {
  const [payment, payIn] = [`charge ${cycle + 1}`, `pay-in ${cycle + 1}`];
  return section(
    `Month ${cycle + 1}: schedule the charge, and the payer's bank pays it on the due date`,
    advanceTo({ cycle, days: -3 }, '12:00'),
    ...charges(payment, { cycle }),
    advanceTo({ cycle }, '09:00'),
    ...settles(payment, payIn),
  );
};

export const threeMonths: Scenario = {
  name: 'journey-2-three-months',
  about:
    'a subscription of journey 2 is authorized and charged for three months, and each charge is paid on its due date',
  sections: [
    section('Create a monthly subscription (journey 2)', subscribe('contract')),
    section("The payer's bank accepts the recurrence", ...accepted),
    ...[0, 1, 2].map(month),
    section('Look at the account', hasPayments('contract', 3), balanceGrew('149.70')),
  ],
};

export const payerCancels: Scenario = {
  name: 'payer-cancels-with-open-charges',
  about: 'the payer cancels: open charges are canceled, each with a notification, except the charge due that day',
  sections: [
    section(
      'An accepted subscription with three charges, the first of them due today',
      subscribe('contract'),
      ...accepted,
      advanceTo({ cycle: 0 }, '08:00'),
      ...[0, 1, 2].flatMap((cycle) => charges(`charge ${cycle + 1}`, { cycle })),
    ),
    section(
      'The payer cancels',
      bankMoves('contract', 'CANCELED'),
      notified('SUBSCRIPTION.CANCELED', 'contract'),
      wait(60),
    ),
    section(
      'The open charges are canceled',
      notified(`${charge}.CANCELLATION.ACCEPTED`, 'charge 2', canceledFor('AUTHORIZATION_CANCELED')),
      notified(`${charge}.CANCELLATION.ACCEPTED`, 'charge 3', canceledFor('AUTHORIZATION_CANCELED')),
      reads('charge 1', { status: 'PENDING' }),
    ),
    section('The charge due that day is still paid', ...settles('charge 1', 'pay-in'), balanceGrew(value)),
  ],
};

export const settlementErrors: Scenario = {
  name: 'settlement-error-until-21h',
  about: 'the service resends a charge after each settlement error on its due date, until 21:00 in Brasilia',
  sections: [
    section(
      'A charge on its due date',
      subscribe('contract'),
      ...accepted,
      ...charges('charge', { cycle: 0 }),
      advanceTo({ cycle: 0 }, '10:00'),
    ),
    section(
      'It does not settle at 10:00: the service sends it again within a minute',
      ...doesNotSettle('charge'),
      ...isResent('charge', 1),
    ),
    section(
      'The resend does not settle at 20:58: the service sends the charge once more',
      advanceTo({ cycle: 0 }, '20:58'),
      ...doesNotSettle('resend 1'),
      ...isResent('resend 1', 2),
    ),
    section(
      'An error at 21:01: the service does not send the charge again',
      advanceTo({ cycle: 0 }, '21:01'),
      ...doesNotSettle('resend 2'),
      advanceTo({ cycle: 0 }, '23:30'),
      hasPayments('contract', 3),
      balanceGrew('0.00'),
    ),
  ],
};

export const newAttempt: Scenario = {
  name: 'insufficient-balance-then-new-attempt',
  about: 'a charge fails for insufficient balance; a new attempt three days later is paid',
  sections: [
    section(
      'A subscription that may be charged after the due date',
      subscribe('contract', { allowChargeAfterDueDate: true }),
      ...accepted,
      ...charges('charge', { cycle: 0 }),
    ),
    section(
      'On the due date the balance of the payer is insufficient',
      advanceTo({ cycle: 0 }, '09:00'),
      bankMoves('charge', 'ACCEPTED'),
      notified(`${charge}.ACCEPTED`, 'charge'),
      bankMoves('charge', 'CANCELED_INSUFFICIENT_BALANCE'),
      notified(`${charge}.CANCELLATION.ACCEPTED`, 'charge', { 'data.cancellation.reason': 'OTHER_REASONS' }),
      balanceGrew('0.00'),
    ),
    section(
      'The next day: a new attempt, three days after the due date',
      advanceTo({ cycle: 0, days: 1 }, '10:00'),
      schedule('new attempt', { subscription: 'contract', due: { cycle: 0, days: 3 }, value, newAttemptOf: 'charge' }),
      notified(`${charge}.PENDING`, 'new attempt', { 'data.originalScheduledPaymentId': new IdOf('charge') }),
      advanceTo({ cycle: 0, days: 3 }, '09:00'),
      ...settles('new attempt', 'pay-in'),
      hasPayments('contract', 2),
      balanceGrew(value),
    ),
  ],
};
