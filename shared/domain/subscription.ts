import type { Instant, LocalDate } from './brasilia-time.ts';
import type { Document } from './document.ts';
import type { Centavos } from './money.ts';
import type { Move } from './moves.ts';
import { findMove, triggersFrom } from './moves.ts';
import type { Party } from './party.ts';
import { forbiddenByState, transitionNotAllowed } from './refusal.ts';

export const SUBSCRIPTION_TYPES = ['AUTHORIZATION_QRCODE', 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT'] as const;
export const SUBSCRIPTION_STATUSES = [
  'INITIAL',
  'PENDING_AUTHORIZATION',
  'ACCEPTED',
  'REJECTED',
  'CANCELED',
  'ERROR',
] as const;
export const FREQUENCIES = ['WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL'] as const;
export const CANCELLATION_STATUSES = ['INITIAL', 'PENDING', 'ACCEPTED', 'REJECTED', 'ERROR'] as const;
export const CANCELLATION_REASONS = [
  'ACCOUNT_CANCELLATION',
  'PAYER_DECEASED',
  'REQUESTED_BY_PAYER',
  'REQUESTED_BY_RECEIVER',
  'FRAUD_SUSPICION',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];
export type CancellationStatus = (typeof CANCELLATION_STATUSES)[number];
export type CancellationReason = (typeof CANCELLATION_REASONS)[number];
type History<S> = readonly { readonly status: S; readonly createdAt: Instant }[];

/** The payer's account as the acceptance of a recurrence names it (2.4, `payer.bankData`). */
export type PayerAccount = { readonly ispb: string; readonly accountNumber: string; readonly branchNumber?: string };

/** A recurrence of PIX Automático (2.4). The image of the QR code is rendered from `qrcodeData` when it is read. */
export type Subscription = {
  readonly id: string;
  readonly providerId: string;
  readonly type: (typeof SUBSCRIPTION_TYPES)[number];
  readonly status: SubscriptionStatus;
  readonly statusHistory: History<SubscriptionStatus>;
  readonly qrcodeData: string;
  readonly initialCharge?: {
    readonly orderId: string;
    readonly expireDateTime: Instant;
    readonly conciliationId: string;
    readonly amount: Centavos;
  };
  readonly allowChargeAfterDueDate: boolean;
  readonly allowAdjustToBusinessDay: boolean;
  readonly frequencyType: (typeof FREQUENCIES)[number];
  readonly startDate: LocalDate;
  readonly endDate?: LocalDate;
  readonly fixedAmount?: Centavos;
  readonly maxAmountFloor?: Centavos;
  readonly debtor: Party;
  /** Who is expected to pay the first charge of journey 3, if not the debtor. */
  readonly expectedPayer?: Party;
  readonly receiver: { readonly id: string; readonly fullName: string; readonly document: Document };
  /** Known once the recurrence is accepted. */
  readonly payer?: { readonly name?: string; readonly document: Document; readonly bankData?: PayerAccount };
  readonly description?: string;
  readonly webhookUrl: string;
  readonly externalId: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly version: number;
};

/** A request to end a recurrence (2.5). */
export type Cancellation = {
  readonly id: string;
  readonly subscriptionId: string;
  readonly idempotencyKey: string;
  readonly status: CancellationStatus;
  readonly statusHistory: History<CancellationStatus>;
  readonly reason: CancellationReason;
  readonly customer: { readonly document: Document };
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
};

export type SubscriptionWithCancellations = {
  readonly subscription: Subscription;
  readonly cancellations: readonly Cancellation[];
};

export type SubscriptionEvent =
  'SUBSCRIPTION.ACCEPTED' | 'SUBSCRIPTION.REJECTED' | 'SUBSCRIPTION.CANCELED' | 'SUBSCRIPTION.CANCELLATION.REJECTED';

/** What a bank's callback brings along. */
export type SubscriptionCallback = {
  readonly at: Instant;
  readonly payerAccount: PayerAccount;
  readonly cancellationId: string;
};

export type SubscriptionMove = {
  readonly subscription: Subscription;
  /** The cancellation request that the move answers, as it is afterwards. */
  readonly cancellation?: Cancellation;
  readonly event: SubscriptionEvent;
};

/** Who pays: known from the acceptance on, before that the debtor. */
export function payerOf({ expectedPayer, debtor }: Subscription): Party {
  return expectedPayer ?? debtor;
}

export function openCancellation(cancellations: readonly Cancellation[]): Cancellation | undefined {
  return cancellations.find(({ status }) => status === 'INITIAL' || status === 'PENDING');
}

/**
 * The subscription after a trigger (section 3), with the cancellation request it answers. Pure.
 * @throws Refusal TRANSITION_NOT_ALLOWED naming the present status and the moves allowed from it.
 */
export function decideSubscription(
  { subscription, cancellations }: SubscriptionWithCancellations,
  trigger: string,
  callback: SubscriptionCallback,
  by: Move['by'] = 'bank',
): SubscriptionMove {
  const { status } = subscription;
  const move = findMove('SUBSCRIPTION', status, trigger, by);
  if (move === undefined) throw transitionNotAllowed(status, trigger, triggersFrom('SUBSCRIPTION', status));
  const { at } = callback;
  const to = move.to as SubscriptionStatus;
  const statusHistory =
    to === status ? subscription.statusHistory : [...subscription.statusHistory, { status: to, createdAt: at }];
  const moved: Subscription = {
    ...subscription,
    status: to,
    statusHistory,
    updatedAt: at,
    version: subscription.version + 1,
  };
  if (trigger === 'ACCEPTED') {
    const payer = { ...payerOf(subscription), bankData: callback.payerAccount };
    return { subscription: { ...moved, payer }, event: 'SUBSCRIPTION.ACCEPTED' };
  }
  if (trigger === 'REJECTED') return { subscription: moved, event: 'SUBSCRIPTION.REJECTED' };
  const accepted = to === 'CANCELED';
  const request = openCancellation(cancellations) ?? payersRequest(subscription, callback);
  return {
    subscription: moved,
    cancellation: answered(request, accepted ? 'ACCEPTED' : 'REJECTED', at),
    event: accepted ? 'SUBSCRIPTION.CANCELED' : 'SUBSCRIPTION.CANCELLATION.REJECTED',
  };
}

/**
 * A new request to end the recurrence, sent to the bank at once: `PENDING`, with `INITIAL` in its history.
 * @throws Refusal when the subscription is not `ACCEPTED` or another request is open (409).
 */
export function requestCancellation(
  { subscription, cancellations }: SubscriptionWithCancellations,
  request: Pick<Cancellation, 'id' | 'idempotencyKey' | 'reason'> & {
    readonly at: Instant;
    readonly customer?: Cancellation['customer'];
  },
): Cancellation {
  if (subscription.status !== 'ACCEPTED')
    throw transitionNotAllowed(
      subscription.status,
      'A cancellation request',
      triggersFrom('SUBSCRIPTION', subscription.status),
    );
  if (openCancellation(cancellations) !== undefined)
    throw forbiddenByState(
      'id',
      'TRANSITION_NOT_ALLOWED',
      'The subscription has a cancellation request that is still open.',
    );
  const { at, id, idempotencyKey, reason } = request;
  const customer = request.customer ?? { document: subscription.receiver.document };
  return opened({
    id,
    subscriptionId: subscription.id,
    idempotencyKey,
    reason,
    customer,
    createdAt: at,
    updatedAt: at,
  });
}

/** A request as it was when it was made: open, whatever the bank answered since. */
export function cancellationAsMade(cancellation: Cancellation): Cancellation {
  const { createdAt, statusHistory } = cancellation;
  return { ...cancellation, status: 'PENDING', statusHistory: statusHistory.slice(0, 2), updatedAt: createdAt };
}

/** The payer ended the recurrence at his own bank: no request of ours came before. */
function payersRequest(subscription: Subscription, { at, cancellationId: id }: SubscriptionCallback): Cancellation {
  const { document } = subscription.payer ?? payerOf(subscription);
  const reason = 'REQUESTED_BY_PAYER';
  return opened({
    id,
    subscriptionId: subscription.id,
    idempotencyKey: id,
    reason,
    customer: { document },
    createdAt: at,
    updatedAt: at,
  });
}

function opened(request: Omit<Cancellation, 'status' | 'statusHistory'>): Cancellation {
  const statusHistory = (['INITIAL', 'PENDING'] as const).map((status) => ({ status, createdAt: request.createdAt }));
  return { ...request, status: 'PENDING', statusHistory };
}

function answered(request: Cancellation, status: CancellationStatus, at: Instant): Cancellation {
  return { ...request, status, statusHistory: [...request.statusHistory, { status, createdAt: at }], updatedAt: at };
}
