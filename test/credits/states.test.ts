import { describe, expect, it } from 'vitest';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { RequestError } from '#shared/core/errors.ts';
import { centavos } from '#shared/core/money.ts';
import type { ReturnEvent } from '#shared/core/return-event.ts';
import type { Credit, CreditReturn, CreditWithReturns } from '#shared/credits/model.ts';
import { creditStatuses, returnableAmount } from '#shared/credits/model.ts';
import { assignCredit, decideCreditReturn, maxReturns, reasonOf, requestCreditReturn } from '#shared/credits/states.ts';
import { payInStatuses } from '#shared/pay-ins/model.ts';
import { aPayIn, created, later } from '../support/builders.ts';
import { fc } from '../support/properties.ts';
import { errorOf } from '../support/refusals.ts';

const credit: Credit = {
  id: 'cccccccc-0000-4000-8000-000000000001',
  accountId: 'account',
  endToEndId: 'E60701190202603101200abcdefghijk',
  amount: centavos(2500),
  reason: 'NO_CHARGE',
  status: 'OPEN',
  receivedAt: created,
  updatedAt: created,
  version: 1,
};
const aReturn = (more: Partial<CreditReturn> = {}): CreditReturn => ({
  id: 'f'.repeat(32),
  creditId: credit.id,
  amount: credit.amount,
  status: 'PENDING',
  createdAt: created,
  ...more,
});
const wanted = { id: 'e'.repeat(32), at: later };
const settledAt = '2026-03-10T12:29:00.000Z';
const settled: ReturnEvent = { outcome: 'SETTLED', at: settledAt, endToEndId: 'D1' };
const failed: ReturnEvent = { outcome: 'FAILED', code: 'AC06', reason: 'Blocked.' };

describe('the reason of a credit', () => {
  it.each([
    ['PENDING', 2500, 'SECOND_PAYMENT'],
    ['PENDING', 2499, 'OTHER_AMOUNT'],
    ['PAID', 2500, 'SECOND_PAYMENT'],
    ['PAID', 2499, 'SECOND_PAYMENT'],
    ['REFUNDED', 2500, 'SECOND_PAYMENT'],
    ['REFUNDED', 2501, 'SECOND_PAYMENT'],
    ['CANCELED', 2500, 'TOO_LATE'],
    ['CANCELED', 2499, 'TOO_LATE'],
    ['EXPIRED', 2500, 'TOO_LATE'],
    ['EXPIRED', 2501, 'TOO_LATE'],
    ['ERROR', 2500, 'TOO_LATE'],
    ['ERROR', 2499, 'TOO_LATE'],
  ] as const)(
    'the reason of a payment to a pay-in of 2500 that is %s is, when it is %i, %s',
    (status, amount, reason) => {
      expect(reasonOf(aPayIn({ status }), centavos(amount))).toBe(reason);
    },
  );
});

describe('a return of a credit', () => {
  it('is of all that is left when no amount is asked for, and pending until the bank settles it', () => {
    expect(requestCreditReturn({ credit, returns: [] }, wanted)).toEqual({
      ...{ id: wanted.id, creditId: credit.id, amount: 2500, status: 'PENDING', createdAt: later },
    });
  });

  it.each(creditStatuses.filter((status) => status !== 'OPEN'))('is not created for a credit that is %s', (status) => {
    const refused = () => requestCreditReturn({ credit: { ...credit, status }, returns: [] }, wanted);
    expect(refused).toThrow(`A return is not allowed: the status is ${status}; no move is allowed from it.`);
    expect(errorOf(refused)).toBe('409 status:TRANSITION_NOT_ALLOWED');
  });

  it('a return is at most what open and settled returns have left, and failed ones take no money', () => {
    const returns = [
      aReturn({ id: '1', amount: centavos(1000) }),
      aReturn({ id: '2', amount: centavos(499), status: 'SETTLED' }),
      aReturn({ id: '3', status: 'FAILED' }),
    ];
    const request = (amount?: number) =>
      requestCreditReturn(
        { credit, returns },
        { ...wanted, ...(amount !== undefined && { amount: centavos(amount) }) },
      );
    expect(request().amount).toBe(1001);
    expect(request(1001).amount).toBe(1001);
    expect(request(1).amount).toBe(1);
    expect(() => request(1002)).toThrow('Of this credit 10.01 can still be returned.');
    expect(errorOf(() => request(1002))).toBe('409 amount:LIMIT_EXCEEDED');
  });

  it('a return is not created when no money is left, with an amount or without', () => {
    const returns = [aReturn()];
    expect(errorOf(() => requestCreditReturn({ credit, returns }, wanted))).toBe('409 amount:LIMIT_EXCEEDED');
    expect(errorOf(() => requestCreditReturn({ credit, returns }, { ...wanted, amount: centavos(1) }))).toBe(
      '409 amount:LIMIT_EXCEEDED',
    );
  });

  it('can be requested within 90 days of the booking, to the millisecond', () => {
    const last = plusSeconds(created, 90 * 86_400);
    const request = (at: string) => requestCreditReturn({ credit, returns: [] }, { ...wanted, at });
    expect(request(last)).toMatchObject({ status: 'PENDING', createdAt: last });
    expect(() => request(plusMilliseconds(last, 1))).toThrow('A credit can be returned within 90 days.');
    expect(errorOf(() => request(plusMilliseconds(last, 1)))).toBe('409 id:EXPIRED');
  });

  it('is one of 50 at most, of which those that failed count too', () => {
    const failedOnes = (count: number) =>
      Array.from({ length: count }, (_, at) => aReturn({ id: `${at}`, status: 'FAILED' }));
    expect(maxReturns).toBe(50);
    expect(requestCreditReturn({ credit, returns: failedOnes(49) }, wanted).status).toBe('PENDING');
    expect(errorOf(() => requestCreditReturn({ credit, returns: failedOnes(50) }, wanted))).toBe(
      '409 id:LIMIT_EXCEEDED',
    );
  });
});

describe('a return of a credit that is settled or fails', () => {
  const decide = (returns: readonly CreditReturn[], event: ReturnEvent, place = 0, of = credit) =>
    decideCreditReturn({ credit: of, returns }, returns[place]!, event, later);

  it('a settled return of a part spends its reserve and leaves the credit open with returnedAmount', () => {
    const part = aReturn({ amount: centavos(1000) });
    expect(decide([part], settled)).toEqual({
      credit: { ...credit, returnedAmount: 1000, updatedAt: later, version: 2 },
      returned: { ...part, status: 'SETTLED', settledAt, endToEndId: 'D1' },
      balance: { kind: 'REFUND_SETTLED', available: 0, reserved: -1000 },
    });
  });

  it('a settled return of the rest makes the credit RETURNED', () => {
    const returns = [
      aReturn({ id: 'a', amount: centavos(1000), status: 'SETTLED' }),
      aReturn({ id: 'b', amount: centavos(900), status: 'FAILED' }),
      aReturn({ id: 'c', amount: centavos(1500) }),
    ];
    const after = decide(returns, settled, 2, { ...credit, returnedAmount: centavos(1000) });
    expect(after.credit).toMatchObject({ status: 'RETURNED', returnedAmount: 2500 });
    expect(after.balance).toEqual({ kind: 'REFUND_SETTLED', available: 0, reserved: -1500 });
  });

  it('does not make the credit RETURNED when it is settled while another return is open', () => {
    const returns = [aReturn({ id: 'a', amount: centavos(1000) }), aReturn({ id: 'b', amount: centavos(1500) })];
    expect(decide(returns, settled, 1).credit).toMatchObject({ status: 'OPEN', returnedAmount: 1500 });
  });

  it('gives back its reserve, and no more, with the bank’s reason, when it fails', () => {
    const part = aReturn({ amount: centavos(300) });
    const after = decide([part], failed);
    expect(after.returned).toEqual({ ...part, status: 'FAILED', errorMessage: 'AC06: Blocked.' });
    expect(after.balance).toEqual({ kind: 'REFUND_RETURNED', available: 300, reserved: -300 });
    expect(after.credit).toEqual({ ...credit, updatedAt: later, version: 2 });
    const again = { credit: after.credit, returns: [after.returned] };
    expect(requestCreditReturn(again, wanted).amount).toBe(2500);
  });

  it('has the plain reason when the bank gives no code', () => {
    expect(decide([aReturn()], { outcome: 'FAILED', reason: 'Blocked.' }).returned.errorMessage).toBe('Blocked.');
  });

  it.each(['SETTLED', 'FAILED'] as const)('does not end again when it is %s', (status) => {
    for (const event of [settled, failed])
      expect(() => decide([aReturn({ status })], event)).toThrow(
        `${event.outcome} is not allowed: the status is ${status}; no move is allowed from it.`,
      );
  });

  it('gives the credit a later time than the change before it, whatever the time of the event', () => {
    const changedAt = plusSeconds(later, 60);
    expect(decide([aReturn()], settled, 0, { ...credit, updatedAt: changedAt }).credit.updatedAt).toBe(
      plusMilliseconds(changedAt, 1),
    );
  });
});

describe('the returns of one credit', () => {
  type Step = { readonly amount?: number; readonly place: number; readonly kind: 'ASK' | 'SETTLE' | 'FAIL' };
  const step: fc.Arbitrary<Step> = fc.record(
    {
      amount: fc.integer({ min: 1, max: 3000 }),
      place: fc.nat(),
      kind: fc.constantFrom('ASK', 'ASK', 'SETTLE', 'FAIL'),
    },
    { requiredKeys: ['place', 'kind'] },
  );
  const sumOf = ({ returns }: CreditWithReturns, ...statuses: readonly string[]): number =>
    returns.filter(({ status }) => statuses.includes(status)).reduce((sum, { amount }) => sum + amount, 0);

  it('take no more than was received, and returnedAmount is what has settled, in whatever order they end', () => {
    let returnedWhole = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let found: CreditWithReturns = { credit, returns: [] };
        let [available, reserved] = [2500, 0];
        for (const [number, { amount, place, kind }] of steps.entries()) {
          if (kind === 'ASK') {
            const asked = { ...wanted, id: `${number}`, ...(amount !== undefined && { amount: centavos(amount) }) };
            const left = returnableAmount(found);
            if (found.credit.status !== 'OPEN' || left < (amount ?? 1) || found.returns.length >= maxReturns) {
              expect(() => requestCreditReturn(found, asked)).toThrow(RequestError);
              continue;
            }
            const returned = requestCreditReturn(found, asked);
            found = { ...found, returns: [...found.returns, returned] };
            available -= returned.amount;
            reserved += returned.amount;
          } else {
            const open = found.returns.filter(({ status }) => status === 'PENDING');
            const one = open[place % Math.max(1, open.length)];
            if (one === undefined) continue;
            const moved = decideCreditReturn(found, one, kind === 'SETTLE' ? settled : failed, later);
            expect(moved.credit.updatedAt > found.credit.updatedAt).toBe(true);
            const returns = found.returns.map((each) => (each.id === one.id ? moved.returned : each));
            found = { credit: moved.credit, returns };
            available += moved.balance.available;
            reserved += moved.balance.reserved;
          }
          const back = sumOf(found, 'SETTLED');
          expect(sumOf(found, 'PENDING', 'SETTLED')).toBeLessThanOrEqual(2500);
          expect(found.credit.returnedAmount ?? 0).toBe(back);
          expect(found.credit.status).toBe(back === 2500 ? 'RETURNED' : 'OPEN');
          expect([available, reserved]).toEqual([2500 - sumOf(found, 'PENDING', 'SETTLED'), sumOf(found, 'PENDING')]);
        }
        if (found.credit.status === 'RETURNED') returnedWhole += 1;
      }),
    );
    expect(returnedWhole, 'runs in which all went back').toBeGreaterThan(0);
  });
});

describe('an assignment of a credit', () => {
  const payIn = aPayIn();
  const assign = (more: { credit?: Partial<Credit>; payIn?: Parameters<typeof aPayIn>[0]; returns?: CreditReturn[] }) =>
    assignCredit({ credit: { ...credit, ...more.credit }, returns: more.returns ?? [] }, aPayIn(more.payIn), {
      at: later,
      assignedBy: 'client',
    });

  it('makes it ASSIGNED to a pending pay-in of its account and amount', () => {
    const assigned = { status: 'ASSIGNED', orderId: payIn.id, assignedBy: 'client', updatedAt: later, version: 2 };
    expect(assign({})).toEqual({ ...credit, ...assigned });
  });

  it('replaces the order that the payment named', () => {
    expect(assign({ credit: { orderId: 'another' } }).orderId).toBe(payIn.id);
  });

  it('gives it a later time than the change before it', () => {
    expect(assign({ credit: { updatedAt: later } }).updatedAt).toBe(plusMilliseconds(later, 1));
  });

  it.each(['ASSIGNED', 'RETURNED'] as const)('is refused when the credit is %s', (status) => {
    expect(errorOf(() => assign({ credit: { status } }))).toBe('409 status:TRANSITION_NOT_ALLOWED');
  });

  it.each([
    ['PENDING', '409 id:TRANSITION_NOT_ALLOWED'],
    ['SETTLED', '409 id:TRANSITION_NOT_ALLOWED'],
    ['FAILED', 'none'],
  ] as const)('is, when the credit has a return that is %s, answered with %s', (status, answer) => {
    expect(errorOf(() => assign({ returns: [aReturn({ status, amount: centavos(1) })] }))).toBe(answer);
  });

  it('is refused when the pay-in is of another account', () => {
    expect(errorOf(() => assign({ payIn: { accountId: 'other' } }))).toBe('409 orderId:INVALID_VALUE');
    expect(() => assign({ payIn: { accountId: 'other' } })).toThrow('The pay-in is of another account.');
  });

  it.each([
    [undefined, 'one'],
    ['one', undefined],
    ['one', 'two'],
  ])('is refused when the credit is at the bank %s and the pay-in at %s', (ofCredit, ofPayIn) => {
    const at = (connection: string | undefined) => (connection === undefined ? {} : { connection });
    const refused = () => assign({ credit: at(ofCredit), payIn: at(ofPayIn) });
    expect(refused).toThrow('The pay-in is at another bank than the money.');
    expect(errorOf(refused)).toBe('409 orderId:INVALID_VALUE');
    expect(errorOf(() => assign({ credit: at(ofPayIn), payIn: at(ofPayIn) }))).toBe('none');
  });

  it.each(payInStatuses.filter((status) => status !== 'PENDING'))('is refused when the pay-in is %s', (status) => {
    expect(errorOf(() => assign({ payIn: { status } }))).toBe('409 orderId:INVALID_VALUE');
    expect(() => assign({ payIn: { status } })).toThrow(`The pay-in is ${status}; it must be PENDING.`);
  });

  it.each([2499, 2501])('is refused when the pay-in is of %i and the credit of 2500', (amount) => {
    expect(errorOf(() => assign({ payIn: { amount: centavos(amount) } }))).toBe('409 orderId:INVALID_VALUE');
    expect(() => assign({ payIn: { amount: centavos(amount) } })).toThrow(/The pay-in is of 2[45]\.(?:99|01)\./u);
  });
});
