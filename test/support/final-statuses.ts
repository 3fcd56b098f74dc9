import type { Resource } from '#functions/transitions.ts';

/**
 * Section 3 of the specification: nothing moves a resource from these. `PAID` is final for a payout; a pay-in that is
 * `PAID` can be refunded.
 */
export const finalStatuses: Readonly<Record<Resource, readonly string[]>> = {
  SUBSCRIPTION: ['REJECTED', 'CANCELED', 'ERROR'],
  SCHEDULED_PAYMENT: ['REJECTED', 'COMPLETED', 'ERROR', 'CANCELED', 'CANCELED_INSUFFICIENT_BALANCE'],
  PAY_IN: ['EXPIRED', 'CANCELED', 'REFUNDED', 'ERROR'],
  REFUND: ['SETTLED', 'FAILED'],
  PAYOUT: ['PAID', 'CANCELED', 'ERROR', 'PARTIALLY_PAID'],
  CREDIT: ['ASSIGNED', 'RETURNED'],
  CREDIT_RETURN: ['SETTLED', 'FAILED'],
  DISPUTE: ['ACCEPTED', 'REJECTED', 'CANCELED'],
  KEY_VALIDATION: ['REFUSED', 'EXPIRED', 'BLOCKED', 'REMOVED'],
};
