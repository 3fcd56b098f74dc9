import { expect, test } from 'vitest';
import { deliveriesByDay, moneyByDay, owedOf } from '#console/page/figures.ts';
import { showRelative } from '#console/page/format.ts';

const entry = (createdAt: string, available: string, reserved = '0.00', blocked = '0.00') => {
  return { createdAt, available, reserved, blocked };
};

test('money is what the statements say, on the day of Brasilia on which it moved, with the days without any', () => {
  const one = [
    // A batch of which a part was paid: what failed is available again.
    entry('2030-01-13T12:00:00.000Z', '5000.00', '-20000.00'),
    entry('2030-01-12T12:00:01.000Z', '0.00', '-4.00'),
    // Promised to a refund, which has not left.
    entry('2030-01-12T12:00:00.000Z', '-4.00', '4.00'),
    entry('2030-01-11T03:00:00.000Z', '0.10'),
    entry('2030-01-11T02:59:59.000Z', '10.05'),
  ];
  const other = [entry('2030-01-13T12:00:00.000Z', '-0.07'), entry('2029-12-01T12:00:00.000Z', '9.00')];
  const days = moneyByDay(
    [one, other].map((data) => ({ data, isCut: false })),
    '2030-01-15',
  );
  expect(days).toHaveLength(14);
  expect([days[0]?.day, days.at(-1)?.day]).toEqual(['2030-01-02', '2030-01-15']);
  expect(days.slice(8)).toEqual([
    { day: '2030-01-10', moneyIn: 1005, moneyOut: 0 },
    { day: '2030-01-11', moneyIn: 10, moneyOut: 0 },
    { day: '2030-01-12', moneyIn: 0, moneyOut: 400 },
    { day: '2030-01-13', moneyIn: 0, moneyOut: 1_500_007 },
    { day: '2030-01-14', moneyIn: 0, moneyOut: 0 },
    { day: '2030-01-15', moneyIn: 0, moneyOut: 0 },
  ]);
  expect(days.slice(0, 8).every(({ moneyIn, moneyOut }) => moneyIn + moneyOut === 0)).toBe(true);
});

test('a day that was not read to its beginning is no day without money', () => {
  const data = [entry('2030-01-15T12:00:00.000Z', '1.00'), entry('2030-01-13T12:00:00.000Z', '2.00')];
  expect(moneyByDay([{ data, isCut: true }], '2030-01-15')).toEqual([
    { day: '2030-01-14', moneyIn: 0, moneyOut: 0 },
    { day: '2030-01-15', moneyIn: 100, moneyOut: 0 },
  ]);
});

test('a batch owes the payments that ended unpaid', () => {
  const payment = (status: 'PAID' | 'PENDING' | 'ERROR' | 'CANCELED', value: string) => ({
    ...{ id: status, idempotencyKey: status, sequence: 1, amount: value, status },
  });
  const transactions = [payment('PAID', '15000.00'), payment('ERROR', '0.07'), payment('CANCELED', '2.00')];
  expect(owedOf({ transactions: [...transactions, payment('PENDING', '9.00')] })).toBe(207);
  expect(owedOf({ transactions: [payment('PAID', '15000.00')] })).toBe(0);
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
  const later = { ...other('HELD'), createdAt: '2030-01-12T12:00:00.000Z' };
  expect(deliveriesByDay([later, other('HELD')]).map(({ day, waiting }) => [day, waiting])).toEqual([
    ['2030-01-10', 1],
    ['2030-01-11', 0],
    ['2030-01-12', 1],
  ]);
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
