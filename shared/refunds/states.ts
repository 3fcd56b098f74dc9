import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds, timeAfter } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { addCentavos, centavos, formatAmount, subtractCentavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { requireUndisputed } from '../disputes/states.ts';
import type { TransitionTable } from '../core/transition.ts';
import { nextStatus, triggersFrom } from '../core/transition.ts';
import type { PayIn } from '../pay-ins/model.ts';
import type { BalanceEffect } from '../pay-ins/states.ts';
import { errorMessageOf } from '../core/spi-codes.ts';
import { payInTransitions } from '../pay-ins/states.ts';
import type { PayInWithRefunds, Refund, RefundStatus } from './model.ts';
import { goneBackOf, refundableAmount } from './model.ts';
import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';
import type { ReturnEvent, ReturnSettled } from '../core/return-event.ts';

/** Section 3 of the specification, row by row (`bank`), and what the service does by itself (`service`). */
export const refundTransitions = {
  bank: [
    ['PENDING', 'SETTLED', 'SETTLED'],
    ['PENDING', 'FAILED', 'FAILED'],
  ],
  service: [],
} as const satisfies TransitionTable<RefundStatus>;

export type RefundDecision = { readonly payIn: PayIn; readonly refund: Refund; readonly balance: BalanceEffect };

/** Days after the payment in which a devolução can be requested (BCB, Pix API). */
const refundableDays = 90;

/** Most refunds that a partner requests of one pay-in, so that an order is read in one page. */
export const maxRefunds = 50;

type RefundRequest = {
  readonly id: string;
  readonly at: Instant;
  /** Absent: all that is left. */
  readonly amount?: Centavos | undefined;
  readonly description?: string | undefined;
  readonly createdBy?: string;
};

/**
 * Creates a refund, `PENDING` until the bank settles or fails it.
 * @throws RequestError 409 when the pay-in is not paid, was paid over 90 days ago, has less left than the amount, or
 * has had 50 refunds
 */
export function requestRefund(order: PayInWithRefunds, request: RefundRequest): Refund {
  const { id, at, amount } = request;
  const { id: orderId, status, paidAt } = order.payIn;
  if (status !== 'PAID' || paidAt === undefined)
    throw transitionNotAllowed(status, 'A refund', triggersFrom(payInTransitions, status));
  requireUndisputed(order.payIn);
  const left = refundableAmount(order);
  if (left < Math.max(1, amount ?? 0))
    throw forbiddenByState('amount', 'LIMIT_EXCEEDED', `Of this pay-in ${formatAmount(left)} can still be refunded.`);
  if (at > plusSeconds(paidAt, refundableDays * 86_400))
    throw forbiddenByState('id', 'EXPIRED', `A pay-in can be refunded within ${refundableDays} days of its payment.`);
  if (order.refunds.length >= maxRefunds)
    throw forbiddenByState('id', 'LIMIT_EXCEEDED', `A pay-in can have ${maxRefunds} refunds.`);
  return {
    id,
    orderId,
    amount: amount ?? left,
    status: 'PENDING',
    ...pick(request, 'description', 'createdBy'),
    createdAt: at,
  };
}

/**
 * Returns pay-in and refund after a bank event (section 3; docs/decisions/014). A settled refund takes its reserved
 * amount, a failed one makes it available again. When all has gone back, the pay-in is `REFUNDED`. Pure.
 * @throws RequestError by section 3
 */
export function decideRefund(
  { payIn, refunds }: PayInWithRefunds,
  refund: Refund,
  event: ReturnEvent,
  at: Instant,
): RefundDecision {
  const status = nextStatus(refundTransitions, refund.status, event.outcome, 'bank');
  if (status === undefined)
    throw transitionNotAllowed(refund.status, event.outcome, triggersFrom(refundTransitions, refund.status));
  const nothing = centavos(0);
  const debit = subtractCentavos(nothing, refund.amount);
  if (event.outcome === 'FAILED')
    return {
      payIn: { ...payIn, updatedAt: timeAfter(payIn.updatedAt, at), version: payIn.version + 1 },
      refund: { ...refund, status, decidedAt: at, errorMessage: errorMessageOf(event) },
      balance: { kind: 'REFUND_RETURNED', available: refund.amount, reserved: debit },
    };
  return {
    payIn: payInAfter({ payIn, refunds }, refund, event.at, at),
    refund: { ...refund, status, decidedAt: at, settledAt: event.at, endToEndId: event.endToEndId },
    balance: { kind: 'REFUND_SETTLED', available: nothing, reserved: debit },
  };
}

/**
 * Returns the pay-in after a return that the bank made by itself, of all that is left, and its record under `id`. It
 * takes available money. Pure. @throws RequestError by section 3, and when nothing is left
 */
export function decideBankRefund(
  order: PayInWithRefunds,
  { at: settledAt, endToEndId }: ReturnSettled,
  { at, id }: { readonly at: Instant; readonly id: string },
): RefundDecision {
  requireUndisputed(order.payIn);
  const amount = refundableAmount(order);
  const { id: orderId } = order.payIn;
  const made = { createdAt: at, decidedAt: at, settledAt } as const;
  const refund = { id, orderId, amount, ...made, status: 'SETTLED', endToEndId } as const;
  const balance = { kind: 'REFUND', available: subtractCentavos(centavos(0), amount), reserved: centavos(0) } as const;
  return { payIn: payInAfter(order, refund, settledAt, at), refund, balance };
}

/**
 * The pay-in once a refund has settled: `REFUNDED` when all has gone back, else `PAID` with what has. Partners order
 * notifications by `updatedAt`, so it always grows. Parts settle in any order: `refundedAt` is the time of the latest.
 */
function payInAfter(
  { payIn, refunds }: PayInWithRefunds,
  { amount }: Pick<Refund, 'amount'>,
  settledAt: Instant,
  at: Instant,
): PayIn {
  const next = nextStatus(payInTransitions, payIn.status, 'REFUNDED', 'bank');
  if (next === undefined)
    throw transitionNotAllowed(payIn.status, 'REFUNDED', triggersFrom(payInTransitions, payIn.status));
  const refundedAmount = addCentavos(goneBackOf({ payIn, refunds }), amount);
  const isWhole = refundedAmount === payIn.amount;
  const times = [settledAt, payIn.disputeReturnedAt ?? '', ...refunds.map(({ settledAt: time = '' }) => time)];
  const refundedAt = times.reduce((last, time) => (time > last ? time : last));
  return {
    ...payIn,
    updatedAt: timeAfter(payIn.updatedAt, at),
    version: payIn.version + 1,
    ...(isWhole && { status: next, refundedAt }),
    ...(amount !== payIn.amount && { refundedAmount }),
  };
}

/** Returns the pay-in while its payment is in a dispute. */
export function disputedPayIn(payIn: PayIn, disputeId: string): PayIn {
  return { ...payIn, disputeId, version: payIn.version + 1 };
}

/**
 * Returns the pay-in when the dispute of its payment has ended. @param returned what went back by it
 * @throws RequestError by section 3
 */
export function payInAfterDispute(order: PayInWithRefunds, returned: Centavos, at: Instant): PayIn {
  const { disputeId: _ended, ...payIn } = order.payIn;
  if (returned === 0) return { ...payIn, version: payIn.version + 1 };
  const returnedByDisputes = addCentavos(payIn.returnedByDisputes ?? centavos(0), returned);
  return {
    ...payInAfter({ ...order, payIn }, { amount: returned }, at, at),
    returnedByDisputes,
    disputeReturnedAt: at,
  };
}
