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
      'The payer pays the first charge and by that authorizes the recurrence (the simulation tool stands for the bank)',
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
      'Look at the delivery log',
      logShows('first charge', { 'ORDER-PAYIN.PAID': 3, 'ORDER-PAYIN.REFUNDED': 3 }),
      logShows('contract', { 'SUBSCRIPTION.ACCEPTED': 3 }),
    ),
  ],
};

/** Brings money for a payout to the account. */
const earn = (value: string) =>
  section(
    'Earn what is paid out below',
    createPayIn('sale', value),
    bankMoves('sale', 'PAID'),
    notified('ORDER-PAYIN.PAID', 'sale'),
  );

const partlyPaid: Scenario = {
  name: 'payout-batch-partly-paid',
  about: 'a payout above the limit of one transaction is paid in part: only the rest is paid again',
  sections: [
    earn('40000.00'),
    section(
      'Pay out more than one transaction may carry',
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
      'Pay the rest, never the whole again',
      payTheRest('rest', 'payout'),
      bankMoves('rest', 'PAID'),
      notified('ORDER-PAYOUT.PAID', 'rest', { 'amount.value': '10000.00' }),
      balanceGrew('0.00'),
    ),
  ],
};

const lostReply: Scenario = {
  name: 'payout-lost-reply',
  about: 'the answer to a payout gets lost; the same idempotency key finds it, and it pays once',
  sections: [
    earn('75.30'),
    section('Pay out, and lose the reply (x-simulate: lost-reply)', payOutWithLostReply('payout', '75.30')),
    section(
      'The bank pays it once',
      bankMoves('payout', 'PAID'),
      notified('ORDER-PAYOUT.PAID', 'payout'),
      balanceGrew('0.00'),
    ),
  ],
};

const keyByPhone: Scenario = {
  name: 'pix-key-by-phone',
  about: 'a phone becomes a key of the account by the code that its holder gives back',
  sections: [
    section(
      'Ask for the key on a new day (an account is sent ten codes a day)',
      advanceTo({ cycle: 0 }, '09:00'),
      createPhoneKey('key'),
    ),
    section('The holder mistypes the code', confirmWithWrongCode('key')),
    section('and gives back the right one', confirm('key')),
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
  about: 'the receiver is down for two attempts and takes the third; what it lost is sent again on request',
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
      'It lost its memory: the same bytes once more, as a delivery of its own',
      receiverResponds(ok),
      resend('ORDER-PAYIN.PAID', 'pay-in'),
      notified('ORDER-PAYIN.PAID', 'pay-in'),
    ),
  ],
};

const rotation: Scenario = {
  name: 'rotation-during-retries',
  about:
    'the webhook secret is rotated between two attempts of a notification: both secrets sign until the old one ends',
  scriptsReceiver: true,
  sections: [
    section('A notification that the receiver refuses at first', receiverResponds(down), ...paidButRefused),
    section('Rotate the secret; the receiver takes what comes', rotateSecret(), receiverResponds(ok)),
    section('The next attempt is signed with both', signedWithBothSecrets('ORDER-PAYIN.PAID', 'pay-in')),
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
  receiverDown,
  rotation,
  keyByPhone,
];
