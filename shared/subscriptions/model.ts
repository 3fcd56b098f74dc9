import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import type { Document } from '../core/document.ts';
import type { Centavos } from '../core/money.ts';
import type { OwnerBank, Party } from '../core/party.ts';

export const subscriptionTypes = ['AUTHORIZATION_QRCODE', 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT'] as const;
export const subscriptionStatuses = [
  'INITIAL',
  'PENDING_AUTHORIZATION',
  'ACCEPTED',
  'REJECTED',
  'CANCELED',
  'ERROR',
] as const;
export const frequencies = ['WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL'] as const;
export const cancellationStatuses = ['INITIAL', 'PENDING', 'ACCEPTED', 'REJECTED', 'ERROR'] as const;
export const cancellationReasons = [
  'ACCOUNT_CANCELLATION',
  'PAYER_DECEASED',
  'REQUESTED_BY_PAYER',
  'REQUESTED_BY_RECEIVER',
  'FRAUD_SUSPICION',
] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];
export type CancellationStatus = (typeof cancellationStatuses)[number];
type CancellationReason = (typeof cancellationReasons)[number];
type History<S> = readonly { readonly status: S; readonly createdAt: Instant }[];

/** The payer's account as the acceptance of a recurrence names it (2.4, `payer.bankData`). */
type PayerAccount = { readonly ispb: string; readonly accountNumber: string; readonly branchNumber?: string };

export type Payer = { readonly name?: string; readonly document: Document; readonly bankData?: PayerAccount };

/** A recurrence of PIX Automático (2.4). The image of the QR code is rendered from `qrcodeData` when it is read. */
export type Subscription = {
  readonly id: string;
  /** The bank's id of the recurrence; empty, like `qrcodeData`, for one that the bank refused. */
  readonly providerId: string;
  readonly type: (typeof subscriptionTypes)[number];
  readonly status: SubscriptionStatus;
  readonly statusHistory: History<SubscriptionStatus>;
  readonly qrcodeData: string;
  readonly initialCharge?: {
    /** Absent when the bank refused the recurrence: then no order was created. */
    readonly orderId?: string;
    readonly expireDateTime: Instant;
    readonly conciliationId: string;
    readonly amount: Centavos;
  };
  readonly allowChargeAfterDueDate: boolean;
  readonly allowAdjustToBusinessDay: boolean;
  readonly frequencyType: (typeof frequencies)[number];
  readonly startDate: LocalDate;
  readonly endDate?: LocalDate;
  readonly fixedAmount?: Centavos;
  readonly maxAmountFloor?: Centavos;
  readonly debtor: Party;
  /** The party expected to pay the first charge of journey 3, if not the debtor. */
  readonly expectedPayer?: Party;
  readonly receiver: { readonly id: string; readonly fullName: string; readonly document: Document };
  /** The receiver's account as the notifications of its charges show it, copied at creation. */
  readonly ownerBank: OwnerBank;
  /** The payer that the bank names at acceptance: the expected one is never taken for the real one. */
  readonly payer?: Payer;
  readonly description?: string;
  readonly webhookUrl: string;
  readonly externalId: string;
  readonly createdAt: Instant;
  /** The client whose request created it, and the one whose request changed its address last. */
  readonly createdBy?: string;
  readonly updatedBy?: string;
  readonly updatedAt: Instant;
  /** The connection to the bank that has the recurrence; absent for the simulated bank. */
  readonly connection?: string;
  /** Number of its cancellation requests. They are items of their own, of which a transition reads only the latest. */
  readonly cancellationsCount: number;
  readonly version: number;
};

/** A request to end a recurrence (2.5). */
export type Cancellation = {
  readonly id: string;
  readonly subscriptionId: string;
  /** Its place among the requests, from 1. Times cannot order them: those of two machines may be equal or reversed. */
  readonly sequence: number;
  readonly idempotencyKey: string;
  readonly status: CancellationStatus;
  readonly statusHistory: History<CancellationStatus>;
  readonly reason: CancellationReason;
  readonly customer: { readonly document: Document };
  readonly createdAt: Instant;
  /** The client whose request created it; absent for what the service or the bank created. */
  readonly createdBy?: string;
  readonly updatedAt: Instant;
};

/** The end of a recurrence by the service, which is still to be submitted to its bank or was submitted. */
export type Withdrawal = {
  readonly subscriptionId: string;
  /** The bank's id of the recurrence, and the connection to that bank. */
  readonly recurrenceId: string;
  readonly connection: string;
  readonly createdAt: Instant;
  /** When it was last claimed for submission: since then the bank may have it. */
  readonly takenAt?: Instant;
};

/** `cancellations` oldest first: all of them for a record, the latest for a transition. */
export type SubscriptionWithCancellations = {
  readonly subscription: Subscription;
  readonly cancellations: readonly Cancellation[];
};

/** Days after the due date within which new attempts are made (BCB, `PERMITE_3R_7D`). */
export const newAttemptDays = 7;

/** Where a scheduled payment stands in the list of its subscription. */
export type PaymentEntry = { readonly id: string; readonly dueDate: LocalDate };

export function expectedPayerOf({ expectedPayer, debtor }: Pick<Subscription, 'expectedPayer' | 'debtor'>): Party {
  return expectedPayer ?? debtor;
}

export function openCancellation(cancellations: readonly Cancellation[]): Cancellation | undefined {
  return cancellations.find(({ status }) => status === 'INITIAL' || status === 'PENDING');
}

/**
 * Returns a request as the answer to it shows it: open, or a withdrawal, which is accepted immediately.
 */
export function cancellationAsCreated({ createdBy: _by, ...cancellation }: Cancellation): Cancellation {
  const { createdAt, statusHistory } = cancellation;
  const asCreated = statusHistory.slice(0, 2);
  return {
    ...cancellation,
    status: asCreated.at(-1)?.status ?? 'PENDING',
    statusHistory: asCreated,
    updatedAt: createdAt,
  };
}
