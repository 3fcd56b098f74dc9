import type { Instant } from '../core/brasilia-time.ts';
import { triggersFrom } from '../core/transition.ts';
import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';
import type { ChargeCancellation, ChargeCancellationReason, ScheduledCharge } from './model.ts';
import { isOpenPayment, openChargeCancellation } from './model.ts';
import type { ScheduledPaymentMove } from './states.ts';
import { decideScheduledPayment, eventsOfCancellation, scheduledPaymentTransitions } from './states.ts';
import { commandDeadline } from './window.ts';

/** Reasons that a partner can give; the other two are the payer's bank's alone (BCB, camt.055: CCLD, FAIL). */
export const requestedReasons = [
  'ACCOUNT_CLOSURE',
  'ACCOUNT_BLOCKED',
  'OTHER_REASONS',
  'REQUESTED_BY_PAYER',
  'REQUESTED_BY_RECEIVER',
] as const satisfies readonly ChargeCancellationReason[];

type RequestedCancellation = {
  readonly id: string;
  readonly reason: (typeof requestedReasons)[number];
  readonly at: Instant;
};

/**
 * The payment with the partner's request to cancel it. In `INITIAL` no bank has it yet, so it is canceled at once.
 * @throws Refusal 409 in a final state, while another request is open, or from 22:00 of the eve of its settlement date
 * on.
 */
export function requestChargeCancellation(
  charge: ScheduledCharge,
  { id, reason, at }: RequestedCancellation,
): ScheduledPaymentMove & { readonly cancellation: ChargeCancellation } {
  const { payment, terms } = charge;
  const { status, settlementDate, endToEndId } = payment;
  if (!isOpenPayment(payment))
    throw transitionNotAllowed(status, 'A cancellation request', triggersFrom(scheduledPaymentTransitions, status));
  if (openChargeCancellation(payment) !== undefined)
    throw forbiddenByState(
      'paymentId',
      'TRANSITION_NOT_ALLOWED',
      'The payment has a cancellation request that is still open.',
    );
  if (at >= commandDeadline('CANCEL', payment))
    throw forbiddenByState(
      'paymentId',
      'OUTSIDE_WINDOW',
      `A payment can be canceled until 22:00 in Brasilia on the day before it settles, ${settlementDate}.`,
    );
  const customer = { document: terms.receiverDocument };
  const cancellation: ChargeCancellation = { id, status: 'PENDING', endToEndId, reason, canceledAt: at, customer };
  if (status === 'INITIAL') {
    const facts = { trigger: 'CANCELED', at, reason, customer } as const;
    const move = decideScheduledPayment(charge, facts, { cancellationId: id, orderId: id }, 'service');
    return { ...move, cancellation: { ...cancellation, status: 'ACCEPTED' } };
  }
  const untold = [...(payment.untold ?? []), 'CANCEL'] as const;
  const requested = { ...payment, cancellation, untold, version: payment.version + 1 };
  return { payment: requested, told: eventsOfCancellation(requested), cancellation };
}
