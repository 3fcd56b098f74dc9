import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { plusDays } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { formatAmount } from '../core/money.ts';
import { forbiddenByState, wrong } from '../core/errors.ts';
import type { ScheduledCharge, ScheduledPayment, ScheduledPaymentStatus } from './model.ts';
import { commandDeadline } from './window.ts';

/** New attempts after the due date: so many, on different days, within so many days (BCB, `PERMITE_3R_7D`). */
const maxNewAttempts = 3;
const newAttemptDays = 7;

/**
 * How the charge of a cycle ended unpaid. `FREE`: refused or canceled, another first attempt may be made. `FAILED`: an
 * error; either another first attempt, or new attempts of this one. `UNPAID`: the day is over, only new attempts are
 * left.
 */
export type CycleEnd = 'FREE' | 'FAILED' | 'UNPAID';

/** The charge of a cycle: one item a cycle, so that two first attempts, or two open attempts, cannot be. */
export type CycleCharge = {
  readonly firstAttemptId: string;
  readonly firstSettlementDate: LocalDate;
  readonly amount: Centavos;
  /** `TAKEN` while an attempt is open, and for ever once one is paid. */
  readonly state: 'TAKEN' | Exclude<CycleEnd, 'FREE'>;
  /** New attempts after the due date, whatever became of them. */
  readonly newAttempts: readonly { readonly id: string; readonly settlementDate: LocalDate }[];
  readonly version: number;
};

/** States in which another first attempt may take the cycle over, beside a cycle that has none. */
export const replaceableStates: readonly CycleCharge['state'][] = ['FAILED'];

export function isReplaceable({ state }: CycleCharge): boolean {
  return replaceableStates.includes(state);
}

/** What an end without payment means for the cycle; after a new attempt the cycle has had its first one for good. */
export function cycleEndOf({ payment, terms }: ScheduledCharge, status: ScheduledPaymentStatus): CycleEnd {
  const root = payment.settlementErrorRetryRootId ?? payment.id;
  if (root !== terms.firstAttemptId || status === 'CANCELED_INSUFFICIENT_BALANCE') return 'UNPAID';
  return status === 'ERROR' ? 'FAILED' : 'FREE';
}

/** A cycle that a first attempt takes. */
export function firstChargeOf({ id, settlementDate, amount }: ScheduledPayment): CycleCharge {
  const first = { firstAttemptId: id, firstSettlementDate: settlementDate, amount };
  return { ...first, state: 'TAKEN', newAttempts: [], version: 1 };
}

/** The cycle with a further attempt in it, which takes it. */
export function addAttempt(charge: CycleCharge, { id, settlementDate }: ScheduledPayment): CycleCharge {
  const newAttempts = [...charge.newAttempts, { id, settlementDate }];
  return { ...charge, state: 'TAKEN', newAttempts, version: charge.version + 1 };
}

/**
 * All preconditions of a new attempt after the due date (BCB, Manual de Padrões, 4.1.4; docs/decisions/016).
 * @param charge of the cycle; undefined when its charge was refused or canceled
 * @throws Refusal 409 when the first attempt did not end for want of money or by an error, another attempt is open or
 * it is the fourth; 400 for a day or an amount outside the rules.
 */
export function requireNewAttempt(
  charge: CycleCharge | undefined,
  wanted: {
    readonly original: ScheduledPayment;
    readonly settlementDate: LocalDate;
    readonly amount: Centavos;
    readonly nextCycle: LocalDate;
    readonly at: Instant;
  },
): CycleCharge {
  const { original, settlementDate, amount, nextCycle, at } = wanted;
  if (charge?.firstAttemptId !== original.id) throw notRepeatableRefusal(original);
  if (charge.state === 'TAKEN') throw stillChargedRefusal(original, charge);
  if (charge.newAttempts.length >= maxNewAttempts)
    throw forbiddenByState(
      'originalScheduledPaymentId',
      'LIMIT_EXCEEDED',
      `At most ${maxNewAttempts} new attempts are made.`,
    );
  if (amount !== charge.amount)
    throw wrong(
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
  const outside = (description: string): Error => wrong('dueDate', 'OUT_OF_RANGE', description);
  if (at >= commandDeadline('SCHEDULE', { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', settlementDate }))
    throw outside('Must be in the future: a new attempt is taken until 23:59 in Brasilia of the day before.');
  if (settlementDate <= firstSettlementDate)
    throw outside(`Must be after the day of the first attempt, ${firstSettlementDate}.`);
  if (settlementDate > last)
    throw outside(`Must be within ${newAttemptDays} days of the first attempt: ${last} at the latest.`);
  if (settlementDate >= nextCycle) throw outside(`Must be before the next cycle begins on ${nextCycle}.`);
  if (newAttempts.some((attempt) => attempt.settlementDate === settlementDate))
    throw outside('Must be another day than those of the attempts before.');
}

function notRepeatableRefusal({ status }: ScheduledPayment): Error {
  const description = `The first attempt is ${status}; a new one follows on CANCELED_INSUFFICIENT_BALANCE or ERROR alone.`;
  return forbiddenByState('originalScheduledPaymentId', 'TRANSITION_NOT_ALLOWED', description);
}

function stillChargedRefusal(original: ScheduledPayment, { newAttempts }: CycleCharge): Error {
  const lastId = newAttempts.at(-1)?.id;
  if (lastId === undefined) return notRepeatableRefusal(original);
  const description = `The new attempt ${lastId} is open or was paid; one at a time is made.`;
  return forbiddenByState('originalScheduledPaymentId', 'TRANSITION_NOT_ALLOWED', description);
}
