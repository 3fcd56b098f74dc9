import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import type { Counterpart, OwnerBank } from '../core/party.ts';
import { pick } from '../core/pick.ts';

export const payInStatuses = ['PENDING', 'PAID', 'CANCELED', 'EXPIRED', 'ERROR', 'REFUNDED'] as const;
export type PayInStatus = (typeof payInStatuses)[number];
/** Statuses with a notification of their own (6.2). The notification of the refund reports `REFUNDED`. */
export const notifiedPayInStatuses = ['PAID', 'EXPIRED', 'CANCELED', 'ERROR'] as const satisfies PayInStatus[];
export type NotifiedPayInStatus = (typeof notifiedPayInStatuses)[number];

/** Money to be received (2.6). The image of the QR code is rendered from `qrcodeData` when it is read. */
export type PayIn = {
  readonly id: string;
  readonly externalId: string;
  readonly accountId: string;
  /** The shard of the account's balance that its money is credited to. Absent: the first. */
  readonly shard?: number;
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
  /** The client whose request created it; absent for what the service or the bank created. */
  readonly createdBy?: string;
  readonly updatedAt: Instant;
  readonly paidAt?: Instant;
  readonly refundedAt?: Instant;
  /** The amount that has gone back so far; absent until a part has, and when it went back whole. */
  readonly refundedAmount?: Centavos;
  /** The amount that went back by disputes, and when the last of it did. */
  readonly returnedByDisputes?: Centavos;
  readonly disputeReturnedAt?: Instant;
  /** The dispute of its payment that the bank has not decided. */
  readonly disputeId?: string;
  readonly canceledAt?: Instant;
  /** The client whose request canceled it. */
  readonly canceledBy?: string;
  readonly expiredAt?: Instant;
  readonly payer: Counterpart;
  /** The company's own account whose payout paid the pay-in. A refund returns the money to this account. */
  readonly payerAccountId?: string;
  readonly ownerBank: OwnerBank;
  /**
   * The subscription of the order, with its `externalId` as `code`, and the scheduled payment that the order settles.
   */
  readonly subscription?: {
    readonly id: string;
    readonly code: string;
    readonly scheduledPayment?: { readonly id: string; readonly externalId: string };
  };
  /** The connection to the bank that has the charge; absent for the simulated bank. */
  readonly connection?: string;
  readonly version: number;
};

/** Whether the bank refused the charge, so that there never was a QR code. */
function isRefused({ status, qrcodeData }: PayIn): boolean {
  return status === 'ERROR' && qrcodeData === '';
}

/**
 * Returns the pay-in as the answer to its creation shows it. A pay-in that the bank refused never changed.
 */
export function createdPayIn({ createdBy: _by, ...payIn }: PayIn): PayIn {
  if (isRefused(payIn)) return payIn;
  const { id, externalId, accountId, amount, description, payer, ownerBank, createdAt } = payIn;
  const { qrcodeData, conciliationId, expireDateTime } = payIn;
  return {
    id,
    externalId,
    accountId,
    amount,
    description,
    payer,
    ownerBank,
    createdAt,
    qrcodeData,
    conciliationId,
    expireDateTime,
    ...pick(payIn, 'subscription', 'connection'),
    status: 'PENDING',
    updatedAt: createdAt,
    version: 1,
  };
}
