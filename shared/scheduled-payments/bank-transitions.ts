import type { ChargeAttempt, RecurringChargeState } from '../bank/ports/recurring-charges.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { nextStatus } from '../core/transition.ts';
import type {
  ChargeCancellationReason,
  Resender,
  ScheduledCharge,
  ScheduledPayment,
  ScheduledPaymentStatus,
} from './model.ts';
import type { ChargeEvent } from './states.ts';
import { markAccepted, scheduledPaymentTransitions } from './states.ts';

type AttemptStatus = ChargeAttempt['history'][number]['status'];

/** The code recorded for an error if the bank gives none: a code of the payer's bank. */
export const codeOfUnknownError = 'AB10';

/** Status of a payment by the final status of its attempt. */
const endOf: Partial<Readonly<Record<AttemptStatus, ScheduledPaymentStatus>>> = {
  PAID: 'COMPLETED',
  REJECTED: 'REJECTED',
  EXPIRED: 'CANCELED_INSUFFICIENT_BALANCE',
  CANCELED: 'CANCELED',
};

/** Why an attempt was canceled (BCB, API Pix, `encerramento.cancelamento.codigo`; camt.055). */
const cancellationReasons: Readonly<Record<string, ChargeCancellationReason>> = {
  ACCT: 'ACCOUNT_CLOSURE',
  BLCK: 'ACCOUNT_BLOCKED',
  CCLD: 'AUTHORIZATION_CANCELED',
  SLBD: 'REQUESTED_BY_PAYER',
  SLCR: 'REQUESTED_BY_RECEIVER',
};
const settlementError = 'FAIL';
const resendKind = 'RESEND_DUE_TO_SETTLEMENT_ERROR';

/**
 * Finds the attempt of a payment among those of its cobr: by its end-to-end id, else the first attempt of its purpose
 * on or after its settlement date, because the bank may have moved the day. Several resends share a day: a resend
 * without an end-to-end id is found by its place among them.
 */
export function attemptOf(
  { attempts }: RecurringChargeState,
  { endToEndId, purpose, settlementDate, settlementErrorRetryAttempt = 1 }: ScheduledPayment,
): ChargeAttempt | undefined {
  const ofKind = attempts.filter(({ kind }) => kind === purpose);
  const own = ofKind.find((attempt) => attempt.endToEndId === endToEndId);
  if (own !== undefined) return own;
  if (purpose !== resendKind)
    return ofKind.filter(({ day }) => day >= settlementDate).toSorted((a, b) => (a.day < b.day ? -1 : 1))[0];
  return endToEndId === undefined ? resendsOf(attempts, settlementDate)[settlementErrorRetryAttempt - 1] : undefined;
}

/** Finds the next resend after a payment, which the bank created by itself. */
export function resendOf(
  { attempts }: RecurringChargeState,
  { settlementDate, settlementErrorRetryAttempt = 0 }: ScheduledPayment,
): ChargeAttempt | undefined {
  return resendsOf(attempts, settlementDate)[settlementErrorRetryAttempt];
}

/** Returns the resends of a day in the order in which the bank lists them, which is their order in the chain. */
function resendsOf(attempts: readonly ChargeAttempt[], settlementDate: string): readonly ChargeAttempt[] {
  return attempts.filter(({ kind, day }) => kind === resendKind && day === settlementDate);
}

/** Returns the payment with the bank's end-to-end id and day. A bank that has the attempt has the command. */
export function withAttempt(
  charge: ScheduledCharge,
  { endToEndId, day: settlementDate }: ChargeAttempt,
): ScheduledCharge {
  const { payment } = charge;
  const isKnown = payment.endToEndId === endToEndId && payment.settlementDate === settlementDate;
  if (isKnown && payment.pendingCommands?.includes('SCHEDULE') !== true) return charge;
  return { ...charge, payment: { ...markAccepted(payment, 'SCHEDULE'), endToEndId, settlementDate } };
}

/** Returns the next event of a payment towards the bank's state of its attempt. */
export function nextMove(
  { status }: ScheduledPayment,
  { history, code }: ChargeAttempt,
  resentBy: Resender,
): ChargeEvent | undefined {
  return history
    .flatMap(({ status: reportedStatus, at }) => eventsOf(reportedStatus, code, at, resentBy))
    .find(({ trigger }) => nextStatus(scheduledPaymentTransitions, status, trigger, 'bankAlone') !== undefined);
}

/** Returns the events of an attempt's status, in order: a settled one was accepted before, even if unreported. */
function eventsOf(
  reportedStatus: AttemptStatus,
  code: string | undefined,
  at: Instant,
  resentBy: Resender,
): readonly ChargeEvent[] {
  const errorCode = code ?? codeOfUnknownError;
  switch (reportedStatus) {
    case 'REQUESTED':
      return [];
    case 'SCHEDULED':
      return [{ trigger: 'ACCEPTED', at }];
    case 'PAID':
      return (['ACCEPTED', 'COMPLETED'] as const).map((trigger) => ({ trigger, at }));
    case 'REJECTED':
      return (['REJECTED', 'ERROR'] as const).map((trigger) => ({ trigger, at, errorCode }));
    case 'EXPIRED':
      return [{ trigger: 'CANCELED_INSUFFICIENT_BALANCE', at }];
    case 'CANCELED':
      if (code === settlementError) return [{ trigger: 'CANCELED_SETTLEMENT_ERROR', at, resentBy }];
      return [{ trigger: 'CANCELED', at, reason: cancellationReasons[code ?? ''] ?? 'OTHER_REASONS' }];
  }
}

/** Whether the bank reports another final status. An open attempt is no contradiction: it may be an older response. */
export function isContradiction(payment: ScheduledPayment, { history }: ChargeAttempt): boolean {
  const last = history.at(-1)?.status;
  const end = last && endOf[last];
  if (end === undefined || end === payment.status) return false;
  return !(last === 'REJECTED' && payment.status === 'ERROR');
}

/** Whether the bank reports another end-to-end id than that of the completed payment. */
export function isPaidOtherwise(
  { status, endToEndId }: ScheduledPayment,
  { history, endToEndId: reportedEndToEndId }: ChargeAttempt,
): boolean {
  return status === 'COMPLETED' && history.at(-1)?.status === 'PAID' && reportedEndToEndId !== endToEndId;
}
