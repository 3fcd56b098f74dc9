import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import type { Submitted } from '../core/resubmission.ts';
import type { Counterpart, OwnerBank } from '../core/party.ts';
import type { PaymentData } from './target.ts';
import { maxChildren } from '../core/identifiers.ts';
import { addCentavos, centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';

export const paymentMethods = ['PIX', 'TED'] as const;
type PaymentMethod = (typeof paymentMethods)[number];

/** How the request named the receiver: it follows from `paymentData` (2.7). */
export const initiations = ['KEY', 'STATIC_QRCODE', 'DYNAMIC_QRCODE', 'MANUAL'] as const;
export type Initiation = (typeof initiations)[number];

/** The receiver is an account of the company, credited in the same transaction. `payInId`: the charge that it pays. */
export type InternalReceiver = { readonly accountId: string; readonly payInId?: string };

/** A payout (2.7). Facts of the creation never change; the other fields describe its progress. */
export type Payout = Submitted & {
  readonly id: string;
  readonly externalId: string;
  readonly accountId: string;
  /** The shard of the account's balance that holds its money reserved. Absent: the first. */
  readonly shard?: number;
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
  /** The target as the caller wrote it. */
  readonly paymentData: PaymentData;
  /** PIX, once the bank has given it. A batch has the end-to-end id of its first payment. */
  readonly endToEndId?: string;
  /** The first response had no end-to-end id, so replays have none either. */
  readonly endToEndIdIsLate?: boolean;
  /** When it is first submitted: at creation, or for a TED outside its window at the next opening. */
  readonly sendAt: Instant;
  readonly createdAt: Instant;
  /** The client whose request created it; absent for what the service or the bank created. */
  readonly createdBy?: string;

  readonly status: PayoutStatus;
  /** TED: set when it is sent, or when it is settled without having been sent. */
  readonly controlNumber?: string;
  readonly updatedAt: Instant;
  readonly paidAt?: Instant;
  readonly errorMessage?: string;
  /** Number of open payments of a batch, for the write conditions of its transitions. */
  readonly openPayments?: number;
  /** The connection to the bank that pays it; absent for the simulated bank. */
  readonly connection?: string;
  /** What came back of it after it was paid. */
  readonly returnedAmount?: Centavos;
  /**
   * Raised by every transition, also of a payment of the batch, by the sending of a TED, and by a late end-to-end id of
   * the payout.
   */
  readonly version: number;
};

/** A payout with the payments into which it was split; without any, it is one payment itself. */
export type PayoutWithPayments = { readonly payout: Payout; readonly payments: readonly BatchPayment[] };

/** Returns the payout as it was at its creation, without later facts. */
export function createdPayout({ payout, payments }: PayoutWithPayments): PayoutWithPayments {
  const { controlNumber, paidAt: _paidAt, errorMessage: _errorMessage, ...created } = payout;
  const { dueSubmissions: _submissions, acceptedAt: _acceptedAt, returnedAmount: _returned, ...others } = created;
  const facts = withFirstEndToEndId(others);
  const { createdAt: updatedAt, sendAt } = facts;
  // A TED that had to wait for its window had no control number yet.
  const opened = facts.openPayments === undefined ? {} : { openPayments: payments.length };
  const sent = controlNumber !== undefined && sendAt === updatedAt ? { controlNumber } : {};
  return {
    payout: { ...facts, ...sent, ...opened, status: 'PENDING', updatedAt, version: 1 },
    payments: payments.map((payment) => {
      return {
        ...withFirstEndToEndId(pick(payment, 'sequence', 'amount', ...endToEndIdFields)),
        status: 'PENDING',
        updatedAt,
      };
    }),
  };
}

const endToEndIdFields = ['endToEndId', 'endToEndIdIsLate'] as const;

/** The first response had the end-to-end id only if the bank had given it by then. */
function withFirstEndToEndId<T extends Pick<Payout, (typeof endToEndIdFields)[number]>>(payment: T) {
  const { endToEndId, endToEndIdIsLate, ...others } = payment;
  return endToEndId === undefined || endToEndIdIsLate === true ? others : { ...others, endToEndId };
}

export function isFinal({ status }: Pick<Payout, 'status'>): boolean {
  return status !== 'PENDING';
}

export const paymentStatuses = ['PENDING', 'PAID', 'CANCELED', 'ERROR'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];
/** Statuses of a payout: a split one can also end with only some of its payments paid. */
export const payoutStatuses = [...paymentStatuses, 'PARTIALLY_PAID'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];
/** Statuses in notifications (6.4): there a payout that was paid in part is an `ERROR`. */
export const notifiedPayoutStatuses = ['PAID', 'CANCELED', 'ERROR'] as const satisfies PayoutStatus[];

/** One of the payments into which a payout was split (2.8, `transactions`). */
export type BatchPayment = {
  /** Its place in the batch, from 1. */
  readonly sequence: number;
  readonly amount: Centavos;
  readonly status: PaymentStatus;
  readonly endToEndId?: string;
  readonly endToEndIdIsLate?: boolean;
  readonly updatedAt: Instant;
  readonly paidAt?: Instant;
  readonly errorMessage?: string;
};

/** Counters and amounts of a batch (2.8): computed from its payments, never stored. */
export type BatchTotals = {
  readonly transactionsCount: number;
  readonly paidCount: number;
  readonly failedCount: number;
  readonly pendingCount: number;
  readonly paidAmount: Centavos;
  readonly pendingAmount: Centavos;
  readonly failedAmount: Centavos;
};

/** Splits an amount into as many payments of the limit as fit and one of the rest; undefined for more than 90. */
export function splitAmount(amount: Centavos, limit: Centavos): readonly Centavos[] | undefined {
  if (limit <= 0) throw new RangeError(`The limit of a transaction cannot be ${limit} centavos.`);
  const count = Math.ceil(amount / limit);
  if (count > maxChildren) return undefined;
  return Array.from({ length: count }, (_, index) => centavos(Math.min(limit, amount - index * limit)));
}

/** The idempotency key of a payment (2.8): the first has the payout's key, the others that key with `-2`, `-3`, …. */
export function paymentKey(idempotencyKey: string, sequence: number): string {
  return sequence === 1 ? idempotencyKey : `${idempotencyKey}-${sequence}`;
}

export function batchTotals(payments: readonly BatchPayment[]): BatchTotals {
  const paid = payments.filter(({ status }) => status === 'PAID');
  const pending = payments.filter(({ status }) => status === 'PENDING');
  const failed = payments.filter(({ status }) => status === 'ERROR' || status === 'CANCELED');
  return {
    transactionsCount: payments.length,
    paidCount: paid.length,
    failedCount: failed.length,
    pendingCount: pending.length,
    paidAmount: sum(paid),
    pendingAmount: sum(pending),
    failedAmount: sum(failed),
  };
}

/** `PENDING` while a payment is open, `PAID` when all are paid, `PARTIALLY_PAID` when some are, else `ERROR`. */
export function batchStatus(payments: readonly BatchPayment[]): PayoutStatus {
  const { pendingCount, paidCount, transactionsCount } = batchTotals(payments);
  if (pendingCount > 0) return 'PENDING';
  if (paidCount === transactionsCount) return 'PAID';
  return paidCount > 0 ? 'PARTIALLY_PAID' : 'ERROR';
}

function sum(payments: readonly BatchPayment[]): Centavos {
  return addCentavos(...payments.map(({ amount }) => amount));
}
