import type { Instant } from './brasilia-time.ts';
import type { Centavos } from './money.ts';
import { addCentavos, centavos, formatAmount, subtractCentavos } from './money.ts';
import { findMove, triggersFrom } from './moves.ts';
import type { Counterpart, OwnerBank } from './party.ts';
import type { BatchPayment, PaymentStatus, PayoutStatus } from './payout-batch.ts';
import { batchStatus, batchTotals } from './payout-batch.ts';
import { notFound, transitionNotAllowed } from './refusal.ts';

export const PAYMENT_METHODS = ['PIX', 'TED'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** How the receiver was named: decided by what `paymentData` holds (2.7). */
export const INITIATIONS = ['KEY', 'STATIC_QRCODE', 'DYNAMIC_QRCODE', 'MANUAL'] as const;
export type Initiation = (typeof INITIATIONS)[number];

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
  readonly idempotencyKey: string;
  /** `txid` of the QR code, if it has one. */
  readonly txid?: string;
  /** PIX. Of a batch, that of its first payment. */
  readonly endToEndId?: string;
  /** When it is first handed to the bank: at creation, or for a TED outside its window at the next opening. */
  readonly sendAt: Instant;
  readonly createdAt: Instant;

  readonly status: PayoutStatus;
  /** TED: given when it is sent. */
  readonly controlNumber?: string;
  readonly updatedAt: Instant;
  readonly paidAt?: Instant;
  readonly errorMessage?: string;
  /** Raised by every write, also by one to a payment of the batch. */
  readonly version: number;
};

/** A payout with the payments into which it was split; without any, it is one payment itself. */
export type PayoutWithPayments = { readonly payout: Payout; readonly payments: readonly BatchPayment[] };

export type PayoutTrigger = {
  readonly trigger: string;
  /** The payments of the batch that are meant, by their place; absent for everything that is still open. */
  readonly sequences?: readonly number[];
  readonly at: Instant;
  /** Why the bank could not pay, for `errorMessage`. */
  readonly reason?: string;
};

export type PayoutMove = {
  readonly after: PayoutWithPayments;
  /** The payments that moved: none when the payout was not split. */
  readonly moved: readonly BatchPayment[];
  /** Differences of the payer's balance, in centavos. */
  readonly balance: {
    readonly kind: 'PAYOUT_PAID' | 'PAYOUT_RETURNED';
    readonly available: Centavos;
    readonly reserved: Centavos;
  };
};

const FAILURE = 'The institution of the receiver did not accept the payment.';

/**
 * The payout after a trigger (section 3): some payments of a batch, or everything that is still open. Pure.
 *
 * @throws Refusal TRANSITION_NOT_ALLOWED (409) naming the present status and the moves allowed from it; NOT_FOUND when the
 * batch has no payment of that place.
 */
export function decidePayout({ payout, payments }: PayoutWithPayments, wanted: PayoutTrigger): PayoutMove {
  const status = statusAfter({ payout, payments }, wanted);
  const { sequences, at } = wanted;
  const result = outcome(status, wanted);
  const moved = payments
    .filter((payment) => payment.status === 'PENDING' && (sequences?.includes(payment.sequence) ?? true))
    .map((payment) => ({ ...payment, ...result }));
  const next = payments.map((payment) => moved.find((other) => other.sequence === payment.sequence) ?? payment);
  const split = payments.length > 0;
  const whole = split ? batchOutcome(next, at) : result;
  const amount = split ? addCentavos(...moved.map((payment) => payment.amount)) : payout.amount;
  return {
    after: { payout: { ...payout, ...whole, version: payout.version + 1 }, payments: next },
    moved,
    balance: spentOrReturned(status, amount),
  };
}

/** What the trigger makes of each thing that is meant; every one of them must allow it. */
function statusAfter({ payout, payments }: PayoutWithPayments, { trigger, sequences }: PayoutTrigger): PaymentStatus {
  const meant = sequences?.map((sequence) => payments.find((payment) => payment.sequence === sequence)) ?? [payout];
  const moves = meant.map((one) => {
    if (one === undefined) throw notFound('Order');
    const move = findMove('PAYOUT', one.status, trigger, 'bank');
    if (move === undefined) throw transitionNotAllowed(one.status, trigger, triggersFrom('PAYOUT', one.status));
    return move;
  });
  const [first] = moves;
  if (first === undefined) throw new RangeError('A move of no payment at all.');
  return first.to as PaymentStatus;
}

/** The payout as it was when it was created: every later fact is left out. */
export function payoutAsCreated({ payout, payments }: PayoutWithPayments): PayoutWithPayments {
  const { controlNumber, paidAt: _paidAt, errorMessage: _errorMessage, ...facts } = payout;
  const { createdAt: updatedAt, sendAt } = facts;
  // A TED that had to wait for its window had no control number yet.
  const sent = controlNumber !== undefined && sendAt === updatedAt ? { controlNumber } : {};
  return {
    payout: { ...facts, ...sent, status: 'PENDING', updatedAt, version: 1 },
    payments: payments.map(({ sequence, amount, endToEndId }) => {
      return { sequence, amount, endToEndId, status: 'PENDING', updatedAt };
    }),
  };
}

/** Whether nothing about the payout can change any more. */
export function isFinal({ status }: Pick<Payout, 'status'>): boolean {
  return status !== 'PENDING';
}

type Outcome<S> = {
  readonly status: S;
  readonly updatedAt: Instant;
  readonly paidAt?: Instant;
  readonly errorMessage?: string;
};

function outcome(status: PaymentStatus, { at, reason }: PayoutTrigger): Outcome<PaymentStatus> {
  switch (status) {
    case 'PAID':
      return { status, updatedAt: at, paidAt: at };
    case 'ERROR':
      return { status, updatedAt: at, errorMessage: reason ?? FAILURE };
    case 'CANCELED':
    case 'PENDING':
      return { status, updatedAt: at };
  }
}

function batchOutcome(payments: readonly BatchPayment[], at: Instant): Outcome<PayoutStatus> {
  const status = batchStatus(payments);
  if (status === 'PAID') return { status, updatedAt: at, paidAt: at };
  if (status === 'ERROR' || status === 'PARTIALLY_PAID')
    return { status, updatedAt: at, errorMessage: unpaidMessage(payments) };
  return { status, updatedAt: at };
}

/** The amounts, so that nobody who reads only this pays the whole again. */
function unpaidMessage(payments: readonly BatchPayment[]): string {
  const { transactionsCount, paidCount, paidAmount, failedCount, failedAmount } = batchTotals(payments);
  const paid = `BRL ${formatAmount(paidAmount)} was paid in ${paidCount} of ${transactionsCount} payments`;
  return `${paid}; BRL ${formatAmount(failedAmount)} in ${failedCount} was not paid and is back in the account.`;
}

function spentOrReturned(status: PaymentStatus, amount: Centavos): PayoutMove['balance'] {
  const reserved = subtractCentavos(centavos(0), amount);
  if (status === 'PAID') return { kind: 'PAYOUT_PAID', available: centavos(0), reserved };
  return { kind: 'PAYOUT_RETURNED', available: amount, reserved };
}
