import type { Story } from './context.ts';
import { step } from './context.ts';
import { balanceGrew, reads, told } from './steps/assertions.ts';
import { turnTo } from './steps/clock.ts';
import { confirm, confirmWithWrongCode, createPhoneKey } from './steps/keys.ts';
import {
  bankMovesOrder,
  bankPaysAllButTheLastPart,
  createPayIn,
  payOut,
  payOutWithLostReply,
  payTheRest,
  refund,
} from './steps/orders.ts';
import { bankMoves, subscribeWithCharge } from './steps/subscriptions.ts';
import {
  logShows,
  receiverAnswers,
  refusedOnce,
  resend,
  rotateSecret,
  signedWithBothSecrets,
} from './steps/webhooks.ts';
import { newAttempt, payerCancels, settlementErrors, threeMonths } from './subscription-scenarios.ts';

const refuses = { kind: 'status', status: 500 } as const;

const journey3: Story = {
  name: 'journey-3-with-refund',
  about: 'one QR code pays the first charge and authorizes the recurrence; the charge is refunded (npm run demo)',
  scriptsReceiver: true,
  steps: [
    step('Let the receiver refuse each notification twice', receiverAnswers(refuses, refuses, { kind: 'ok' })),
    step(
      'Create a subscription whose QR code also pays the first charge (journey 3)',
      subscribeWithCharge('contract', 'first charge', '29.90'),
    ),
    step(
      'The payer pays the first charge (the simulation tool stands for the bank)',
      bankMovesOrder('first charge', 'PAID'),
      reads('first charge', { status: 'PAID' }),
      told('ORDER-PAYIN.PAID', 'first charge', { status: 'PAID' }),
      balanceGrew('29.90'),
    ),
    step(
      'The charge is refunded',
      refund('first charge'),
      bankMovesOrder('first charge', 'REFUNDED'),
      reads('first charge', { status: 'REFUNDED' }),
      told('ORDER-PAYIN.REFUNDED', 'first charge', { status: 'REFUNDED' }),
      balanceGrew('0.00'),
    ),
    step(
      "The payer's bank accepts the recurrence",
      bankMoves('contract', 'ACCEPTED'),
      reads('contract', { status: 'ACCEPTED' }),
      told('SUBSCRIPTION.ACCEPTED', 'contract', { 'data.status': 'ACCEPTED' }),
    ),
    step(
      'Look at the delivery log',
      logShows('first charge', { 'ORDER-PAYIN.PAID': 3, 'ORDER-PAYIN.REFUNDED': 3 }),
      logShows('contract', { 'SUBSCRIPTION.ACCEPTED': 3 }),
    ),
  ],
};

/** Enough on the account for any of these stories. */
const earn = (value: string) =>
  step(
    'Earn what is paid out below',
    createPayIn('sale', value),
    bankMovesOrder('sale', 'PAID'),
    told('ORDER-PAYIN.PAID', 'sale'),
  );

const partlyPaid: Story = {
  name: 'payout-batch-partly-paid',
  about: 'a payout above the limit of one transaction is paid in part: only the rest is paid again',
  steps: [
    earn('40000.00'),
    step(
      'Pay out more than one transaction may carry',
      payOut('payout', '40000.00'),
      reads('payout', { status: 'PENDING' }),
    ),
    step(
      'The bank pays every part but the last',
      bankPaysAllButTheLastPart('payout'),
      told('ORDER-PAYOUT.ERROR', 'payout', { 'batch.paidAmount': '30000.00', 'batch.failedCount': 1 }),
      balanceGrew('10000.00'),
    ),
    step(
      'Pay the rest, never the whole again',
      payTheRest('rest', 'payout'),
      bankMovesOrder('rest', 'PAID'),
      told('ORDER-PAYOUT.PAID', 'rest', { 'amount.value': '10000.00' }),
      balanceGrew('0.00'),
    ),
  ],
};

const lostReply: Story = {
  name: 'payout-lost-reply',
  about: 'the answer to a payout gets lost; the same idempotency key finds it, and it pays once',
  steps: [
    earn('75.30'),
    step('Pay out, and lose the reply (x-simulate: lost-reply)', payOutWithLostReply('payout', '75.30')),
    step(
      'The bank pays it once',
      bankMovesOrder('payout', 'PAID'),
      told('ORDER-PAYOUT.PAID', 'payout'),
      balanceGrew('0.00'),
    ),
  ],
};

const keyByPhone: Story = {
  name: 'pix-key-by-phone',
  about: 'a phone becomes a key of the account by the code that its holder gives back',
  steps: [
    step(
      'Ask for the key on a new day (an account is sent ten codes a day)',
      turnTo({ cycle: 0 }, '09:00'),
      createPhoneKey('key'),
    ),
    step('The holder mistypes the code', confirmWithWrongCode('key')),
    step('and gives back the right one', confirm('key')),
  ],
};

const down = { kind: 'status', status: 503 } as const;
const ok = { kind: 'ok' } as const;

const receiverDown: Story = {
  name: 'receiver-down-then-back',
  about: 'the receiver is down for two attempts and takes the third; what it lost is sent again on request',
  scriptsReceiver: true,
  steps: [
    step('The receiver is down', receiverAnswers(down, down, ok)),
    step(
      'A pay-in is paid meanwhile',
      createPayIn('pay-in', '12.50'),
      bankMovesOrder('pay-in', 'PAID'),
      refusedOnce('ORDER-PAYIN.PAID', 'pay-in'),
    ),
    step(
      'The receiver is back at the third attempt',
      told('ORDER-PAYIN.PAID', 'pay-in'),
      logShows('pay-in', { 'ORDER-PAYIN.PAID': 3 }),
    ),
    step(
      'It lost its memory: the same bytes once more, as a delivery of its own',
      receiverAnswers(ok),
      resend('ORDER-PAYIN.PAID', 'pay-in'),
      told('ORDER-PAYIN.PAID', 'pay-in'),
    ),
  ],
};

const rotation: Story = {
  name: 'rotation-during-retries',
  about:
    'the webhook secret is rotated between two attempts of a notification: both secrets sign until the old one ends',
  scriptsReceiver: true,
  steps: [
    step(
      'A notification that the receiver refuses at first',
      receiverAnswers(down),
      createPayIn('pay-in', '12.50'),
      bankMovesOrder('pay-in', 'PAID'),
      refusedOnce('ORDER-PAYIN.PAID', 'pay-in'),
    ),
    step('Rotate the secret; the receiver takes what comes', rotateSecret(), receiverAnswers(ok)),
    step('The next attempt is signed with both', signedWithBothSecrets('ORDER-PAYIN.PAID', 'pay-in')),
  ],
};

/** Every story, in the order in which they are listed. */
export const stories: readonly Story[] = [
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
