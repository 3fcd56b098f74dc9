import type { Instant } from './brasilia-time.ts';
import { plusSeconds } from './brasilia-time.ts';
import type { Centavos } from './money.ts';
import { triggersFrom } from './moves.ts';
import type { PayIn } from './pay-in.ts';
import { forbiddenByState, transitionNotAllowed } from './refusal.ts';

/** The return of a pay-in's whole amount. `PENDING` from the request, its amount reserved, until the bank settles it. */
export type Refund = {
  /** 32 hexadecimal digits: the `id` of a devolução in the BCB's Pix API. */
  readonly id: string;
  readonly orderId: string;
  readonly amount: Centavos;
  readonly status: 'PENDING' | 'SETTLED';
  readonly description?: string;
  readonly createdAt: Instant;
  readonly settledAt?: Instant;
  /** `rtrId`, `D…`: known when settled. */
  readonly endToEndId?: string;
};

/** The refund that waits for the bank; at most one at a time. */
export function openRefund(refunds: readonly Refund[]): Refund | undefined {
  return refunds.find(({ status }) => status === 'PENDING');
}

/** How long after the payment a refund may be asked for, in seconds: the 90 days of a devolução (BCB, Pix API). */
const REFUNDABLE_SECONDS = 90 * 86_400;

/**
 * The refund that a partner asks for: of the whole amount, and pending until the bank settles it.
 * @throws Refusal 409 when the pay-in is not paid, is being refunded already, or was paid more than 90 days ago.
 */
export function requestRefund(
  { payIn, refunds }: { readonly payIn: PayIn; readonly refunds: readonly Refund[] },
  { id, at, description }: { readonly id: string; readonly at: Instant; readonly description?: string | undefined },
): Refund {
  const { id: orderId, status, amount, paidAt } = payIn;
  if (status !== 'PAID' || paidAt === undefined)
    throw transitionNotAllowed(status, 'A refund', triggersFrom('PAY_IN', status));
  if (openRefund(refunds) !== undefined)
    throw forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', 'The status is PAID and a refund is open already.');
  if (at > plusSeconds(paidAt, REFUNDABLE_SECONDS))
    throw forbiddenByState('id', 'EXPIRED', 'A pay-in can be refunded within 90 days of its payment.');
  const text = description === undefined ? {} : { description };
  return { id, orderId, amount, status: 'PENDING', ...text, createdAt: at };
}
