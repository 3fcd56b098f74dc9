import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';

/**
 * Why money moved. A batch of payouts moved as a whole is one move: it has the kind of its payments when they all went
 * the same way, else `PAYOUT_MOVED`.
 */
export const ledgerKinds = [
  'OPENING',
  'DEPOSIT',
  'PAY_IN',
  'REFUND_RESERVED',
  'REFUND_SETTLED',
  'REFUND_RETURNED',
  'REFUND',
  'REFUND_RECEIVED',
  'PAYOUT_RESERVED',
  'PAYOUT_PAID',
  'PAYOUT_RETURNED',
  'PAYOUT_MOVED',
  'PAYOUT_RECEIVED',
] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/** What explains a change of a balance; never changed. `available` and `reserved` are differences in centavos. */
export type LedgerEntry = {
  readonly id: string;
  readonly accountId: string;
  readonly kind: LedgerKind;
  /** The order that moved the money; an opening and a deposit have none. */
  readonly orderId?: string;
  readonly available: Centavos;
  readonly reserved: Centavos;
  readonly at: Instant;
};
