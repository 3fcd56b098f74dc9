import type { LocalDate } from '../core/brasilia-time.ts';
import { daysBetween, plusDays, plusMonths } from '../core/brasilia-time.ts';
import type { Subscription } from '../subscriptions/model.ts';

/** What the cycles of a recurrence follow from. */
type Recurrence = Pick<Subscription, 'frequencyType' | 'startDate'>;

/** A cycle: its first day, and the first day of the next one. */
export type Cycle = { readonly start: LocalDate; readonly next: LocalDate };

const weekDays = 7;
/** Longest possible month: as many months as fit into some days at this length have certainly passed. */
const longestMonthDays = 31;
const monthsOf = { MONTHLY: 1, QUARTERLY: 3, SEMIANNUAL: 6, ANNUAL: 12 } as const satisfies Record<
  Exclude<Recurrence['frequencyType'], 'WEEKLY'>,
  number
>;

/**
 * The first day of a cycle, the first one being number 0. Each is counted from `startDate`, never from the cycle
 * before: a recurrence of 30 January goes on at 28 February and at 30 March (BCB, Manual de Padrões, 4.3.1).
 */
export function cycleStart({ frequencyType, startDate }: Recurrence, number: number): LocalDate {
  return frequencyType === 'WEEKLY'
    ? plusDays(startDate, weekDays * number)
    : plusMonths(startDate, monthsOf[frequencyType] * number);
}

/**
 * The cycle to which a day belongs.
 * @throws RangeError for a day before `startDate`: it belongs to none.
 */
export function cycleOf(recurrence: Recurrence, day: LocalDate): Cycle {
  const { frequencyType, startDate } = recurrence;
  const days = daysBetween(startDate, day);
  if (days < 0) throw new RangeError(`The recurrence begins on ${startDate}: ${day} belongs to no cycle.`);
  const cycleDays = frequencyType === 'WEEKLY' ? weekDays : monthsOf[frequencyType] * longestMonthDays;
  let number = Math.floor(days / cycleDays);
  while (cycleStart(recurrence, number + 1) <= day) number += 1;
  return { start: cycleStart(recurrence, number), next: cycleStart(recurrence, number + 1) };
}
