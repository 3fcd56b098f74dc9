import { expect, test } from 'vitest';
import { deliveriesByDay, moneyByDay } from '#infra/console/page/figures.ts';
import { showRelative } from '#infra/console/page/format.ts';

const amount = (value: string) => ({ currency: 'BRL' as const, value });

test('money is counted on the day of Brasilia on which it moved', () => {
  const payIns = [
    { paidAt: '2030-01-11T02:59:59.000Z', amount: amount('10.05') },
    { paidAt: '2030-01-11T03:00:00.000Z', amount: amount('0.10') },
    { amount: amount('99.00') },
  ];
  const payouts = [
    { status: 'PAID' as const, updatedAt: '2030-01-11T12:00:00.000Z', amount: '7.00' },
    { status: 'ERROR' as const, updatedAt: '2030-01-11T12:00:00.000Z', amount: '8.00' },
  ];
  expect(moneyByDay(payIns, payouts)).toEqual([
    { day: '2030-01-10', moneyIn: 1005, moneyOut: 0 },
    { day: '2030-01-11', moneyIn: 10, moneyOut: 700 },
  ]);
  expect(moneyByDay([], [])).toEqual([]);
});

test('deliveries are counted by outcome, and half of those that arrived took no longer than the median', () => {
  const createdAt = '2030-01-10T12:00:00.000Z';
  const arrived = (second: string) => ({
    ...{ createdAt, status: 'DELIVERED' as const, lastAttemptAt: `2030-01-10T12:00:${second}.000Z`, attemptsCount: 1 },
  });
  const other = (status: 'FAILED' | 'HELD' | 'PENDING') => ({
    ...{ createdAt, status, lastAttemptAt: null, attemptsCount: 0 },
  });
  const all = [arrived('09'), arrived('01'), arrived('02'), other('FAILED'), other('HELD'), other('PENDING')];
  expect(deliveriesByDay(all)).toEqual([{ day: '2030-01-10', delivered: 3, failed: 1, waiting: 2, medianMs: 2000 }]);
  expect(deliveriesByDay([other('HELD')])[0]!.medianMs).toBeUndefined();
});

test.each([
  [-400, 'now', 'agora'],
  [-5000, '5 seconds ago', 'há 5 segundos'],
  [-86_400_000, 'yesterday', 'ontem'],
  [3 * 3_600_000, 'in 3 hours', 'em 3 horas'],
  [-400 * 86_400_000, 'last year', 'ano passado'],
])('%i ms from now is said in words', (differenceMs, english, portuguese) => {
  expect(showRelative(differenceMs, 'en')).toBe(english);
  expect(showRelative(differenceMs, 'pt-BR')).toBe(portuguese);
});
