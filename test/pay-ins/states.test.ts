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
  test('that is PAID knows when and by which payment, as the bank says, and adds its amount', () => {
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

  test('whose payer the bank does not name goes on naming the expected one, without an account', () => {
    expect(decidePayIn(withStatus('PENDING'), facts.PAID, at).payIn.payer).toEqual(debtor);
  });

  test.each([
    ['CANCELED', { canceledAt: later }],
    ['EXPIRED', { expiredAt: later }],
    ['ERROR', { errorMessage: 'AB03: It timed out.' }],
  ] as const)('that is %s says so and touches no money', (status, more) => {
    const { payIn, balance } = decidePayIn(withStatus('PENDING'), facts[status], at);
    expect(payIn).toEqual(aPayIn({ status, updatedAt: later, version: 2, ...more }));
    expect(balance).toBeUndefined();
  });

  test('fails for a reason alone where the bank gives no code', () => {
    const { payIn } = decidePayIn(withStatus('PENDING'), { outcome: 'ERROR', reason: 'It timed out.' }, at);
    expect(payIn.errorMessage).toBe('It timed out.');
  });

  test('expires and is canceled by the service as by the bank, and by the service does nothing else', () => {
    for (const outcome of ['EXPIRED', 'CANCELED'] as const)
      expect(decidePayIn(withStatus('PENDING'), facts[outcome], at, 'service').payIn.status).toBe(outcome);
    for (const outcome of ['PAID', 'ERROR'] as const)
      expect(() => decidePayIn(withStatus('PENDING'), facts[outcome], at, 'service')).toThrow(RequestError);
  });

  test('is left as it was by a move that is not allowed, which names those that are', () => {
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

  test.each(payInStatuses.filter((status) => status !== 'PENDING'))('that is %s stays so', (status) => {
    for (const outcome of outcomes)
      for (const by of ['bank', 'service'] as const)
        expect(() => decidePayIn(withStatus(status), facts[outcome], at, by)).toThrow(RequestError);
  });
});
