import type { Instant } from '../core/brasilia-time.ts';
import { timeAfter } from '../core/brasilia-time.ts';
import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';
import type { Centavos } from '../core/money.ts';
import { addCentavos, centavos, formatAmount, subtractCentavos } from '../core/money.ts';
import { errorMessageOf } from '../core/spi-codes.ts';
import type { TransitionTable } from '../core/transition.ts';
import { nextStatus, triggersFrom } from '../core/transition.ts';
import type { Defence, Dispute, DisputeStatus, DisputeWithDefences } from './model.ts';
import { isPending, missingAmount } from './model.ts';

/** Transitions that the bank decides (`bank`), and those that the partner causes (`service`). */
export const disputeTransitions = {
  bank: [
    ['OPEN', 'DEFENDED', 'DEFENDED'],
    ['OPEN', 'ACCEPTED', 'ACCEPTED'],
    ['OPEN', 'REJECTED', 'REJECTED'],
    ['OPEN', 'CANCELED', 'CANCELED'],
    ['DEFENDED', 'ACCEPTED', 'ACCEPTED'],
    ['DEFENDED', 'REJECTED', 'REJECTED'],
    ['DEFENDED', 'CANCELED', 'CANCELED'],
  ],
  service: [['OPEN', 'DEFEND', 'DEFENDED']],
} as const satisfies TransitionTable<DisputeStatus>;

/** The received payment that a payer claims back: of a pay-in, or of a credit. */
export type DisputedPayment = Pick<
  Dispute,
  'accountId' | 'orderId' | 'creditId' | 'endToEndId' | 'payer' | 'connection'
> & {
  /** The amount that was paid and has not gone back, nor is on its way. */
  readonly left: Centavos;
};

/** The claim as a bank tells it. Without `amount` it is all that is left of the payment, but no more than `upTo`. */
export type Claim = Pick<Dispute, 'kind' | 'reason' | 'details' | 'dueAt' | 'claimId' | 'claimedAt'> & {
  readonly amount?: Centavos;
  readonly upTo?: Centavos;
};

/**
 * The decision of the bank about an open dispute. `amount`: what goes back; absent, all that is claimed. `isTaken`: the
 * bank has sent it back already, so that it may be more than was claimed, or nothing more.
 */
export type DisputeEvent =
  | { readonly outcome: 'ACCEPTED'; readonly amount?: Centavos; readonly isTaken?: true }
  | { readonly outcome: 'DEFENDED' | 'REJECTED' | 'CANCELED' };

/** The effect on the account: differences in centavos. */
export type DisputeEffect = {
  readonly kind: 'MED_BLOCKED' | 'MED_RELEASED' | 'MED_RETURNED';
  readonly available: Centavos;
  readonly blocked: Centavos;
};

type DisputeDecision = { readonly dispute: Dispute; readonly balance?: DisputeEffect };

const nothing = centavos(0);
const minus = (amount: Centavos): Centavos => subtractCentavos(nothing, amount);

/**
 * Opens a dispute and blocks what the account has of the claim.
 * @param available what can be blocked now
 * @throws RequestError 409 when less is left of the payment than is claimed
 */
export function openDispute(
  { left, ...payment }: DisputedPayment,
  { upTo = left, amount = centavos(Math.min(left, upTo)), ...claim }: Claim,
  { id, at, available }: { readonly id: string; readonly at: Instant; readonly available: Centavos },
): DisputeDecision {
  if (left < Math.max(1, amount))
    throw forbiddenByState('amount', 'LIMIT_EXCEEDED', `Of this payment ${formatAmount(left)} can be claimed.`);
  const status = 'OPEN' as const;
  const dispute: Dispute = {
    id,
    ...payment,
    ...claim,
    status,
    amount,
    blockedAmount: nothing,
    returnedAmount: nothing,
    statusHistory: [{ status, createdAt: at }],
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  return blockedMore(dispute, available);
}

/** @throws RequestError 409 while the bank examines a claim to the payment of a pay-in or credit */
export function requireUndisputed({ disputeId }: { readonly disputeId?: string }): void {
  if (disputeId === undefined) return;
  throw forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', `The payment is in the dispute ${disputeId}.`);
}

/** Blocks what is still missing, as far as it is available. Undefined when nothing can be blocked. Pure. */
export function blockMore(dispute: Dispute, available: Centavos, at: Instant): Required<DisputeDecision> | undefined {
  const { dispute: after, balance } = blockedMore(dispute, available);
  if (balance === undefined) return undefined;
  const updatedAt = timeAfter(dispute.updatedAt, at);
  return { dispute: { ...after, updatedAt, version: dispute.version + 1 }, balance };
}

function blockedMore(dispute: Dispute, available: Centavos): DisputeDecision {
  const amount = centavos(Math.max(0, Math.min(missingAmount(dispute), available)));
  if (amount === 0) return { dispute };
  const blockedAmount = addCentavos(dispute.blockedAmount, amount);
  return {
    dispute: { ...dispute, blockedAmount },
    balance: { kind: 'MED_BLOCKED', available: minus(amount), blocked: amount },
  };
}

/**
 * Returns the dispute after the bank's word. Accepted: the amount goes back, first out of what is blocked; the rest of
 * the block is released, and what is missing is taken from the account, below zero if need be. Rejected or canceled:
 * all is released. Pure.
 * @throws RequestError by the table; 409 when more goes back than was claimed
 */
export function decideDispute(dispute: Dispute, event: DisputeEvent, at: Instant): DisputeDecision {
  const status = nextStatus(disputeTransitions, dispute.status, event.outcome, 'bank');
  if (status === undefined)
    throw transitionNotAllowed(dispute.status, event.outcome, triggersFrom(disputeTransitions, dispute.status));
  const { blockedAmount } = dispute;
  if (event.outcome === 'DEFENDED') return { dispute: moved(dispute, status, at) };
  const ended = { ...moved(dispute, status, at), blockedAmount: nothing };
  if (event.outcome === 'ACCEPTED') {
    const { amount = dispute.amount, isTaken = false } = event;
    if (!isTaken && (amount < 1 || amount > dispute.amount))
      throw forbiddenByState(
        'amount',
        'LIMIT_EXCEEDED',
        `Of this dispute ${formatAmount(dispute.amount)} can go back.`,
      );
    // What went back is booked by another dispute of the payment.
    if (amount === 0) return released(ended, blockedAmount);
    const available = subtractCentavos(blockedAmount, amount);
    return {
      dispute: { ...ended, amount: centavos(Math.max(dispute.amount, amount)), returnedAmount: amount },
      balance: { kind: 'MED_RETURNED', available, blocked: minus(blockedAmount) },
    };
  }
  return released(ended, blockedAmount);
}

function released(dispute: Dispute, blockedAmount: Centavos): DisputeDecision {
  if (blockedAmount === 0) return { dispute };
  return { dispute, balance: { kind: 'MED_RELEASED', available: blockedAmount, blocked: minus(blockedAmount) } };
}

function moved(dispute: Dispute, status: DisputeStatus, at: Instant): Dispute {
  const updatedAt = timeAfter(dispute.updatedAt, at);
  const statusHistory = [...dispute.statusHistory, { status, createdAt: updatedAt }];
  return { ...dispute, status, statusHistory, updatedAt, version: dispute.version + 1 };
}

/** The partner's answer, before it has an id and a time. */
type DefenceRequest = Pick<Defence, 'text' | 'documents'>;

/**
 * Returns the dispute with the partner's defence. The simulated bank has it at once. At any other one it is `PENDING`,
 * and the dispute `OPEN`, until the bank has it. Pure.
 * @throws RequestError 409 unless it is open and undefended, and after `dueAt`
 */
export function defend(
  { dispute, defences }: DisputeWithDefences,
  request: DefenceRequest,
  { id, at, createdBy }: { readonly id: string; readonly at: Instant; readonly createdBy: string },
): { readonly dispute: Dispute; readonly defence: Defence } {
  const status = nextStatus(disputeTransitions, dispute.status, 'DEFEND', 'service');
  if (status === undefined) throw forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', `The dispute is ${dispute.status}.`);
  if (at >= dispute.dueAt)
    throw forbiddenByState('id', 'OUTSIDE_WINDOW', `The bank took a defence until ${dispute.dueAt}.`);
  if (defences.some(isPending))
    throw forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', 'A defence is on its way to the bank.');
  const defence: Defence = { id, disputeId: dispute.id, ...request, createdAt: at, createdBy };
  if (dispute.connection === undefined) return { dispute: moved(dispute, status, at), defence };
  return {
    dispute: { ...dispute, updatedAt: timeAfter(dispute.updatedAt, at), version: dispute.version + 1 },
    defence: { ...defence, status: 'PENDING' },
  };
}

/** The answer of the bank to a defence. */
export type DefenceOutcome =
  { readonly status: 'SENT' } | { readonly status: 'REFUSED'; readonly code?: string; readonly reason: string };

/** Returns the defence and its dispute after the bank's response: `DEFENDED` once the bank has it. Pure. */
export function answeredDefence(
  dispute: Dispute,
  defence: Defence,
  outcome: DefenceOutcome,
  at: Instant,
): { readonly dispute: Dispute; readonly defence: Defence } {
  const { status } = outcome;
  const answered = { ...defence, status, ...(status === 'REFUSED' && { errorMessage: errorMessageOf(outcome) }) };
  const isDefended = status === 'SENT' && dispute.status === 'OPEN';
  return { defence: answered, dispute: isDefended ? moved(dispute, 'DEFENDED', at) : dispute };
}
