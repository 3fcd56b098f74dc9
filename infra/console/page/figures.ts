import type { Instant, LocalDate } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, epochMs } from '#shared/core/brasilia-time.ts';
import type { ResponseBody } from '../protocol.ts';

type PayIn = Pick<ResponseBody<'listPayIns'>['data'][number], 'paidAt' | 'amount'>;
type Payout = Pick<ResponseBody<'listPayouts'>['data'][number], 'status' | 'updatedAt' | 'amount'>;
type Delivery = Pick<
  ResponseBody<'listWebhookDeliveries'>['data'][number],
  'status' | 'createdAt' | 'lastAttemptAt' | 'attemptsCount'
>;

/** Money of a day of Brasilia, centavos. */
export type DayOfMoney = { readonly day: LocalDate; readonly moneyIn: number; readonly moneyOut: number };
/** Deliveries that began on a day: how they ended, and how long those that arrived took, milliseconds. */
export type DayOfDeliveries = {
  readonly day: LocalDate;
  readonly delivered: number;
  readonly failed: number;
  readonly waiting: number;
  /** Half of those that arrived took no longer; undefined where none did. */
  readonly medianMs: number | undefined;
};

/** Days of a plot. */
const mostDays = 14;

/** Centavos of a decimal with two digits. */
const centavosOf = (decimal: string): number => Number(decimal.replace('.', ''));

/** What came and what left by day, oldest first: the last fourteen days on which something moved. */
export function moneyByDay(payIns: readonly PayIn[], payouts: readonly Payout[]): readonly DayOfMoney[] {
  const moves = [
    ...payIns.flatMap(({ paidAt, amount }) =>
      paidAt === undefined ? [] : [{ at: paidAt, moneyIn: centavosOf(amount.value), moneyOut: 0 }],
    ),
    ...payouts
      .filter(({ status }) => status === 'PAID')
      .map(({ updatedAt: at, amount }) => ({ at, moneyIn: 0, moneyOut: centavosOf(amount) })),
  ];
  return byDay(moves, (day, of) => ({
    day,
    moneyIn: of.reduce((sum, { moneyIn }) => sum + moneyIn, 0),
    moneyOut: of.reduce((sum, { moneyOut }) => sum + moneyOut, 0),
  }));
}

export function deliveriesByDay(deliveries: readonly Delivery[]): readonly DayOfDeliveries[] {
  const known = deliveries.map((one) => ({ ...one, at: one.createdAt }));
  return byDay(known, (day, of) => {
    const count = (...statuses: readonly string[]): number =>
      of.filter(({ status }) => statuses.includes(status)).length;
    const took = of
      .filter(({ status, lastAttemptAt }) => status === 'DELIVERED' && lastAttemptAt !== null)
      .map(({ createdAt, lastAttemptAt }) => epochMs(lastAttemptAt ?? createdAt) - epochMs(createdAt))
      .toSorted((one, other) => one - other);
    return {
      ...{ day, delivered: count('DELIVERED'), failed: count('FAILED'), waiting: count('PENDING', 'HELD') },
      medianMs: took[Math.floor((took.length - 1) / 2)],
    };
  });
}

function byDay<T extends { readonly at: Instant }, R>(
  of: readonly T[],
  sum: (day: LocalDate, of: readonly T[]) => R,
): readonly R[] {
  const days = Map.groupBy(of, ({ at }) => brasiliaDate(at));
  return [...days]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(-mostDays)
    .map(([day, those]) => sum(day, those));
}
