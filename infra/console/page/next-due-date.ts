import type { Instant, LocalDate } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, plusDays, plusMonths } from '#shared/core/brasilia-time.ts';
import { isAfterExecution } from '#shared/scheduled-payments/window.ts';
import type { Answered } from '../operations.ts';

type Subscription = Pick<Answered<'getSubscription'>, 'startDate' | 'frequencyType'>;
type Payment = Pick<Answered<'getScheduledPayment'>, 'dueDate'>;

const dayOf: Readonly<Record<Subscription['frequencyType'], (start: LocalDate, cycle: number) => LocalDate>> = {
  WEEKLY: (start, cycle) => plusDays(start, 7 * cycle),
  MONTHLY: plusMonths,
  QUARTERLY: (start, cycle) => plusMonths(start, 3 * cycle),
  SEMIANNUAL: (start, cycle) => plusMonths(start, 6 * cycle),
  ANNUAL: (start, cycle) => plusMonths(start, 12 * cycle),
};

/** The first day of the first cycle that has no payment, and in which one can still settle: where the next one fits. */
export function nextDueDate(
  { startDate, frequencyType }: Subscription,
  payments: readonly Payment[],
  now: Instant,
): LocalDate {
  const today = brasiliaDate(now);
  const earliest = isAfterExecution(now) ? plusDays(today, 1) : today;
  const last = payments
    .map(({ dueDate }) => dueDate)
    .toSorted()
    .at(-1);
  for (let cycle = 0; ; cycle += 1) {
    const day = dayOf[frequencyType](startDate, cycle);
    if (day >= earliest && (last === undefined || day > last)) return day;
  }
}
