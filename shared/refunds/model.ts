import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import type { Submitted } from '../core/resubmission.ts';
import { addCentavos, centavos, subtractCentavos } from '../core/money.ts';
import type { PayIn } from '../pay-ins/model.ts';

export const refundStatuses = ['PENDING', 'SETTLED', 'FAILED'] as const;
export type RefundStatus = (typeof refundStatuses)[number];
/** Event and status of the notification of a final refund (6.3). */
export const notifiedRefundStatuses = {
  SETTLED: { event: 'ORDER-PAYIN.REFUNDED', status: 'REFUNDED' },
  FAILED: { event: 'ORDER-PAYIN.REFUND_FAILED', status: 'FAILED' },
} as const satisfies Readonly<Record<Exclude<RefundStatus, 'PENDING'>, object>>;

/** A refund of a pay-in, whole or in part: `PENDING`, with its amount reserved, until the bank settles or fails it. */
export type Refund = Submitted & {
  /** 32 hexadecimal digits: the `id` of a devolução in the BCB's Pix API. */
  readonly id: string;
  readonly orderId: string;
  readonly amount: Centavos;
  readonly status: RefundStatus;
  readonly description?: string;
  readonly createdAt: Instant;
  /** The client whose request created it; absent for what the service or the bank created. */
  readonly createdBy?: string;
  readonly settledAt?: Instant;
  /** When the service applied the bank's decision, and booked it; absent where an earlier release did. */
  readonly decidedAt?: Instant;
  /** `rtrId`, `D…`: known when settled. */
  readonly endToEndId?: string;
  /** Why the refund failed. Begins with the bank's code if there is one. */
  readonly errorMessage?: string;
};

export type PayInWithRefunds = { readonly payIn: PayIn; readonly refunds: readonly Refund[] };

/** The refunds that wait for the bank. */
export function openRefunds(refunds: readonly Refund[]): readonly Refund[] {
  return refunds.filter(({ status }) => status === 'PENDING');
}

/** The amount that the bank has refunded. */
export function settledAmount(refunds: readonly Refund[]): Centavos {
  return amountOf(refunds.filter(({ status }) => status === 'SETTLED'));
}

/** The amount that has gone back: by refunds that settled, and by disputes. */
export function goneBackOf({ payIn, refunds }: PayInWithRefunds): Centavos {
  return addCentavos(payIn.returnedByDisputes ?? centavos(0), settledAmount(refunds));
}

/** The amount that can still be refunded: what was paid, without what went back or is on its way. */
export function refundableAmount({ payIn, refunds }: PayInWithRefunds): Centavos {
  const { amount, returnedByDisputes = centavos(0) } = payIn;
  const asked = amountOf(refunds.filter(({ status }) => status !== 'FAILED'));
  return subtractCentavos(amount, addCentavos(returnedByDisputes, asked));
}

function amountOf(refunds: readonly Refund[]): Centavos {
  return addCentavos(...refunds.map(({ amount }) => amount));
}

/** Returns the refunds of a pay-in, newest first. Refunds of the same instant are in descending order of their ids. */
export function newestFirst(refunds: readonly Refund[]): readonly Refund[] {
  const rank = ({ createdAt, id }: Refund): string => `${createdAt} ${id}`;
  return refunds.toSorted((a, b) => (rank(a) < rank(b) ? 1 : -1));
}
