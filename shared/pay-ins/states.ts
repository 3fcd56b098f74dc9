import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { errorMessageOf } from '../core/spi-codes.ts';
import type { Actor, TransitionTable } from '../core/transition.ts';
import { nextStatus, triggersFrom } from '../core/transition.ts';
import type { Counterpart } from '../core/party.ts';
import type { PayIn, PayInStatus } from './model.ts';
import { transitionNotAllowed } from '../core/errors.ts';

/** Section 3 of the specification, row by row (`bank`), and what the service does by itself (`service`). */
export const payInTransitions = {
  bank: [
    ['PENDING', 'PAID', 'PAID'],
    ['PENDING', 'CANCELED', 'CANCELED'],
    ['PENDING', 'EXPIRED', 'EXPIRED'],
    ['PENDING', 'ERROR', 'ERROR'],
    ['PAID', 'REFUNDED', 'REFUNDED'],
  ],
  service: [
    ['PENDING', 'EXPIRED', 'EXPIRED'],
    ['PENDING', 'CANCELED', 'CANCELED'],
  ],
} as const satisfies TransitionTable<PayInStatus>;

/**
 * The outcome of a charge at the bank. `payer`: the actual payer, if the bank gives name and document. It replaces the
 * expected payer as a whole: name and account of two persons are never mixed.
 */
export type PayInEvent =
  | { readonly outcome: 'PAID'; readonly at: Instant; readonly endToEndId: string; readonly payer?: Counterpart }
  | { readonly outcome: 'CANCELED'; readonly canceledBy?: string }
  | { readonly outcome: 'EXPIRED' }
  | { readonly outcome: 'ERROR'; readonly code?: string; readonly reason: string };

/** The effect of a transition on the account: differences in centavos. */
export type BalanceEffect = {
  readonly kind: 'PAY_IN' | 'REFUND_SETTLED' | 'REFUND' | 'REFUND_RETURNED';
  readonly available: Centavos;
  readonly reserved: Centavos;
};

type PayInDecision = { readonly payIn: PayIn; readonly balance?: BalanceEffect };

/** The pay-in after an event (section 3), and its effect on the balance. Pure. @throws RequestError by section 3 */
export function decidePayIn(payIn: PayIn, event: PayInEvent, at: Instant, by: Actor = 'bank'): PayInDecision {
  const { outcome: trigger } = event;
  const status = nextStatus(payInTransitions, payIn.status, trigger, by);
  if (status === undefined)
    throw transitionNotAllowed(payIn.status, trigger, triggersFrom(payInTransitions, payIn.status));
  const next = { ...payIn, status, updatedAt: at, version: payIn.version + 1 };
  switch (event.outcome) {
    case 'PAID': {
      const { at: paidAt, endToEndId, payer = payIn.payer } = event;
      const balance = { kind: 'PAY_IN', available: payIn.amount, reserved: centavos(0) } as const;
      return { payIn: { ...next, paidAt, endToEndId, payer }, balance };
    }
    case 'CANCELED':
      return { payIn: { ...next, canceledAt: at, ...pick(event, 'canceledBy') } };
    case 'EXPIRED':
      return { payIn: { ...next, expiredAt: at } };
    case 'ERROR':
      return { payIn: { ...next, errorMessage: errorMessageOf(event) } };
  }
}
