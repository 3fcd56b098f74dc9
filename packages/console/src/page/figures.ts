import type { Instant, LocalDate } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, epochMs, plusDays } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos } from '#shared/core/money.ts';
import type { ResponseBody } from '../protocol.ts';

type Entry = Pick<ResponseBody<'listEntries'>['data'][number], 'createdAt' | 'available' | 'reserved' | 'blocked'>;
type Batch = NonNullable<ResponseBody<'getPayout'>['batch']>;
type Refund = Pick<ResponseBody<'listRefunds'>['data'][number], 'status' | 'amount'>;
type Delivery = Pick<
  ResponseBody<'listWebhookDeliveries'>['data'][number],
  'status' | 'createdAt' | 'lastAttemptAt' | 'attemptsCount'
>;

/** Money of a day of Brasilia, centavos. */
export type DayOfMoney = { readonly day: LocalDate; readonly moneyIn: number; readonly moneyOut: number };
/** Deliveries that were created on a day, counted by outcome. */
export type DayOfDeliveries = {
  readonly day: LocalDate;
  readonly delivered: number;
  readonly failed: number;
  readonly waiting: number;
  /** Median time from creation to delivery, milliseconds; undefined when none was delivered. */
  readonly medianMs: number | undefined;
};

/** The newest entries of an account's statement. `isCut`: there are older ones. */
type NewestEntries = { readonly data: readonly Entry[]; readonly isCut: boolean };

/** Maximum number of days in a plot. */
const mostDays = 14;

/** The first day of a plot that ends today. */
export function firstDayOfPlot(today: LocalDate): LocalDate {
  return plusDays(today, 1 - mostDays);
}

/** Returns every day from the first to the last. */
function daysBetween(first: LocalDate, last: LocalDate): readonly LocalDate[] {
  const days: LocalDate[] = [];
  for (let day = first; day <= last; day = plusDays(day, 1)) days.push(day);
  return days;
}

/** Centavos of a decimal with two digits. */
const centavosOf = (decimal: string): number => Number(decimal.replace('.', ''));

/** Centavos of a pay-in that can still be refunded, or of a credit that can still be returned. */
export function refundableOf({ amount }: Pick<ResponseBody<'getPayIn'>, 'amount'>, refunds: readonly Refund[]): number {
  const live = refunds.filter(({ status }) => status !== 'FAILED');
  return live.reduce((left, refund) => left - centavosOf(refund.amount.value), centavosOf(amount.value));
}

/**
 * Sums money in and out by day from the statements, oldest first: the last fourteen days, without days that a statement
 * does not cover completely. Reserved money does not count as money out.
 */
export function moneyByDay(statements: readonly NewestEntries[], today: LocalDate): readonly DayOfMoney[] {
  const whole = statements.flatMap(({ data, isCut }) => {
    const oldest = data.at(-1);
    return isCut && oldest !== undefined ? [plusDays(brasiliaDate(oldest.createdAt), 1)] : [];
  });
  const first = [firstDayOfPlot(today), ...whole].toSorted().at(-1) ?? today;
  const moves = Map.groupBy(
    statements.flatMap(({ data }) => data),
    ({ createdAt }) => brasiliaDate(createdAt),
  );
  return daysBetween(first, today).map((day) => {
    const changes = (moves.get(day) ?? []).map(
      ({ available, reserved, blocked }) => centavosOf(available) + centavosOf(reserved) + centavosOf(blocked),
    );
    const sum = (sign: 1 | -1): number => changes.reduce((all, change) => all + Math.max(0, sign * change), 0);
    return { day, moneyIn: sum(1), moneyOut: sum(-1) };
  });
}

/** Returns the amount of a batch that was not paid: the sum of its failed and canceled payments. */
export function owedOf({ transactions }: Pick<Batch, 'transactions'>): Centavos {
  const failed = transactions.filter(({ status }) => status === 'ERROR' || status === 'CANCELED');
  return centavos(failed.reduce((sum, { amount }) => sum + centavosOf(amount), 0));
}

export function deliveriesByDay(deliveries: readonly Delivery[]): readonly DayOfDeliveries[] {
  const known = deliveries.map((delivery) => ({ ...delivery, at: delivery.createdAt }));
  return byDay(known, (day, dayDeliveries) => {
    const count = (...statuses: readonly string[]): number =>
      dayDeliveries.filter(({ status }) => statuses.includes(status)).length;
    const took = dayDeliveries
      .filter(({ status, lastAttemptAt }) => status === 'DELIVERED' && lastAttemptAt !== null)
      .map(({ createdAt, lastAttemptAt }) => epochMs(lastAttemptAt ?? createdAt) - epochMs(createdAt))
      .toSorted((a, b) => a - b);
    return {
      day,
      delivered: count('DELIVERED'),
      failed: count('FAILED'),
      waiting: count('PENDING', 'HELD'),
      medianMs: took[Math.floor((took.length - 1) / 2)],
    };
  });
}

function byDay<T extends { readonly at: Instant }, R>(
  items: readonly T[],
  sum: (day: LocalDate, dayItems: readonly T[]) => R,
): readonly R[] {
  const days = Map.groupBy(items, ({ at }) => brasiliaDate(at));
  const [first, ...more] = [...days.keys()].toSorted();
  if (first === undefined) return [];
  return daysBetween(first, more.at(-1) ?? first)
    .slice(-mostDays)
    .map((day) => sum(day, days.get(day) ?? []));
}
