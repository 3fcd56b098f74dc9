import type { TransitionTable } from '#shared/core/transition.ts';
import { creditReturnTransitions, creditTransitions } from '#shared/credits/states.ts';
import { disputeTransitions } from '#shared/disputes/states.ts';
import { payInTransitions } from '#shared/pay-ins/states.ts';
import { payoutTransitions } from '#shared/payouts/states.ts';
import { keyValidationTransitions } from '#shared/pix-keys/states.ts';
import { refundTransitions } from '#shared/refunds/states.ts';
import { scheduledPaymentTransitions } from '#shared/scheduled-payments/states.ts';
import { subscriptionTransitions } from '#shared/subscriptions/states.ts';

/** The transitions of each resource (section 3 of the specification), for the API document and the simulation tools. */
export const transitions = {
  SUBSCRIPTION: subscriptionTransitions,
  SCHEDULED_PAYMENT: scheduledPaymentTransitions,
  PAY_IN: payInTransitions,
  REFUND: refundTransitions,
  PAYOUT: payoutTransitions,
  CREDIT: creditTransitions,
  CREDIT_RETURN: creditReturnTransitions,
  DISPUTE: disputeTransitions,
  KEY_VALIDATION: keyValidationTransitions,
} as const satisfies Readonly<Record<string, TransitionTable>>;
export type Resource = keyof typeof transitions;
