import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import type { Counterpart, OwnerBank } from '../core/party.ts';
import type { BatchPayment, PayoutStatus } from './batch.ts';
import type { PaymentData } from './target.ts';

export const paymentMethods = ['PIX', 'TED'] as const;
type PaymentMethod = (typeof paymentMethods)[number];

/** How the receiver was named: decided by what `paymentData` holds (2.7). */
export const initiations = ['KEY', 'STATIC_QRCODE', 'DYNAMIC_QRCODE', 'MANUAL'] as const;
export type Initiation = (typeof initiations)[number];

/**
 * The receiver is another account of the same company: it is credited in the transaction in which the payout is paid.
 * `payInId`: the payout pays this charge of the company, which then becomes `PAID` together with it.
 */
export type InternalReceiver = { readonly accountId: string; readonly payInId?: string };

/** Money to be sent (2.7). What is known at creation never changes; the rest is what became of it. */
export type Payout = {
  readonly id: string;
  readonly externalId: string;
  readonly accountId: string;
  readonly paymentMethod: PaymentMethod;
  readonly initiation: Initiation;
  readonly amount: Centavos;
  readonly description: string;
  readonly receiver: Counterpart;
  readonly ownerBank: OwnerBank;
  readonly internal?: InternalReceiver;
  readonly idempotencyKey: string;
  /** `txid` of the QR code, if it has one. */
  readonly txid?: string;
  /** Where the money was asked to go, as it was written. */
  readonly paymentData: PaymentData;
  /** PIX. Of a batch, that of its first payment. */
  readonly endToEndId?: string;
  /** When it is first handed to the bank: at creation, or for a TED outside its window at the next opening. */
  readonly sendAt: Instant;
  readonly createdAt: Instant;

  readonly status: PayoutStatus;
  /** TED: given when it is sent, or settled without having been sent. */
  readonly controlNumber?: string;
  readonly updatedAt: Instant;
  readonly paidAt?: Instant;
  readonly errorMessage?: string;
  /** Of a batch: how many of its payments are open, for the conditions of the moves that leave some open. */
  readonly openPayments?: number;
  /** Raised by every write, also by one to a payment of the batch. */
  readonly version: number;
};

/** A payout with the payments into which it was split; without any, it is one payment itself. */
export type PayoutWithPayments = { readonly payout: Payout; readonly payments: readonly BatchPayment[] };

/** The payout as it was when it was created: every later fact is left out. */
export function createdPayout({ payout, payments }: PayoutWithPayments): PayoutWithPayments {
  const { controlNumber, paidAt: _paidAt, errorMessage: _errorMessage, ...facts } = payout;
  const { createdAt: updatedAt, sendAt } = facts;
  // A TED that had to wait for its window had no control number yet.
  const opened = facts.openPayments === undefined ? {} : { openPayments: payments.length };
  const sent = controlNumber !== undefined && sendAt === updatedAt ? { controlNumber } : {};
  return {
    payout: { ...facts, ...sent, ...opened, status: 'PENDING', updatedAt, version: 1 },
    payments: payments.map(({ sequence, amount, endToEndId }) => {
      return { sequence, amount, endToEndId, status: 'PENDING', updatedAt };
    }),
  };
}

/** Whether nothing about the payout can change any more. */
export function isFinal({ status }: Pick<Payout, 'status'>): boolean {
  return status !== 'PENDING';
}
