import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds, timeAfter } from '../core/brasilia-time.ts';
import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';
import type { Centavos } from '../core/money.ts';
import { addCentavos, centavos, formatAmount, subtractCentavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { requireUndisputed } from '../disputes/states.ts';
import type { TransitionTable } from '../core/transition.ts';
import { nextStatus, triggersFrom } from '../core/transition.ts';
import type { ReturnEvent } from '../core/return-event.ts';
import { errorMessageOf } from '../core/spi-codes.ts';
import type {
  Credit,
  CreditReason,
  CreditReturn,
  CreditReturnStatus,
  CreditStatus,
  CreditWithReturns,
} from './model.ts';
import { returnableAmount, returnedAmountOf } from './model.ts';

export const creditTransitions = {
  bank: [['OPEN', 'RETURNED', 'RETURNED']],
  service: [['OPEN', 'ASSIGN', 'ASSIGNED']],
} as const satisfies TransitionTable<CreditStatus>;

export const creditReturnTransitions = {
  bank: [
    ['PENDING', 'SETTLED', 'SETTLED'],
    ['PENDING', 'FAILED', 'FAILED'],
  ],
  service: [],
} as const satisfies TransitionTable<CreditReturnStatus>;

/** Days after the payment in which a devolução can be requested (BCB, Pix API). */
const returnableDays = 90;

/** Most returns of one credit, so that a credit is read in one page. */
export const maxReturns = 50;

/** The pay-in that a payment names, or that a credit is assigned to. */
type NamedPayIn = {
  readonly id: string;
  readonly accountId: string;
  readonly status: 'PENDING' | 'PAID' | 'CANCELED' | 'EXPIRED' | 'ERROR' | 'REFUNDED';
  readonly amount: Centavos;
  readonly connection?: string;
};

/** Why the charge of a payment did not expect it. `payIn`: the charge, before the payment. */
export function reasonOf(payIn: Pick<NamedPayIn, 'status' | 'amount'>, amount: Centavos): CreditReason {
  if (payIn.status === 'PAID' || payIn.status === 'REFUNDED') return 'SECOND_PAYMENT';
  if (payIn.status === 'PENDING') return payIn.amount === amount ? 'SECOND_PAYMENT' : 'OTHER_AMOUNT';
  return 'TOO_LATE';
}

type ReturnRequest = {
  readonly id: string;
  readonly at: Instant;
  /** Absent: all that is left. */
  readonly amount?: Centavos | undefined;
  readonly createdBy?: string;
};

/**
 * Creates a return, `PENDING` until the bank settles or fails it.
 * @throws RequestError 409 when the credit is not open, came over 90 days ago, has less left than the amount, or has
 * had 50 returns
 */
export function requestCreditReturn(found: CreditWithReturns, request: ReturnRequest): CreditReturn {
  const { id, at, amount } = request;
  const { credit, returns } = found;
  if (credit.status !== 'OPEN')
    throw transitionNotAllowed(credit.status, 'A return', triggersFrom(creditTransitions, credit.status));
  requireUndisputed(credit);
  const left = returnableAmount(found);
  if (left < Math.max(1, amount ?? 0))
    throw forbiddenByState('amount', 'LIMIT_EXCEEDED', `Of this credit ${formatAmount(left)} can still be returned.`);
  if (at > plusSeconds(credit.receivedAt, returnableDays * 86_400))
    throw forbiddenByState('id', 'EXPIRED', `A credit can be returned within ${returnableDays} days.`);
  if (returns.length >= maxReturns)
    throw forbiddenByState('id', 'LIMIT_EXCEEDED', `A credit can have ${maxReturns} returns.`);
  const by = pick(request, 'createdBy');
  return { id, creditId: credit.id, amount: amount ?? left, status: 'PENDING', createdAt: at, ...by };
}

type CreditReturnDecision = {
  readonly credit: Credit;
  readonly returned: CreditReturn;
  readonly balance: {
    readonly kind: 'REFUND_SETTLED' | 'REFUND_RETURNED';
    readonly available: Centavos;
    readonly reserved: Centavos;
  };
};

/**
 * Returns credit and return after a bank event. A settled return takes its reserved amount, a failed one makes it
 * available again. When all has gone back, the credit is `RETURNED`. Pure. @throws RequestError for a final return
 */
export function decideCreditReturn(
  { credit, returns }: CreditWithReturns,
  before: CreditReturn,
  event: ReturnEvent,
  at: Instant,
): CreditReturnDecision {
  const status = nextStatus(creditReturnTransitions, before.status, event.outcome, 'bank');
  if (status === undefined)
    throw transitionNotAllowed(before.status, event.outcome, triggersFrom(creditReturnTransitions, before.status));
  const nothing = centavos(0);
  const debit = subtractCentavos(nothing, before.amount);
  const changed = { ...credit, updatedAt: timeAfter(credit.updatedAt, at), version: credit.version + 1 };
  if (event.outcome === 'FAILED')
    return {
      credit: changed,
      returned: { ...before, status, errorMessage: errorMessageOf(event) },
      balance: { kind: 'REFUND_RETURNED', available: before.amount, reserved: debit },
    };
  const returnedAmount = addCentavos(returnedAmountOf({ credit, returns }), before.amount);
  return {
    credit: { ...changed, returnedAmount, ...(returnedAmount === credit.amount && { status: 'RETURNED' as const }) },
    returned: { ...before, status, settledAt: event.at, endToEndId: event.endToEndId },
    balance: { kind: 'REFUND_SETTLED', available: nothing, reserved: debit },
  };
}

/**
 * Returns the credit that pays a pending pay-in of its account.
 * @throws RequestError 409 for a credit or pay-in that is not open, another amount, account or bank, or a begun return
 */
export function assignCredit(
  { credit, returns }: CreditWithReturns,
  payIn: NamedPayIn,
  { at, assignedBy }: { readonly at: Instant; readonly assignedBy: string },
): Credit {
  if (credit.status !== 'OPEN')
    throw transitionNotAllowed(credit.status, 'An assignment', triggersFrom(creditTransitions, credit.status));
  requireUndisputed(credit);
  if (returnedAmountOf({ credit, returns }) > 0 || returns.some(({ status }) => status === 'PENDING'))
    throw forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', 'A return of the credit has begun.');
  if (payIn.accountId !== credit.accountId)
    throw forbiddenByState('orderId', 'INVALID_VALUE', 'The pay-in is of another account.');
  // A refund of the pay-in goes back by the bank that has the money.
  if (payIn.connection !== credit.connection)
    throw forbiddenByState('orderId', 'INVALID_VALUE', 'The pay-in is at another bank than the money.');
  if (payIn.status !== 'PENDING')
    throw forbiddenByState('orderId', 'INVALID_VALUE', `The pay-in is ${payIn.status}; it must be PENDING.`);
  if (payIn.amount !== credit.amount)
    throw forbiddenByState('orderId', 'INVALID_VALUE', `The pay-in is of ${formatAmount(payIn.amount)}.`);
  const updatedAt = timeAfter(credit.updatedAt, at);
  return { ...credit, status: 'ASSIGNED', orderId: payIn.id, assignedBy, updatedAt, version: credit.version + 1 };
}

/** Returns the credit while its payment is in a dispute. */
export function disputedCredit(credit: Credit, disputeId: string): Credit {
  return { ...credit, disputeId, version: credit.version + 1 };
}

/** Returns the credit when the dispute of its payment has ended. @param returned what went back by it */
export function creditAfterDispute({ credit, returns }: CreditWithReturns, returned: Centavos, at: Instant): Credit {
  const { disputeId: _ended, ...rest } = credit;
  const after = { ...rest, version: credit.version + 1 };
  if (returned === 0) return after;
  const returnedAmount = addCentavos(returnedAmountOf({ credit, returns }), returned);
  const returnedByDisputes = addCentavos(credit.returnedByDisputes ?? centavos(0), returned);
  // An assigned credit is the pay-in's: that shows what went back.
  const isWhole = credit.status === 'OPEN' && returnedAmount === credit.amount;
  return {
    ...after,
    returnedAmount,
    returnedByDisputes,
    updatedAt: timeAfter(credit.updatedAt, at),
    ...(isWhole && { status: 'RETURNED' as const }),
  };
}
