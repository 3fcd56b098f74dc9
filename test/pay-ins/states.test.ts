import { describe, expect, test } from 'vitest';
import type { PayInStatus } from '#shared/pay-ins/model.ts';
import type { PayInEvent } from '#shared/pay-ins/states.ts';
import { payInStatuses } from '#shared/pay-ins/model.ts';
import { decidePayIn } from '#shared/pay-ins/states.ts';
import { RequestError } from '#shared/core/errors.ts';
import { aPayIn, debtor, later } from '../support/builders.ts';

const at = later;
const payer = { name: 'João Souza', document: { type: 'CPF', number: '11144477735' } } as const;
const bank = { ispb: '60701190', account: '12345678' };
const facts: Readonly<Record<PayInEvent['outcome'], PayInEvent>> = {
  PAID: { outcome: 'PAID', at: '2026-03-10T12:29:59.000Z', endToEndId: 'E6070119020260310123012345678901' },
  CANCELED: { outcome: 'CANCELED' },
  EXPIRED: { outcome: 'EXPIRED' },
  ERROR: { outcome: 'ERROR', code: 'AB03', reason: 'It timed out.' },
};
const outcomes = Object.keys(facts) as PayInEvent['outcome'][];
const withStatus = (status: PayInStatus) => aPayIn({ status });

describe('a pay-in', () => {
  test('gets the time, the payment and the payer from the bank when it becomes PAID, and credits its amount', () => {
    const paid = { ...facts.PAID, payer: { ...payer, bank } } as PayInEvent;
    const { payIn, balance } = decidePayIn(withStatus('PENDING'), paid, at);
    expect(payIn).toEqual(
      aPayIn({
        status: 'PAID',
        paidAt: '2026-03-10T12:29:59.000Z',
        updatedAt: later,
        endToEndId: 'E6070119020260310123012345678901',
        payer: { ...payer, bank },
        version: 2,
      }),
    );
    expect(balance).toEqual({ kind: 'PAY_IN', available: 2500, reserved: 0 });
  });

  test('keeps the expected payer, without an account, when the bank names none', () => {
    expect(decidePayIn(withStatus('PENDING'), facts.PAID, at).payIn.payer).toEqual(debtor);
  });

  test.each([
    ['CANCELED', { canceledAt: later }],
    ['EXPIRED', { expiredAt: later }],
    ['ERROR', { errorMessage: 'AB03: It timed out.' }],
  ] as const)('records its time or its error and changes no balance when it becomes %s', (status, more) => {
    const { payIn, balance } = decidePayIn(withStatus('PENDING'), facts[status], at);
    expect(payIn).toEqual(aPayIn({ status, updatedAt: later, version: 2, ...more }));
    expect(balance).toBeUndefined();
  });

  test('has the reason alone as its error when the bank gives no code', () => {
    const { payIn } = decidePayIn(withStatus('PENDING'), { outcome: 'ERROR', reason: 'It timed out.' }, at);
    expect(payIn.errorMessage).toBe('It timed out.');
  });

  test('can become EXPIRED or CANCELED by the service, but not PAID or ERROR', () => {
    for (const outcome of ['EXPIRED', 'CANCELED'] as const)
      expect(decidePayIn(withStatus('PENDING'), facts[outcome], at, 'service').payIn.status).toBe(outcome);
    for (const outcome of ['PAID', 'ERROR'] as const)
      expect(() => decidePayIn(withStatus('PENDING'), facts[outcome], at, 'service')).toThrow(RequestError);
  });

  test('stays unchanged when a transition is not allowed, and the error names those that are', () => {
    const given = withStatus('PAID');
    expect(() => decidePayIn(given, facts.PAID, at)).toThrow(RequestError);
    expect(given).toEqual(withStatus('PAID'));
    try {
      decidePayIn(given, facts.CANCELED, at);
    } catch (error) {
      expect((error as RequestError).details).toEqual([
        {
          field: 'status',
          issue: 'TRANSITION_NOT_ALLOWED',
          description: 'CANCELED is not allowed: the status is PAID; allowed from it: REFUNDED.',
        },
      ]);
    }
  });

  test.each(payInStatuses.filter((status) => status !== 'PENDING'))(
    'refuses every transition by bank or service when it is %s',
    (status) => {
      for (const outcome of outcomes)
        for (const by of ['bank', 'service'] as const)
          expect(() => decidePayIn(withStatus(status), facts[outcome], at, by)).toThrow(RequestError);
    },
  );
});
