import type { Instant } from './brasilia-time.ts';
import type { Centavos } from './money.ts';
import { centavos, subtractCentavos } from './money.ts';
import type { Move } from './moves.ts';
import { findMove, triggersFrom } from './moves.ts';
import type { Counterpart, BankData, OwnerBank } from './party.ts';
import { transitionNotAllowed } from './refusal.ts';
import type { Refund } from './refund.ts';
import { openRefund } from './refund.ts';

export const PAY_IN_STATUSES = ['PENDING', 'PAID', 'CANCELED', 'EXPIRED', 'ERROR', 'REFUNDED'] as const;
export type PayInStatus = (typeof PAY_IN_STATUSES)[number];

/** Money to be received (2.6). The image of the QR code is rendered from `qrcodeData` when it is read. */
export type PayIn = {
  readonly id: string;
  readonly externalId: string;
  readonly accountId: string;
  readonly status: PayInStatus;
  readonly errorMessage?: string;
  /** Empty for the settlement of a scheduled payment, which has no QR code. */
  readonly qrcodeData: string;
  readonly expireDateTime: Instant;
  readonly amount: Centavos;
  readonly description: string;
  /** The charge's `txid`. */
  readonly conciliationId: string;
  readonly endToEndId?: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly paidAt?: Instant;
  readonly refundedAt?: Instant;
  readonly canceledAt?: Instant;
  readonly expiredAt?: Instant;
  readonly payer: Counterpart;
  readonly ownerBank: OwnerBank;
  /** Set when the order came from a subscription: its id and its external code. */
  readonly subscription?: { readonly id: string; readonly code: string };
  readonly version: number;
};

/** What a bank's callback brings along; made up by the simulation tools in the formats of the field. */
export type PayInCallback = {
  readonly at: Instant;
  readonly endToEndId: string;
  readonly payerBank: BankData;
  readonly refund: { readonly id: string; readonly endToEndId: string };
};

/** What an applied move did to the account: differences in centavos. */
export type BalanceEffect = {
  readonly kind: 'PAY_IN' | 'REFUND_SETTLED' | 'REFUND';
  readonly available: Centavos;
  readonly reserved: Centavos;
};

const NOTHING = centavos(0);

export type PayInMove = {
  readonly payIn: PayIn;
  readonly balance?: BalanceEffect;
  readonly refund?: Refund;
};

/**
 * The pay-in after a trigger (section 3), with what follows from it. Pure.
 * @throws Refusal TRANSITION_NOT_ALLOWED naming the present status and the moves allowed from it.
 */
export function decidePayIn(
  { payIn, refunds }: { payIn: PayIn; refunds: readonly Refund[] },
  trigger: string,
  callback: PayInCallback,
  by: Move['by'] = 'bank',
): PayInMove {
  const move = findMove('PAY_IN', payIn.status, trigger, by);
  if (move === undefined) throw transitionNotAllowed(payIn.status, trigger, triggersFrom('PAY_IN', payIn.status));
  const { at } = callback;
  const status = move.to as PayInStatus;
  const moved: PayIn = { ...payIn, status, updatedAt: at, version: payIn.version + 1 };
  switch (status) {
    case 'PAID':
      return {
        payIn: {
          ...moved,
          paidAt: at,
          endToEndId: callback.endToEndId,
          payer: { ...payIn.payer, bank: callback.payerBank },
        },
        balance: { kind: 'PAY_IN', available: payIn.amount, reserved: NOTHING },
      };
    case 'CANCELED':
      return { payIn: { ...moved, canceledAt: at } };
    case 'EXPIRED':
      return { payIn: { ...moved, expiredAt: at } };
    case 'ERROR':
      return { payIn: { ...moved, errorMessage: 'The institution of the payer could not complete the payment.' } };
    case 'REFUNDED':
      return refunded({ ...moved, refundedAt: at }, refunds, callback);
    case 'PENDING':
      throw new Error('No move leads back to PENDING.');
  }
}

/** A refund that was requested has its amount reserved already; one that the bank makes by itself takes it from what is available. */
function refunded(payIn: PayIn, refunds: readonly Refund[], { at, refund }: PayInCallback): PayInMove {
  const open = openRefund(refunds);
  const settled = { status: 'SETTLED', settledAt: at, endToEndId: refund.endToEndId } as const;
  if (open !== undefined)
    return {
      payIn,
      refund: { ...open, ...settled },
      balance: { kind: 'REFUND_SETTLED', available: NOTHING, reserved: subtractCentavos(NOTHING, payIn.amount) },
    };
  return {
    payIn,
    refund: { id: refund.id, orderId: payIn.id, amount: payIn.amount, createdAt: at, ...settled },
    balance: { kind: 'REFUND', available: subtractCentavos(NOTHING, payIn.amount), reserved: NOTHING },
  };
}
