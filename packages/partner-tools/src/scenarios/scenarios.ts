import type { Scenario } from './context.ts';
import { section } from './context.ts';
import { balanceGrew, reads, notified } from './steps/assertions.ts';
import { advanceTo, bankMoves, payerAccepts } from './steps/simulation.ts';
import { confirm, confirmWithWrongCode, createPhoneKey } from './steps/keys.ts';
import {
  bankPaysAllButTheLastPart,
  createPayIn,
  payOut,
  payOutWithLostReply,
  payTheRest,
  refund,
  refundPart,
} from './steps/orders.ts';
import { subscribe } from './steps/subscriptions.ts';
import {
  logShows,
  receiverResponds,
  refusedOnce,
  resend,
  rotateSecret,
  signedWithBothSecrets,
} from './steps/webhooks.ts';
import { unexpectedMoney } from './credit-scenarios.ts';
import { disputedPayment } from './dispute-scenarios.ts';
import { newAttempt, payerCancels, settlementErrors, threeMonths } from './subscription-scenarios.ts';

const refuses = { kind: 'status', status: 500 } as const;

const journey3: Scenario = {
  name: 'journey-3-with-refund',
  about: 'one QR code pays the first charge and authorizes the recurrence; the charge is refunded',
  scriptsReceiver: true,
  sections: [
    section('Let the receiver refuse each notification twice', receiverResponds(refuses, refuses, { kind: 'ok' })),
    section(
      'Create a subscription whose QR code also pays the first charge (journey 3)',
      subscribe('contract', { charge: { name: 'first charge', value: '29.90' } }),
    ),
    section(
      'The payer pays the first charge, which also authorizes the recurrence (the simulation tool acts as the bank)',
      payerAccepts('contract'),
      reads('first charge', { status: 'PAID' }),
      notified('ORDER-PAYIN.PAID', 'first charge', { status: 'PAID' }),
      balanceGrew('29.90'),
      reads('contract', { status: 'ACCEPTED' }),
      notified('SUBSCRIPTION.ACCEPTED', 'contract', { 'data.status': 'ACCEPTED' }),
    ),
    section(
      'The charge is refunded',
      refund('first charge'),
      bankMoves('first charge', 'REFUNDED'),
      reads('first charge', { status: 'REFUNDED' }),
      notified('ORDER-PAYIN.REFUNDED', 'first charge', { status: 'REFUNDED' }),
      balanceGrew('0.00'),
    ),
    section(
      'Check the delivery log',
      logShows('first charge', { 'ORDER-PAYIN.PAID': 3, 'ORDER-PAYIN.REFUNDED': 3 }),
      logShows('contract', { 'SUBSCRIPTION.ACCEPTED': 3 }),
    ),
  ],
};

/** Pays money for a payout into the account. */
const earn = (value: string) =>
  section(
    'Receive the money for the payout',
    createPayIn('sale', value),
    bankMoves('sale', 'PAID'),
    notified('ORDER-PAYIN.PAID', 'sale'),
  );

const partlyPaid: Scenario = {
  name: 'payout-batch-partly-paid',
  about: 'a payout above the limit of one transaction is paid in part: a second payout pays only the rest',
  sections: [
    earn('40000.00'),
    section(
      'Pay out more than the limit of one transaction',
      payOut('payout', '40000.00'),
      reads('payout', { status: 'PENDING' }),
    ),
    section(
      'The bank pays every part but the last',
      bankPaysAllButTheLastPart('payout'),
      notified('ORDER-PAYOUT.ERROR', 'payout', { 'batch.paidAmount': '30000.00', 'batch.failedCount': 1 }),
      balanceGrew('10000.00'),
    ),
    section(
      'Pay only the unpaid rest',
      payTheRest('rest', 'payout'),
      bankMoves('rest', 'PAID'),
      notified('ORDER-PAYOUT.PAID', 'rest', { 'amount.value': '10000.00' }),
      balanceGrew('0.00'),
    ),
  ],
};

const lostReply: Scenario = {
  name: 'payout-lost-reply',
  about: 'the response to a payout is lost; the same idempotency key returns it, and the payout is paid once',
  sections: [
    earn('75.30'),
    section('Pay out, and lose the response (x-simulate: lost-reply)', payOutWithLostReply('payout', '75.30')),
    section(
      'The bank pays it once',
      bankMoves('payout', 'PAID'),
      notified('ORDER-PAYOUT.PAID', 'payout'),
      balanceGrew('0.00'),
    ),
  ],
};

const refundInParts: Scenario = {
  name: 'refund-in-parts',
  about: 'a part of a pay-in is refunded, and the pay-in stays PAID; the rest is refunded, and it is REFUNDED',
  sections: [
    section(
      'A sale is paid',
      createPayIn('sale', '30.00'),
      bankMoves('sale', 'PAID'),
      notified('ORDER-PAYIN.PAID', 'sale'),
    ),
    section(
      'A part is refunded',
      refundPart('sale', '10.00'),
      reads('sale', { status: 'PAID' }),
      notified('ORDER-PAYIN.REFUNDED', 'sale', { orderStatus: 'PAID', 'refundedAmount.value': '10.00' }),
      balanceGrew('20.00'),
    ),
    section(
      'The rest is refunded',
      refund('sale'),
      bankMoves('sale', 'REFUNDED'),
      reads('sale', { status: 'REFUNDED' }),
      notified('ORDER-PAYIN.REFUNDED', 'sale', { orderStatus: 'REFUNDED', 'refundedAmount.value': '30.00' }),
      balanceGrew('0.00'),
    ),
  ],
};

const keyByPhone: Scenario = {
  name: 'pix-key-by-phone',
  about: 'a phone number becomes a PIX key of the account when its holder confirms a code',
  needs: [{ what: 'a PIX key of type PHONE', isMet: ({ keyTypes }) => keyTypes.includes('PHONE') }],
  sections: [
    section(
      'Request the key on a new day (an account gets at most ten codes a day)',
      advanceTo({ cycle: 0 }, '09:00'),
      createPhoneKey('key'),
    ),
    section('The holder enters a wrong code', confirmWithWrongCode('key')),
    section('The holder enters the right code', confirm('key')),
  ],
};

const down = { kind: 'status', status: 503 } as const;
const ok = { kind: 'ok' } as const;

const paidButRefused = [
  createPayIn('pay-in', '12.50'),
  bankMoves('pay-in', 'PAID'),
  refusedOnce('ORDER-PAYIN.PAID', 'pay-in'),
];

const receiverDown: Scenario = {
  name: 'receiver-down-then-back',
  about: 'the receiver is down for two attempts and acknowledges the third; a resend replaces a lost notification',
  scriptsReceiver: true,
  sections: [
    section('The receiver is down', receiverResponds(down, down, ok)),
    section('A pay-in is paid meanwhile', ...paidButRefused),
    section(
      'The receiver is back at the third attempt',
      notified('ORDER-PAYIN.PAID', 'pay-in'),
      logShows('pay-in', { 'ORDER-PAYIN.PAID': 3 }),
    ),
    section(
      'The receiver lost the notification: a resend sends the same bytes as a new delivery',
      receiverResponds(ok),
      resend('ORDER-PAYIN.PAID', 'pay-in'),
      notified('ORDER-PAYIN.PAID', 'pay-in'),
    ),
  ],
};

const rotation: Scenario = {
  name: 'rotation-during-retries',
  about:
    'the webhook secret is rotated between two attempts of a notification: both secrets sign until the old one expires',
  scriptsReceiver: true,
  sections: [
    section('A notification that the receiver refuses at first', receiverResponds(down), ...paidButRefused),
    section('Rotate the secret; the receiver acknowledges from now on', rotateSecret(), receiverResponds(ok)),
    section('The next attempt is signed with both secrets', signedWithBothSecrets('ORDER-PAYIN.PAID', 'pay-in')),
  ],
};

/** All scenarios in the order of the list. */
export const scenarios: readonly Scenario[] = [
  threeMonths,
  journey3,
  payerCancels,
  settlementErrors,
  newAttempt,
  partlyPaid,
  lostReply,
  refundInParts,
  unexpectedMoney,
  disputedPayment,
  receiverDown,
  rotation,
  keyByPhone,
];
