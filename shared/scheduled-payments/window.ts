import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { brasiliaDate, instantAt, nextWeekday, plusDays } from '../core/brasilia-time.ts';
import { forbiddenByState, badRequest } from '../core/errors.ts';
import { askAgainAt } from '../core/resubmission.ts';
import type { ChargeCommand, Resender, ScheduledPayment } from './model.ts';

/** When a charge may be created, and when it reaches the payer's bank. Settings of the environment. */
export type ScheduleWindow = {
  /** Days that must lie between today and the settlement date of a first attempt: 2 in production, 0 elsewhere. */
  readonly minDaysAhead: number;
  /** Days before its settlement date on which a payment leaves `INITIAL`; absent: immediately. */
  readonly releaseDaysBefore?: number;
};

/** The windows of production. */
export const productionWindow = { minDaysAhead: 2, releaseDaysBefore: 10 } as const satisfies ScheduleWindow;

/** Hour of Brasilia from which the payer's bank executes no charge of the settlement date. */
export const executionEnds = '21:00';
/** Hour of Brasilia, on the eve of the settlement date, until which a charge can be withdrawn. */
export const withdrawalEnds = '22:00';

/** Deadlines of commands: days from the settlement date, hour in Brasilia (BCB, Manual de Padrões, 4.1.4 and 6.4.5). */
const submittedBefore = {
  FIRST_ATTEMPT: { days: 1, hour: '00:00' },
  RESEND_DUE_TO_SETTLEMENT_ERROR: { days: 0, hour: executionEnds },
  NEW_ATTEMPT_AFTER_DUE_DATE: { days: -1, hour: '23:59' },
  WITHDRAWAL: { days: -1, hour: withdrawalEnds },
} as const satisfies Readonly<Record<ScheduledPayment['purpose'] | 'WITHDRAWAL', object>>;

/** The day on which a charge settles. Only weekends are moved: local holidays are not handled (specification, 2.2). */
export function settlementDateOf(dueDate: LocalDate, allowAdjustToBusinessDay: boolean): LocalDate {
  return allowAdjustToBusinessDay ? nextWeekday(dueDate) : dueDate;
}

/** Whether a charge of this settlement date can still be executed: today is the date, and it is before 21:00. */
export function isExecutable(settlementDate: LocalDate, at: Instant): boolean {
  return brasiliaDate(at) === settlementDate && !isPastExecution(settlementDate, at);
}

export function isPastExecution(settlementDate: LocalDate, at: Instant): boolean {
  return at >= executionDeadline(settlementDate);
}

export function isAfterExecution(at: Instant): boolean {
  return isPastExecution(brasiliaDate(at), at);
}

export function executionDeadline(settlementDate: LocalDate): Instant {
  return instantAt(settlementDate, executionEnds);
}

/** @throws RequestError 400 before the window; 409 for a charge of today that is no longer executed. */
export function requireInWindow(settlementDate: LocalDate, { minDaysAhead }: ScheduleWindow, at: Instant): void {
  const today = brasiliaDate(at);
  const earliest = plusDays(today, minDaysAhead);
  if (settlementDate < earliest)
    throw badRequest('dueDate', 'OUT_OF_RANGE', `Must settle on ${earliest} or later; today in Brasilia is ${today}.`);
  if (settlementDate === today && isPastExecution(settlementDate, at))
    throw forbiddenByState(
      'dueDate',
      'OUTSIDE_WINDOW',
      `Nothing is executed today after ${executionEnds} in Brasilia.`,
    );
}

/**
 * Returns when a payment leaves `INITIAL`: the start of the day `releaseDaysBefore` days before its settlement date.
 * Undefined when that time has come, or without such a setting.
 */
export function releaseTime(
  settlementDate: LocalDate,
  { releaseDaysBefore }: ScheduleWindow,
  at: Instant,
): Instant | undefined {
  if (releaseDaysBefore === undefined) return undefined;
  const release = instantAt(plusDays(settlementDate, -releaseDaysBefore), '00:00');
  return release > at ? release : undefined;
}

export function commandDeadline(
  command: ChargeCommand,
  { purpose, settlementDate }: Pick<ScheduledPayment, 'purpose' | 'settlementDate'>,
): Instant {
  const { days, hour } = submittedBefore[command === 'CANCEL' ? 'WITHDRAWAL' : purpose];
  return instantAt(plusDays(settlementDate, days), hour);
}

/** `WAIT`: the deadline has passed, but a submission may still be on its way. `MISSED`: the bank never got it. */
export function submissionPhase(
  command: ChargeCommand,
  payment: Pick<ScheduledPayment, 'purpose' | 'settlementDate'>,
  at: Instant,
): 'SUBMIT' | 'WAIT' | 'MISSED' {
  const deadline = commandDeadline(command, payment);
  if (at < deadline) return 'SUBMIT';
  return at < askAgainAt(deadline) ? 'WAIT' : 'MISSED';
}

/** Retries of one charge on its day (specification, 8). */
export const maxRetries = 3;

/** Whether a payment that a settlement error canceled is retried: on its day, before 21:00, fewer than three times. */
export function isRetried({ settlementDate, settlementErrorRetryAttempt = 0 }: ScheduledPayment, at: Instant): boolean {
  return isExecutable(settlementDate, at) && settlementErrorRetryAttempt < maxRetries;
}

/**
 * Decides on a scheduled resend, which may come hours later. `MISSED`: it is past 21:00. `NONE`: this sender has no
 * resend to create. A resend that the bank created counts as in time.
 */
export function decideRetry(payment: ScheduledPayment, at: Instant, by: Resender = 'us'): 'SEND' | 'MISSED' | 'NONE' {
  if (payment.scheduledRetry === undefined) return 'NONE';
  if (by === 'bank') return payment.scheduledRetry.by === 'bank' ? 'SEND' : 'NONE';
  if (isPastExecution(payment.settlementDate, at)) return 'MISSED';
  return payment.scheduledRetry.by === 'us' && isRetried(payment, at) ? 'SEND' : 'NONE';
}
