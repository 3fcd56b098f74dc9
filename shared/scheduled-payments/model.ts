import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import type { Document } from '../core/document.ts';
import type { Centavos } from '../core/money.ts';
import type { Counterpart, OwnerBank } from '../core/party.ts';

export const scheduledPaymentStatuses = [
  'INITIAL',
  'PENDING',
  'ACCEPTED',
  'REJECTED',
  'COMPLETED',
  'ERROR',
  'CANCELED',
  'CANCELED_INSUFFICIENT_BALANCE',
] as const;
export type ScheduledPaymentStatus = (typeof scheduledPaymentStatuses)[number];

/** Purposes that a partner may request; the service creates the third after a settlement error (6.5). */
export const requestedPurposes = ['FIRST_ATTEMPT', 'NEW_ATTEMPT_AFTER_DUE_DATE'] as const;
export const purposes = [...requestedPurposes, 'RESEND_DUE_TO_SETTLEMENT_ERROR'] as const;
type Purpose = (typeof purposes)[number];

export const chargeCancellationStatuses = ['PENDING', 'ACCEPTED', 'REJECTED'] as const;
export const chargeCancellationReasons = [
  'ACCOUNT_CLOSURE',
  'ACCOUNT_BLOCKED',
  'AUTHORIZATION_CANCELED',
  'SETTLEMENT_ERROR',
  'OTHER_REASONS',
  'REQUESTED_BY_PAYER',
  'REQUESTED_BY_RECEIVER',
] as const;
export type ChargeCancellationReason = (typeof chargeCancellationReasons)[number];
/** Reasons that a partner can give. Only the payer's bank gives the other two (BCB, camt.055: CCLD, FAIL). */
export const requestedReasons = [
  'ACCOUNT_CLOSURE',
  'ACCOUNT_BLOCKED',
  'OTHER_REASONS',
  'REQUESTED_BY_PAYER',
  'REQUESTED_BY_RECEIVER',
] as const satisfies readonly ChargeCancellationReason[];

/** The cancellation of a scheduled payment, requested or done (6.5). */
export type ChargeCancellation = {
  readonly id: string;
  readonly status: (typeof chargeCancellationStatuses)[number];
  /** Absent until the bank has given it. */
  readonly endToEndId?: string;
  readonly reason: ChargeCancellationReason;
  readonly canceledAt: Instant;
  /** The client whose request it is; absent for what the service or the bank canceled. */
  readonly createdBy?: string;
  readonly customer: { readonly document: Document };
};

/** The sender of a resend after a settlement error: the service (`us`) or the bank. It depends on the bank. */
export const resenders = ['us', 'bank'] as const;
export type Resender = (typeof resenders)[number];

/** Commands about a payment to its bank, in this order. */
export const chargeCommands = ['SCHEDULE', 'CANCEL'] as const;
export type ChargeCommand = (typeof chargeCommands)[number];

/** One charge of a recurrence (cobr; 4.9, 6.5; docs/decisions/016). Its `ChargeTerms` never change. */
export type ScheduledPayment = {
  readonly id: string;
  readonly externalId: string;
  readonly subscriptionId: string;
  readonly status: ScheduledPaymentStatus;
  readonly statusHistory: readonly { readonly status: ScheduledPaymentStatus; readonly createdAt: Instant }[];
  readonly amount: Centavos;
  readonly dueDate: LocalDate;
  /** The due date, or the Monday after it where the subscription moves weekends. Deadlines are counted from it. */
  readonly settlementDate: LocalDate;
  readonly description?: string;
  readonly purpose: Purpose;
  /** The payment that a resend repeats, or the first attempt before a new attempt. */
  readonly originalScheduledPaymentId?: string;
  /** The partner's payment that began the chain of a resend. */
  readonly settlementErrorRetryRootId?: string;
  /** Place of a resend in the chain, 1 to 3. */
  readonly settlementErrorRetryAttempt?: number;
  readonly orderId?: string;
  /** Absent until the bank has given it. */
  readonly endToEndId?: string;
  readonly errorCode?: string;
  /** The last cancellation: a further request replaces a rejected one. */
  readonly cancellation?: ChargeCancellation;
  readonly createdAt: Instant;
  /** The client whose request created it; absent for what the service or the bank created. */
  readonly createdBy?: string;
  readonly updatedAt: Instant;
  /** When a payment in `INITIAL` becomes `PENDING`. */
  readonly releaseAt?: Instant;
  /** Set while a payment that a settlement error canceled waits for its resend: time of the error, and sender. */
  readonly scheduledRetry?: { readonly since: Instant; readonly by: Resender };
  /** Commands that the bank may not have, absent when it has all. */
  readonly pendingCommands?: readonly ChargeCommand[];
  /** When the bank is polled; absent when the bank reports by itself, and once nothing is left to poll. */
  readonly pollAt?: Instant;
  readonly version: number;
};

/** Facts copied at the creation into an item of their own: a transition writes little and reads no other resource. */
export type ChargeTerms = {
  readonly subscription: { readonly id: string; readonly code: string };
  readonly recurrenceId: string;
  /** The subscription's address when the payment was created: each attempt of a notification reads the current one. */
  readonly webhookUrl: string;
  readonly accountId: string;
  readonly ownerBank: OwnerBank;
  readonly payer: Counterpart;
  readonly receiverDocument: Document;
  /** First day of the charged cycle, and the id of the cycle's first attempt. */
  readonly cycle: LocalDate;
  readonly firstAttemptId: string;
  /** A setting of the subscription. */
  readonly allowAdjustToBusinessDay: boolean;
  /** The connection to the bank that has the recurrence; absent for the simulated bank. */
  readonly connection?: string;
  /** Fingerprint of the request that created it; a resend has none. */
  readonly fingerprint?: string;
};

export type ScheduledCharge = { readonly payment: ScheduledPayment; readonly terms: ChargeTerms };

/** Whether a transition is still possible (section 3). */
export function isOpenPayment({ status }: Pick<ScheduledPayment, 'status'>): boolean {
  return status === 'INITIAL' || status === 'PENDING' || status === 'ACCEPTED';
}

/** The request to cancel that the bank has not answered. */
export function openChargeCancellation({ cancellation }: ScheduledPayment): ChargeCancellation | undefined {
  return cancellation?.status === 'PENDING' ? cancellation : undefined;
}

/** The `txid` of a payment at the bank: the 32 hexadecimal digits of its id (API Pix: 26 to 35 alphanumerics). */
export function chargeReference({ id }: Pick<ScheduledPayment, 'id'>): string {
  return id.replaceAll('-', '');
}
