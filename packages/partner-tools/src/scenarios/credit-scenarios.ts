import { balanceGrew, IdOf, notified, reads } from './steps/assertions.ts';
import { bankMoves } from './steps/simulation.ts';
import { assign, receiveUnexpected, returnToPayer } from './steps/credits.ts';
import { createPayIn } from './steps/orders.ts';
import type { Scenario } from './context.ts';
import { section } from './context.ts';

const returned = (status: string, value: string, total: string) => ({
  'data.credit.status': status,
  'data.credit.returnedAmount.value': total,
  'data.return.amount.value': value,
  'data.return.status': 'SETTLED',
});

export const unexpectedMoney: Scenario = {
  name: 'unexpected-money',
  about: 'money that no pay-in expects goes back in two parts; a code is paid twice; a credit is assigned to a pay-in',
  sections: [
    section(
      'Somebody pays to the key of the account',
      receiveUnexpected('money', '30.00'),
      reads('money', { status: 'OPEN', reason: 'NO_CHARGE', orderId: undefined, 'amount.value': '30.00' }),
      notified('CREDIT.RECEIVED', 'money', { 'data.status': 'OPEN', 'data.reason': 'NO_CHARGE' }),
      balanceGrew('30.00'),
    ),
    section(
      'A part goes back: the credit stays OPEN',
      returnToPayer('money', '10.00'),
      reads('money', { status: 'OPEN', 'returnedAmount.value': '10.00' }),
      notified('CREDIT.RETURNED', 'money', returned('OPEN', '10.00', '10.00')),
      balanceGrew('20.00'),
    ),
    section(
      'The rest goes back: the credit is RETURNED',
      returnToPayer('money'),
      reads('money', { status: 'RETURNED', 'returnedAmount.value': '30.00' }),
      notified('CREDIT.RETURNED', 'money', returned('RETURNED', '20.00', '30.00')),
      balanceGrew('0.00'),
    ),
    section(
      'The QR code of a pay-in is paid twice: the second payment is a credit that names the pay-in',
      createPayIn('sale', '12.50'),
      bankMoves('sale', 'PAID'),
      notified('ORDER-PAYIN.PAID', 'sale'),
      receiveUnexpected('second payment', '12.50', { payIn: 'sale' }),
      reads('second payment', { status: 'OPEN', reason: 'SECOND_PAYMENT', orderId: new IdOf('sale') }),
      notified('CREDIT.RECEIVED', 'second payment', { 'data.orderId': new IdOf('sale') }),
      reads('sale', { status: 'PAID' }),
      balanceGrew('25.00'),
    ),
    section(
      'Somebody pays another pay-in to the key: the credit is assigned to it, and it is PAID',
      createPayIn('order', '19.90'),
      receiveUnexpected('payment', '19.90'),
      notified('CREDIT.RECEIVED', 'payment'),
      balanceGrew('44.90'),
      assign('payment', 'order'),
      reads('payment', { status: 'ASSIGNED', orderId: new IdOf('order') }),
      reads('order', { status: 'PAID' }),
      notified('ORDER-PAYIN.PAID', 'order', { 'amount.value': '19.90' }),
      balanceGrew('44.90'),
    ),
  ],
};
