import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { centavos, subtractCentavos } from '../core/money.ts';
import type { TransitionTable } from '../core/transition.ts';
import { nextStatus, triggersFrom } from '../core/transition.ts';
import type { PayIn } from '../pay-ins/model.ts';
import type { BalanceEffect } from '../pay-ins/states.ts';
import { errorMessageOf, payInTransitions } from '../pay-ins/states.ts';
import type { PayInWithRefunds, Refund, RefundStatus } from './model.ts';
import { openRefund } from './model.ts';
import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';

/** Section 3 of the specification, row by row (`bank`), and what the service does by itself (`service`). */
export const refundTransitions = {
  bank: [
    ['PENDING', 'SETTLED', 'SETTLED'],
    ['PENDING', 'FAILED', 'FAILED'],
  ],
  service: [],
} as const satisfies TransitionTable<RefundStatus>;

export type RefundEvent =
  | { readonly outcome: 'SETTLED'; readonly at: Instant; readonly endToEndId: string }
  | { readonly outcome: 'FAILED'; readonly code?: string; readonly reason: string };

export type RefundDecision = { readonly payIn: PayIn; readonly refund: Refund; readonly balance: BalanceEffect };

/** Days after the payment in which a devolução can be requested (BCB, Pix API). */
const refundableDays = 90;

/** Most refunds of one pay-in, so that an order is read in one page. All but the last have failed. */
export const maxRefunds = 50;

/**
 * Creates a refund of the whole amount, `PENDING` until the bank settles or fails it.
 * @throws RequestError 409 when the pay-in is not paid, has an open refund, was paid over 90 days ago, or has had 50
 * refunds.
 */
export function requestRefund(
  { payIn, refunds }: PayInWithRefunds,
  { id, at, description }: { readonly id: string; readonly at: Instant; readonly description?: string | undefined },
): Refund {
  const { id: orderId, status, amount, paidAt } = payIn;
  if (status !== 'PAID' || paidAt === undefined)
    throw transitionNotAllowed(status, 'A refund', triggersFrom(payInTransitions, status));
  if (openRefund(refunds) !== undefined)
    throw forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', 'The status is PAID and a refund is open already.');
  if (at > plusSeconds(paidAt, refundableDays * 86_400))
    throw forbiddenByState('id', 'EXPIRED', `A pay-in can be refunded within ${refundableDays} days of its payment.`);
  if (refunds.length >= maxRefunds)
    throw forbiddenByState('id', 'LIMIT_EXCEEDED', `A pay-in can have ${maxRefunds} refunds; all of them failed.`);
  const text = description === undefined ? {} : { description };
  return { id, orderId, amount, status: 'PENDING', ...text, createdAt: at };
}

/**
 * Returns pay-in and refund after a bank event (section 3; docs/decisions/014). A settled refund takes its reserved
 * amount, a failed one makes it available again. A refund that the bank made by itself is recorded under `id` and takes
 * available money. Pure. @throws RequestError by section 3
 */
export function decideRefund(
  { payIn, refunds }: PayInWithRefunds,
  event: RefundEvent,
  { at, id }: { readonly at: Instant; readonly id: string },
): RefundDecision {
  const { id: orderId, amount, status } = payIn;
  const open = openRefund(refunds);
  const updated = { ...payIn, updatedAt: at, version: payIn.version + 1 };
  const nothing = centavos(0);
  const debit = subtractCentavos(nothing, amount);
  if (event.outcome === 'FAILED') {
    const failed = open && nextStatus(refundTransitions, open.status, 'FAILED', 'bank');
    if (open === undefined || failed === undefined)
      throw transitionNotAllowed(status, 'The failure of a refund', triggersFrom(payInTransitions, status));
    const refund = { ...open, status: failed, errorMessage: errorMessageOf(event) };
    return { payIn: updated, refund, balance: { kind: 'REFUND_RETURNED', available: amount, reserved: debit } };
  }
  const next = nextStatus(payInTransitions, status, 'REFUNDED', 'bank');
  if (next === undefined) throw transitionNotAllowed(status, 'REFUNDED', triggersFrom(payInTransitions, status));
  const { at: settledAt, endToEndId } = event;
  const refunded = { ...updated, status: next, refundedAt: settledAt };
  const settled = { status: 'SETTLED', settledAt, endToEndId } as const;
  return open === undefined
    ? {
        payIn: refunded,
        refund: { id, orderId, amount, createdAt: at, ...settled },
        balance: { kind: 'REFUND', available: debit, reserved: nothing },
      }
    : {
        payIn: refunded,
        refund: { ...open, ...settled },
        balance: { kind: 'REFUND_SETTLED', available: nothing, reserved: debit },
      };
}
