import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { daysBetween, plusDays, plusMonths } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { formatAmount } from '../core/money.ts';
import { forbiddenByState, badRequest } from '../core/errors.ts';
import type { Subscription } from '../subscriptions/model.ts';
import { newAttemptDays } from '../subscriptions/model.ts';
import type { ScheduledCharge, ScheduledPayment, ScheduledPaymentStatus } from './model.ts';
import { commandDeadline } from './window.ts';

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
 * The first day of cycle number 0, 1, …, counted from `startDate`, not from the cycle before: after 30 January come 28
 * February and 30 March (BCB, Manual de Padrões, 4.3.1).
 */
export function cycleStart({ frequencyType, startDate }: Recurrence, number: number): LocalDate {
  return frequencyType === 'WEEKLY'
    ? plusDays(startDate, weekDays * number)
    : plusMonths(startDate, monthsOf[frequencyType] * number);
}

/** The cycle of a day. @throws RangeError for a day before `startDate`. */
export function cycleOf(recurrence: Recurrence, day: LocalDate): Cycle {
  const { frequencyType, startDate } = recurrence;
  const days = daysBetween(startDate, day);
  if (days < 0) throw new RangeError(`The recurrence begins on ${startDate}: ${day} belongs to no cycle.`);
  const cycleDays = frequencyType === 'WEEKLY' ? weekDays : monthsOf[frequencyType] * longestMonthDays;
  let number = Math.floor(days / cycleDays);
  while (cycleStart(recurrence, number + 1) <= day) number += 1;
  return { start: cycleStart(recurrence, number), next: cycleStart(recurrence, number + 1) };
}

/** Most new attempts after the due date, each on a different day (BCB, `PERMITE_3R_7D`). */
const maxNewAttempts = 3;

/**
 * How the charge of a cycle ended unpaid. `FREE`: refused or canceled; another first attempt may follow. `FAILED`: by
 * an error; another first attempt or new attempts may follow. `UNPAID`: its day is over; only new attempts may follow.
 */
export type CycleOutcome = 'FREE' | 'FAILED' | 'UNPAID';

/** The charge of a cycle, one item per cycle: it prevents two first attempts and two open attempts in a cycle. */
export type CycleCharge = {
  readonly firstAttemptId: string;
  readonly firstSettlementDate: LocalDate;
  readonly amount: Centavos;
  /** `OPEN` while an attempt is open, and permanently once one is paid. */
  readonly state: 'OPEN' | Exclude<CycleOutcome, 'FREE'>;
  /** New attempts after the due date, whatever their outcome. */
  readonly newAttempts: readonly { readonly id: string; readonly settlementDate: LocalDate }[];
  readonly version: number;
};

/** States of a cycle's charge that another first attempt may replace. A cycle without a charge accepts one, too. */
export const replaceableStates: readonly CycleCharge['state'][] = ['FAILED'];

export function isReplaceable({ state }: CycleCharge): boolean {
  return replaceableStates.includes(state);
}

/** Returns how a charge that ended unpaid leaves its cycle. After a new attempt no other first attempt may follow. */
export function cycleEndOf({ payment, terms }: ScheduledCharge, status: ScheduledPaymentStatus): CycleOutcome {
  const root = payment.settlementErrorRetryRootId ?? payment.id;
  if (root !== terms.firstAttemptId || status === 'CANCELED_INSUFFICIENT_BALANCE') return 'UNPAID';
  return status === 'ERROR' ? 'FAILED' : 'FREE';
}

export function firstChargeOf({ id, settlementDate, amount }: ScheduledPayment): CycleCharge {
  const first = { firstAttemptId: id, firstSettlementDate: settlementDate, amount };
  return { ...first, state: 'OPEN', newAttempts: [], version: 1 };
}

/** Returns the charge of a cycle with a further attempt, which makes it `OPEN` again. */
export function addAttempt(charge: CycleCharge, { id, settlementDate }: ScheduledPayment): CycleCharge {
  const newAttempts = [...charge.newAttempts, { id, settlementDate }];
  return { ...charge, state: 'OPEN', newAttempts, version: charge.version + 1 };
}

/**
 * Checks the preconditions of a new attempt (BCB, Manual de Padrões, 4.1.4; docs/decisions/016).
 * @param charge the charge of the cycle; undefined when it was refused or canceled
 * @throws RequestError 409 when the first attempt did not fail for insufficient balance or an error, another attempt is
 * open or paid, or three new attempts were made; 400 for the day or amount.
 */
export function requireNewAttempt(
  charge: CycleCharge | undefined,
  attempt: {
    readonly original: ScheduledPayment;
    readonly settlementDate: LocalDate;
    readonly amount: Centavos;
    readonly nextCycle: LocalDate;
    readonly at: Instant;
  },
): CycleCharge {
  const { original, settlementDate, amount, nextCycle, at } = attempt;
  if (charge?.firstAttemptId !== original.id) throw notRepeatable(original);
  if (charge.state === 'OPEN') throw stillCharged(original, charge);
  if (charge.newAttempts.length >= maxNewAttempts)
    throw forbiddenByState(
      'originalScheduledPaymentId',
      'LIMIT_EXCEEDED',
      `At most ${maxNewAttempts} new attempts are made.`,
    );
  if (amount !== charge.amount)
    throw badRequest(
      'amount.value',
      'INVALID_VALUE',
      `Must be the amount of the first attempt: ${formatAmount(charge.amount)}.`,
    );
  requireDay(charge, { settlementDate, nextCycle, at });
  return charge;
}

function requireDay(
  { firstSettlementDate, newAttempts }: CycleCharge,
  { settlementDate, nextCycle, at }: { settlementDate: LocalDate; nextCycle: LocalDate; at: Instant },
): void {
  const last = plusDays(firstSettlementDate, newAttemptDays);
  const outside = (description: string): Error => badRequest('dueDate', 'OUT_OF_RANGE', description);
  if (at >= commandDeadline('SCHEDULE', { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', settlementDate }))
    throw outside('Must be in the future: a new attempt is taken until 23:59 in Brasilia of the day before.');
  if (settlementDate <= firstSettlementDate)
    throw outside(`Must be after the day of the first attempt, ${firstSettlementDate}.`);
  if (settlementDate > last)
    throw outside(`Must be within ${newAttemptDays} days of the first attempt: ${last} at the latest.`);
  if (settlementDate >= nextCycle) throw outside(`Must be before the next cycle begins on ${nextCycle}.`);
  if (newAttempts.some((earlier) => earlier.settlementDate === settlementDate))
    throw outside('Must be another day than those of the attempts before.');
}

function notRepeatable({ status }: ScheduledPayment): Error {
  const description = `The first attempt is ${status}; a new one follows on CANCELED_INSUFFICIENT_BALANCE or ERROR alone.`;
  return forbiddenByState('originalScheduledPaymentId', 'TRANSITION_NOT_ALLOWED', description);
}

function stillCharged(original: ScheduledPayment, { newAttempts }: CycleCharge): Error {
  const lastId = newAttempts.at(-1)?.id;
  if (lastId === undefined) return notRepeatable(original);
  const description = `The new attempt ${lastId} is open or was paid; one at a time is made.`;
  return forbiddenByState('originalScheduledPaymentId', 'TRANSITION_NOT_ALLOWED', description);
}
