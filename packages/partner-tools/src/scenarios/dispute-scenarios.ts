import { balanceGrew, IdOf, notified, reads } from './steps/assertions.ts';
import { bankMoves, wait } from './steps/simulation.ts';
import { bankDecides, blockedGrew, defend, payerClaims } from './steps/disputes.ts';
import { createPayIn } from './steps/orders.ts';
import type { Scenario } from './context.ts';
import { section } from './context.ts';

const daySeconds = 86_400;

export const disputedPayment: Scenario = {
  name: 'disputed-payment',
  about: 'a payer claims a payment back: it is blocked, defended, and lost in part; a second claim is rejected',
  needs: [{ what: 'disputes', isMet: (can) => can.disputes }],
  sections: [
    section(
      'A pay-in is paid',
      createPayIn('sale', '100.00'),
      bankMoves('sale', 'PAID'),
      notified('ORDER-PAYIN.PAID', 'sale'),
      balanceGrew('100.00'),
    ),
    section(
      'Its payer claims the payment back: the money is blocked',
      payerClaims('claim', 'sale'),
      reads('claim', { status: 'OPEN', orderId: new IdOf('sale'), 'blockedAmount.value': '100.00' }),
      notified('DISPUTE.OPENED', 'claim', { 'data.status': 'OPEN', 'data.kind': 'FRAUD' }),
      balanceGrew('0.00'),
      blockedGrew('100.00'),
    ),
    section(
      'Five days later the defence is due soon',
      wait(5 * daySeconds + 60),
      notified('DISPUTE.DUE_SOON', 'claim', { 'data.status': 'OPEN' }),
    ),
    section(
      'The claim is defended',
      defend('claim', 'The customer used the service on the next day.'),
      reads('claim', { status: 'DEFENDED' }),
      notified('DISPUTE.DEFENDED', 'claim', { 'data.status': 'DEFENDED' }),
      blockedGrew('100.00'),
    ),
    section(
      'The bank accepts it in part: the pay-in stays PAID with what went back',
      bankDecides('claim', 'ACCEPTED', '30.00'),
      reads('claim', { status: 'ACCEPTED', 'returnedAmount.value': '30.00', 'blockedAmount.value': '0.00' }),
      notified('DISPUTE.ACCEPTED', 'claim', { 'data.returnedAmount.value': '30.00' }),
      reads('sale', { status: 'PAID', 'refundedAmount.value': '30.00' }),
      balanceGrew('70.00'),
      blockedGrew('0.00'),
    ),
    section(
      'A claim that the bank rejects leaves the money where it was',
      payerClaims('second claim', 'sale', '20.00'),
      notified('DISPUTE.OPENED', 'second claim', { 'data.amount.value': '20.00' }),
      blockedGrew('20.00'),
      bankDecides('second claim', 'REJECTED'),
      notified('DISPUTE.REJECTED', 'second claim', { 'data.returnedAmount.value': '0.00' }),
      balanceGrew('70.00'),
      blockedGrew('0.00'),
    ),
  ],
};
