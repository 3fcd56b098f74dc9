import type { Instant, LocalDate } from './brasilia-time.ts';
import { brasiliaDate, instantAt, nextWeekday, plusDays } from './brasilia-time.ts';
import { forbiddenByState, wrong } from './refusal.ts';

/** When a charge may be created, and when it reaches the payer's bank. Settings of the environment. */
export type ScheduleWindow = {
  /** Days that must lie between today and the settlement date of a first attempt: 2 in production, 0 elsewhere. */
  readonly minDaysAhead: number;
  /** Days before its settlement date on which a payment leaves `INITIAL`; absent: at once. */
  readonly releaseDaysBefore?: number;
};

/** From then on the payer's bank executes nothing on the settlement date. Hours are Brasilia's. */
const executionEnds = '21:00';
/** A cancellation must be with the payer's bank by 22:00 of the eve (BCB, Manual de Padrões, 6.4.5). */
const lastCancellation = '22:00';

/** The day on which a charge settles. Weekends alone are moved: local holidays are not handled (specification, 2.2). */
export function settlementDateOf(dueDate: LocalDate, allowAdjustToBusinessDay: boolean): LocalDate {
  return allowAdjustToBusinessDay ? nextWeekday(dueDate) : dueDate;
}

/** Whether a charge of this settlement date can still be executed: today is the date, and it is before 21:00. */
export function isExecutable(settlementDate: LocalDate, at: Instant): boolean {
  return brasiliaDate(at) === settlementDate && !isPastExecution(settlementDate, at);
}

/** Whether no charge of this settlement date can be executed any more. */
export function isPastExecution(settlementDate: LocalDate, at: Instant): boolean {
  return at >= executionEnd(settlementDate);
}

/** Whether it is 21:00 or later: nothing of today is executed any more. */
export function isAfterExecution(at: Instant): boolean {
  return isPastExecution(brasiliaDate(at), at);
}

/** 21:00 of the settlement date. */
export function executionEnd(settlementDate: LocalDate): Instant {
  return instantAt(settlementDate, executionEnds);
}

/**
 * @throws Refusal 400 when the first attempt settles earlier than the window allows, 409 when it is for today and no
 * longer executed.
 */
export function requireInWindow(settlementDate: LocalDate, { minDaysAhead }: ScheduleWindow, at: Instant): void {
  const today = brasiliaDate(at);
  const earliest = plusDays(today, minDaysAhead);
  if (settlementDate < earliest)
    throw wrong('dueDate', 'OUT_OF_RANGE', `Must settle on ${earliest} or later; today in Brasilia is ${today}.`);
  if (settlementDate === today && isPastExecution(settlementDate, at))
    throw forbiddenByState(
      'dueDate',
      'OUTSIDE_WINDOW',
      `Nothing is executed today after ${executionEnds} in Brasilia.`,
    );
}

/** When a payment leaves `INITIAL`: the first moment of the day so many days before; undefined when that has come. */
export function releaseTime(
  settlementDate: LocalDate,
  { releaseDaysBefore }: ScheduleWindow,
  at: Instant,
): Instant | undefined {
  if (releaseDaysBefore === undefined) return undefined;
  const release = instantAt(plusDays(settlementDate, -releaseDaysBefore), '00:00');
  return release > at ? release : undefined;
}

/** Until when the partner may ask for a payment's cancellation: before 22:00 of the eve of its settlement date. */
export function cancellationDeadline(settlementDate: LocalDate): Instant {
  return instantAt(plusDays(settlementDate, -1), lastCancellation);
}
