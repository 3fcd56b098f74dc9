import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { addCentavos, centavos, formatAmount, subtractCentavos } from '../core/money.ts';
import type { TransitionTable, TriggerOf } from '../core/transition.ts';
import { isTrigger, nextStatus, triggersFrom } from '../core/transition.ts';
import { errorMessageOf } from '../core/spi-codes.ts';
import type { BatchPayment, PaymentStatus, Payout, PayoutStatus, PayoutWithPayments } from './model.ts';
import { batchStatus, batchTotals } from './model.ts';
import { notFound, transitionNotAllowed } from '../core/errors.ts';

/** Section 3 of the specification, row by row (`bank`), and what the service does by itself (`service`). */
export const payoutTransitions = {
  bank: [
    ['PENDING', 'PAID', 'PAID'],
    ['PENDING', 'ERROR', 'ERROR'],
    ['PENDING', 'CANCELED', 'CANCELED'],
  ],
  service: [],
} as const satisfies TransitionTable<PayoutStatus>;

/**
 * The outcome of one payment at the bank: paid, with end-to-end id or control number; failed, with an SPI code; or
 * canceled.
 */
export type PayoutEvent =
  | { readonly outcome: 'PAID'; readonly at: Instant; readonly endToEndId?: string; readonly controlNumber?: string }
  | { readonly outcome: 'ERROR'; readonly code?: string; readonly reason: string; readonly endToEndId?: string }
  | { readonly outcome: 'CANCELED'; readonly endToEndId?: string };

/** The outcome of one payment. `sequence`: its place in a batch; absent for a payout that was not split. */
export type PaymentEvent = { readonly sequence?: number; readonly event: PayoutEvent };

export type PayoutDecision = {
  readonly after: PayoutWithPayments;
  readonly changed: readonly BatchPayment[];
  readonly balance: {
    readonly kind: 'PAYOUT_PAID' | 'PAYOUT_RETURNED' | 'PAYOUT_MOVED';
    readonly available: Centavos;
    readonly reserved: Centavos;
  };
  /** The credit to another account of the company. */
  readonly credit?: Credit;
};

/** Money for another account of the company. `orderId`: the payout, or the pay-in that the payout pays. */
type Credit = {
  readonly kind: 'PAYOUT_RECEIVED' | 'PAY_IN';
  readonly accountId: string;
  readonly orderId: string;
  readonly amount: Centavos;
};

/**
 * The payments that a trigger means: the one at `sequence`, else all open ones.
 * @throws RequestError TRANSITION_NOT_ALLOWED (409); NOT_FOUND when the batch has no such payment.
 */
export function selectPayments(
  { payout, payments }: PayoutWithPayments,
  trigger: string,
  sequence?: number,
): { readonly outcome: PayoutEvent['outcome']; readonly parts: readonly { readonly sequence?: number }[] } {
  if (sequence !== undefined) {
    const { outcome } = nextOf(paymentAt(payments, sequence), trigger);
    return { outcome, parts: [{ sequence }] };
  }
  const { outcome } = nextOf(payout, trigger);
  const open = payments.filter(({ status }) => status === 'PENDING');
  const parts = payments.length === 0 ? [{}] : open.map((payment) => ({ sequence: payment.sequence }));
  return { outcome, parts };
}

/** The payout after outcomes of its payments (section 3). Pure. @throws RequestError, RangeError without any event */
export function decidePayout(order: PayoutWithPayments, events: readonly PaymentEvent[], at: Instant): PayoutDecision {
  const [first] = events;
  if (first === undefined) throw new RangeError('A payout transition needs at least one payment event.');
  const decision = order.payments.length === 0 ? decideWhole(order.payout, first, at) : decideBatch(order, events, at);
  const credit = creditOf(decision);
  return credit === undefined ? decision : { ...decision, credit };
}

/**
 * Returns the credit to another account of the company, payment by payment. A charge is paid as a whole, with the last
 * payment. If some payments failed, the amounts of the others are credited and the charge stays unpaid.
 */
function creditOf({ after: { payout, payments }, changed }: OwnDecision): Credit | undefined {
  const { internal, id, status } = payout;
  if (internal === undefined) return undefined;
  const { accountId, payInId } = internal;
  const paid = (parts: readonly (Payout | BatchPayment)[]): Centavos =>
    addCentavos(...parts.filter((part) => part.status === 'PAID').map(({ amount }) => amount));
  if (payInId !== undefined && status === 'PAID')
    return { kind: 'PAY_IN', accountId, orderId: payInId, amount: payout.amount };
  if (payInId !== undefined && status !== 'PARTIALLY_PAID') return undefined;
  const settled = payments.length === 0 ? [payout] : payInId === undefined ? changed : payments;
  const amount = paid(settled);
  return amount === 0 ? undefined : { kind: 'PAYOUT_RECEIVED', accountId, orderId: id, amount };
}

type OwnDecision = Omit<PayoutDecision, 'credit'>;

function decideWhole(payout: Payout, { sequence, event }: PaymentEvent, at: Instant): OwnDecision {
  if (sequence !== undefined) throw notFound('Order');
  const { status } = nextOf(payout, event.outcome);
  const settledPart = {
    ...payout,
    ...numbersOf(payout, event),
    ...outcomeOf(status, event, at),
    version: payout.version + 1,
  };
  return { after: { payout: settledPart, payments: [] }, changed: [], balance: spentAndReturned([settledPart]) };
}

function decideBatch(
  { payout, payments }: PayoutWithPayments,
  events: readonly PaymentEvent[],
  at: Instant,
): OwnDecision {
  const changed = events.map(({ sequence, event }) => {
    const payment = paymentAt(payments, sequence);
    const { status } = nextOf(payment, event.outcome);
    return { ...payment, ...newNumber(payment, event), ...outcomeOf(status, event, at) };
  });
  const next = payments.map((payment) => changed.find(({ sequence }) => sequence === payment.sequence) ?? payment);
  const openPayments = next.filter(({ status }) => status === 'PENDING').length;
  return {
    after: {
      payout: {
        ...payout,
        ...newNumber(payout, next[0] ?? {}),
        ...batchOutcome(next, at),
        openPayments,
        version: payout.version + 1,
      },
      payments: next,
    },
    changed,
    balance: spentAndReturned(changed),
  };
}

function paymentAt(payments: readonly BatchPayment[], sequence: number | undefined): BatchPayment {
  if (sequence === undefined) throw new RangeError('An event of a batch needs the sequence of its payment.');
  const payment = payments.find((candidate) => candidate.sequence === sequence);
  if (payment === undefined) throw notFound('Order');
  return payment;
}

/** Returns the outcome of a trigger and the status to which it leads. @throws RequestError */
function nextOf(
  { status }: { readonly status: PayoutStatus },
  trigger: string,
): { readonly outcome: TriggerOf<typeof payoutTransitions>; readonly status: PaymentStatus } {
  if (isTrigger(payoutTransitions, trigger)) {
    const next = nextStatus(payoutTransitions, status, trigger, 'bank');
    if (next !== undefined) return { outcome: trigger, status: next };
  }
  throw transitionNotAllowed(status, trigger, triggersFrom(payoutTransitions, status));
}

type Outcome<S> = {
  readonly status: S;
  readonly updatedAt: Instant;
  readonly paidAt?: Instant;
  readonly errorMessage?: string;
};

function outcomeOf(status: PaymentStatus, event: PayoutEvent, updatedAt: Instant): Outcome<PaymentStatus> {
  if (event.outcome === 'PAID') return { status, updatedAt, paidAt: event.at };
  if (event.outcome === 'CANCELED') return { status, updatedAt };
  return { status, updatedAt, errorMessage: errorMessageOf(event) };
}

/**
 * Returns the number that the event adds; a number that the payout has already stays. A settled TED has a control
 * number, even one that the service never sent.
 */
function numbersOf(payout: Payout, event: PayoutEvent): Pick<Payout, 'controlNumber' | 'endToEndId'> {
  if (payout.paymentMethod === 'PIX') return newNumber(payout, event);
  const { controlNumber } = 'controlNumber' in event ? event : payout;
  return payout.controlNumber !== undefined || controlNumber === undefined ? {} : { controlNumber };
}

/** Returns the bank's end-to-end id, if none is known yet. */
function newNumber(
  { endToEndId: known }: Pick<Payout, 'endToEndId'>,
  { endToEndId }: Pick<Payout, 'endToEndId'>,
): Pick<Payout, 'endToEndId'> {
  return known !== undefined || endToEndId === undefined ? {} : { endToEndId };
}

function batchOutcome(payments: readonly BatchPayment[], at: Instant): Outcome<PayoutStatus> {
  const status = batchStatus(payments);
  if (status === 'PENDING') return { status, updatedAt: at };
  if (status === 'PAID') return { status, updatedAt: at, paidAt: at };
  return { status, updatedAt: at, errorMessage: unpaidMessage(payments) };
}

/** Names both amounts, so that a partner that reads only this text does not pay the whole amount again. */
function unpaidMessage(payments: readonly BatchPayment[]): string {
  const { transactionsCount, paidCount, paidAmount, failedCount, failedAmount } = batchTotals(payments);
  const paid = `BRL ${formatAmount(paidAmount)} was paid in ${paidCount} of ${transactionsCount} payments`;
  return `${paid}; BRL ${formatAmount(failedAmount)} in ${failedCount} was not paid and is back in the account.`;
}

function spentAndReturned(
  settled: readonly Pick<BatchPayment | Payout, 'status' | 'amount'>[],
): PayoutDecision['balance'] {
  const returned = settled.filter(({ status }) => status !== 'PAID');
  const kind =
    returned.length === 0 ? 'PAYOUT_PAID' : returned.length === settled.length ? 'PAYOUT_RETURNED' : 'PAYOUT_MOVED';
  const total = (parts: typeof settled): Centavos => addCentavos(...parts.map(({ amount }) => amount));
  return { kind, available: total(returned), reserved: subtractCentavos(centavos(0), total(settled)) };
}
