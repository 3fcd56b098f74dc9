import { told } from './steps/assertions.ts';
import { bankMovesOrder, createPayIn } from './steps/orders.ts';
import {
  logShows,
  receiverAnswers,
  refusedOnce,
  resend,
  rotateSecret,
  signedWithBothSecrets,
} from './steps/webhooks.ts';
import type { Story } from './story.ts';
import { step } from './story.ts';

const down = { kind: 'status', status: 503 } as const;
const ok = { kind: 'ok' } as const;

export const receiverDown: Story = {
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

export const rotation: Story = {
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
