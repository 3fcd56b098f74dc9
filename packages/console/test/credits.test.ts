import { expect, test } from 'vitest';
import { refundableOf } from '#console/page/figures.ts';
import { creditSteps, entrySteps, mergeSteps } from '#console/page/timeline.ts';
import { toneOf } from '#console/page/tone.ts';
import type { ResponseBody } from '#console/protocol.ts';
import { routes } from '#functions/routes.ts';

type Credit = ResponseBody<'getCredit'>;
type Returned = Credit['returns'][number];

const id = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';
const orderId = '6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00';
const brl = (value: string) => ({ currency: 'BRL' as const, value });

const credit = (changes: Partial<Credit> = {}): Credit => ({
  id,
  accountId: '0b6f5d1c-7a52-4f6e-9d0a-2f1c8e4b7a11',
  endToEndId: 'E60701190202601151205A1b2C3d4E5f',
  amount: brl('29.90'),
  reason: 'NO_CHARGE',
  status: 'OPEN',
  receivedAt: '2026-01-15T12:00:00.000Z',
  updatedAt: '2026-01-15T12:00:00.000Z',
  returns: [],
  ...changes,
});

const returned = (last: string, status: Returned['status'], value: string): Returned => ({
  returnId: `5f1d2c3b4a594e8f9a0b1c2d3e4f5a0${last}`,
  creditId: id,
  amount: brl(value),
  status,
  createdAt: `2026-01-16T12:00:0${last}.000Z`,
});

test('a credit that is kept has one step', () => {
  const [step, ...more] = creditSteps(credit());
  expect(more).toEqual([]);
  expect(step).toMatchObject({ status: 'OPEN', link: ['credits', id], asked: { operation: 'getCredit' } });
});

test('a returned credit ends with the return that settled last; one that failed shows its reason', () => {
  const failed = { ...returned('1', 'FAILED', '29.90'), errorMessage: 'AC03: The account does not exist.' };
  const returns = [returned('3', 'SETTLED', '19.90'), returned('2', 'SETTLED', '10.00'), failed];
  const updatedAt = '2026-01-17T12:00:00.000Z';
  const steps = mergeSteps(creditSteps(credit({ status: 'RETURNED', updatedAt, returns })));
  expect(steps.map(({ kind, status }) => [kind, status])).toEqual([
    ['status', 'OPEN'],
    ['return', 'FAILED'],
    ['return', 'SETTLED'],
    ['return', 'SETTLED'],
    ['status', 'RETURNED'],
  ]);
  expect(steps[1]).toMatchObject({ detail: failed.errorMessage });
  expect(steps[2]!.asked).toEqual({
    operation: 'returnCredit',
    params: { id },
    body: { amount: brl('10.00') },
  });
  expect(steps.at(-1)).toMatchObject({
    at: updatedAt,
    asked: { operation: 'forceOrderStatus', body: { id: returns[0]!.returnId, status: 'REFUNDED' } },
  });
});

test('an assigned credit names its pay-in in the request', () => {
  const steps = creditSteps(credit({ status: 'ASSIGNED', orderId }));
  expect(steps.map(({ status }) => status)).toEqual(['OPEN', 'ASSIGNED']);
  expect(steps[1]!.asked).toEqual({ operation: 'assignCredit', params: { id }, body: { orderId } });
});

test('the requests of the steps are accepted by their contracts', () => {
  const returns = [returned('1', 'SETTLED', '29.90')];
  const steps = [
    ...creditSteps(credit({ status: 'RETURNED', returns })),
    ...creditSteps(credit({ status: 'ASSIGNED', orderId })),
  ];
  const written = steps.filter(({ asked }) => asked.body !== undefined);
  expect(written).toHaveLength(3);
  for (const { asked } of written) {
    const { contract } = routes.find((one) => one.contract.operationId === asked.operation)!;
    expect(contract.body.safeParse(asked.body).error?.issues, asked.operation).toBeUndefined();
  }
});

test('a credit can be returned until no money is left, a failed return aside', () => {
  const returns = [
    returned('1', 'FAILED', '29.90'),
    returned('2', 'PENDING', '10.00'),
    returned('3', 'SETTLED', '19.90'),
  ];
  expect(refundableOf(credit(), [])).toBe(2990);
  expect(refundableOf(credit(), returns.slice(0, 2))).toBe(1990);
  expect(refundableOf(credit(), returns)).toBe(0);
});

test('an open credit waits, an assigned one is a success, and its entry leads to its account', () => {
  expect(['OPEN', 'ASSIGNED', 'RETURNED'].map(toneOf)).toEqual(['waits', 'good', 'ended']);
  const { accountId, receivedAt: createdAt } = credit();
  const amounts = { available: '29.90', reserved: '0.00', blocked: '0.00' };
  const entry = { id: 'e', accountId, createdAt, type: 'UNMATCHED_CREDIT' as const, creditId: id, ...amounts };
  expect(entrySteps([entry])).toMatchObject([{ title: 'UNMATCHED_CREDIT', link: ['ledger', accountId] }]);
});
