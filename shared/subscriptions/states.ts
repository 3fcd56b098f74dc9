import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { instantAt, plusDays } from '../core/brasilia-time.ts';
import type { Actor, TransitionTable, TriggerOf } from '../core/transition.ts';
import { nextStatus, isTrigger, triggersFrom } from '../core/transition.ts';
import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';
import { pick } from '../core/pick.ts';
import type {
  Cancellation,
  CancellationStatus,
  Payer,
  Subscription,
  SubscriptionStatus,
  SubscriptionWithCancellations,
} from './model.ts';
import { expectedPayerOf, newAttemptDays, openCancellation } from './model.ts';

/** Section 3 of the specification, row by row (`bank`), what no tool can cause, and what the service does by itself. */
export const subscriptionTransitions = {
  bank: [
    ['PENDING_AUTHORIZATION', 'ACCEPTED', 'ACCEPTED'],
    ['PENDING_AUTHORIZATION', 'REJECTED', 'REJECTED'],
    ['ACCEPTED', 'CANCELED', 'CANCELED'],
    ['ACCEPTED', 'CANCELLATION_REJECTED', 'ACCEPTED'],
  ],
  bankAlone: [
    // Withdrawn by the payer or the bank.
    ['PENDING_AUTHORIZATION', 'CANCELED', 'CANCELED'],
    // Its time is over.
    ['PENDING_AUTHORIZATION', 'ENDED', 'CANCELED'],
    ['ACCEPTED', 'ENDED', 'CANCELED'],
  ],
  service: [
    // At creation, by the bank's response.
    ['INITIAL', 'PENDING_AUTHORIZATION', 'PENDING_AUTHORIZATION'],
    ['INITIAL', 'ERROR', 'ERROR'],
    // A withdrawal, before the payer authorizes it; or the partner canceled its first charge.
    ['PENDING_AUTHORIZATION', 'CANCELED', 'CANCELED'],
    // Its first charge ended unpaid.
    ['PENDING_AUTHORIZATION', 'REJECTED', 'REJECTED'],
    // Its time is over, at the simulated bank.
    ['PENDING_AUTHORIZATION', 'ENDED', 'CANCELED'],
    ['ACCEPTED', 'ENDED', 'CANCELED'],
  ],
} as const satisfies TransitionTable<SubscriptionStatus>;

export const subscriptionEvents = [
  'SUBSCRIPTION.ACCEPTED',
  'SUBSCRIPTION.REJECTED',
  'SUBSCRIPTION.CANCELED',
  'SUBSCRIPTION.ERROR',
  'SUBSCRIPTION.CANCELLATION.REJECTED',
] as const;

export type SubscriptionEvent = (typeof subscriptionEvents)[number];

/**
 * A bank event of a recurrence. An end or a rejected cancellation resolves the open cancellation request, if there is
 * one. `end`: who ended the recurrence and why, as far as the bank says; if absent, the payer. `ENDED`: the time of the
 * recurrence is over.
 */
export type RecurrenceEvent =
  | { readonly outcome: 'ACCEPTED'; readonly payer?: Payer }
  | { readonly outcome: 'REJECTED' }
  | { readonly outcome: 'CANCELED'; readonly end?: RecurrenceOutcome }
  | { readonly outcome: 'ENDED' }
  | { readonly outcome: 'CANCELLATION_REJECTED' };
type RecurrenceOutcome = {
  readonly endedBy?: 'PAYER' | 'RECEIVER' | 'BANK';
  readonly endReason?: Cancellation['reason'];
};

export type SubscriptionDecision = {
  readonly subscription: Subscription;
  /** The cancellation request that the event resolves or creates, as it is afterwards. */
  readonly cancellation?: Cancellation;
  /** Absent for a request that waits for the bank: the partner already knows of it. */
  readonly event?: SubscriptionEvent;
};

/** Latest cancellation requests that an event carries and a transition reads. The open one is always the last. */
export const eventCancellations = 10;

/** Most cancellation requests of a subscription, so that it does not grow without limit. */
const maxCancellations = 50;

/** The first statuses of a subscription. @throws Error for a status that is not a row of section 3. */
export function newStatusHistory(
  status: SubscriptionStatus,
  at: Instant,
): Pick<Subscription, 'status' | 'statusHistory'> {
  if (
    !isTrigger(subscriptionTransitions, status) ||
    nextStatus(subscriptionTransitions, 'INITIAL', status, 'service') === undefined
  )
    throw new Error(`A subscription cannot begin in the status ${status}.`);
  return {
    status,
    statusHistory: (['INITIAL', status] as const).map((reached) => ({ status: reached, createdAt: at })),
  };
}

/**
 * Returns the subscription after a bank event (section 3), with the cancellation request that the event resolves, else
 * with that of the party that ended it. Pure.
 * @throws RequestError TRANSITION_NOT_ALLOWED; LIMIT_EXCEEDED for a rejected cancellation that can no longer be
 * recorded.
 */
export function decideSubscription(
  { subscription, cancellations }: SubscriptionWithCancellations,
  bankEvent: RecurrenceEvent,
  { at, id, by = 'bank' }: { readonly at: Instant; readonly id: string; readonly by?: Actor },
): SubscriptionDecision {
  const { outcome } = bankEvent;
  const next = applyTrigger(subscription, outcome, by, at);
  switch (outcome) {
    case 'ACCEPTED': {
      const { payer } = bankEvent;
      return { subscription: payer === undefined ? next : { ...next, payer }, event: 'SUBSCRIPTION.ACCEPTED' };
    }
    case 'REJECTED':
      return { subscription: next, event: 'SUBSCRIPTION.REJECTED' };
    case 'ENDED':
    case 'CANCELED': {
      const open = openCancellation(cancellations);
      // An expiry has no party that requested it.
      const end = outcome === 'ENDED' ? {} : (bankEvent.end ?? { endedBy: 'PAYER' });
      const request = open ?? endRequest(subscription, end, { at, id });
      return {
        subscription: open === undefined && request !== undefined ? countOnce(next) : next,
        ...(request && { cancellation: resolveRequest(request, 'ACCEPTED', at) }),
        event: 'SUBSCRIPTION.CANCELED',
      };
    }
    case 'CANCELLATION_REJECTED': {
      const open = openCancellation(cancellations);
      if (open === undefined) refuseAboveLimit(subscription);
      const request = open ?? requestOf(subscription, 'PAYER', 'REQUESTED_BY_PAYER', { at, id });
      return {
        subscription: open === undefined ? countOnce(next) : next,
        cancellation: resolveRequest(request, 'REJECTED', at),
        event: 'SUBSCRIPTION.CANCELLATION.REJECTED',
      };
    }
  }
}

/**
 * Creates a request to end the recurrence. It is `PENDING` at the bank; before authorization it is a withdrawal, which
 * the service executes immediately.
 * @throws RequestError 409 in any other status, while another request is open, and after 50 of them.
 */
export function requestCancellation(
  { subscription, cancellations }: SubscriptionWithCancellations,
  request: Pick<Cancellation, 'id' | 'idempotencyKey' | 'reason' | 'createdBy'> & {
    readonly at: Instant;
    readonly customer?: Cancellation['customer'];
  },
): SubscriptionDecision & { readonly cancellation: Cancellation } {
  const { status, receiver } = subscription;
  const withdrawal = nextStatus(subscriptionTransitions, status, 'CANCELED', 'service') !== undefined;
  if (status !== 'ACCEPTED' && !withdrawal)
    throw transitionNotAllowed(status, 'A cancellation request', triggersFrom(subscriptionTransitions, status));
  if (openCancellation(cancellations) !== undefined)
    throw forbiddenByState(
      'id',
      'TRANSITION_NOT_ALLOWED',
      'The subscription has a cancellation request that is still open.',
    );
  refuseAboveLimit(subscription);
  const { at, id, idempotencyKey, reason, customer = { document: receiver.document } } = request;
  const created = {
    ...nextSequence(subscription),
    id,
    idempotencyKey,
    reason,
    customer,
    createdAt: at,
    ...pick(request, 'createdBy'),
    updatedAt: at,
  };
  if (!withdrawal) {
    const after = { ...subscription, updatedAt: at, version: subscription.version + 1 };
    return { subscription: countOnce(after), cancellation: openRequest(created) };
  }
  // It was never open: only the receiver decides on it.
  const statusHistory = (['INITIAL', 'ACCEPTED'] as const).map((reached) => ({ status: reached, createdAt: at }));
  return {
    subscription: countOnce(applyTrigger(subscription, 'CANCELED', 'service', at)),
    cancellation: { ...created, status: 'ACCEPTED', statusHistory },
    event: 'SUBSCRIPTION.CANCELED',
  };
}

/**
 * Returns when a recurrence ends by itself: at the start of the day after the later of `endDate` and the last open
 * settlement date. An accepted recurrence that may be charged after the due date ends `newAttemptDays` later. Undefined
 * without an `endDate`.
 */
export function recurrenceEndsAt(
  { status, endDate, allowChargeAfterDueDate }: Pick<Subscription, 'status' | 'endDate' | 'allowChargeAfterDueDate'>,
  lastSettlementDate: LocalDate = '',
): Instant | undefined {
  if (endDate === undefined) return undefined;
  const last = lastSettlementDate > endDate ? lastSettlementDate : endDate;
  const more = status === 'ACCEPTED' && allowChargeAfterDueDate ? newAttemptDays : 0;
  return instantAt(plusDays(last, more + 1), '00:00');
}

function applyTrigger(
  subscription: Subscription,
  trigger: TriggerOf<typeof subscriptionTransitions>,
  actor: Actor,
  at: Instant,
): Subscription {
  const { status, statusHistory, version } = subscription;
  const to = nextStatus(subscriptionTransitions, status, trigger, actor);
  if (to === undefined) throw transitionNotAllowed(status, trigger, triggersFrom(subscriptionTransitions, status));
  const history = to === status ? statusHistory : [...statusHistory, { status: to, createdAt: at }];
  const updatedAt = later(at, subscription.updatedAt);
  return { ...subscription, status: to, statusHistory: history, updatedAt, version: version + 1 };
}

/** Returns the later time: a late bank event happened before the last write. */
function later(at: Instant, than: Instant): Instant {
  return at > than ? at : than;
}

function nextSequence({
  id: subscriptionId,
  cancellationsCount,
}: Subscription): Pick<Cancellation, 'subscriptionId' | 'sequence'> {
  return { subscriptionId, sequence: cancellationsCount + 1 };
}

function countOnce(subscription: Subscription): Subscription {
  return { ...subscription, cancellationsCount: subscription.cancellationsCount + 1 };
}

function refuseAboveLimit({ cancellationsCount }: Subscription): void {
  if (cancellationsCount < maxCancellations) return;
  const description = `The subscription has had ${maxCancellations} cancellation requests; more are not taken.`;
  throw forbiddenByState('id', 'LIMIT_EXCEEDED', description);
}

/** Reason for an end by the party that requested it, used when the bank gives none that the contract has. */
const reasonOf = { PAYER: 'REQUESTED_BY_PAYER', RECEIVER: 'REQUESTED_BY_RECEIVER', BANK: undefined } as const;

/** Returns the request of the party that ended the recurrence at the bank; none without such a party. */
function endRequest(
  subscription: Subscription,
  { endedBy, endReason }: RecurrenceOutcome,
  created: { readonly at: Instant; readonly id: string },
): Cancellation | undefined {
  const reason = endReason ?? (endedBy && reasonOf[endedBy]);
  return endedBy && reason && requestOf(subscription, endedBy, reason, created);
}

/** Creates a request that the partner did not make. A bank requests for the payer. */
function requestOf(
  subscription: Subscription,
  endedBy: NonNullable<RecurrenceOutcome['endedBy']>,
  reason: Cancellation['reason'],
  { at, id }: { readonly at: Instant; readonly id: string },
): Cancellation {
  const { document } =
    endedBy === 'RECEIVER' ? subscription.receiver : (subscription.payer ?? expectedPayerOf(subscription));
  const request = { ...nextSequence(subscription), id, idempotencyKey: id, reason, customer: { document } };
  return openRequest({ ...request, createdAt: at, updatedAt: at });
}

function openRequest(request: Omit<Cancellation, 'status' | 'statusHistory'>): Cancellation {
  const statusHistory = (['INITIAL', 'PENDING'] as const).map((status) => ({ status, createdAt: request.createdAt }));
  return { ...request, status: 'PENDING', statusHistory };
}

/** Resolves a request, not before its creation: the recurrence may have ended already. */
function resolveRequest(request: Cancellation, status: CancellationStatus, at: Instant): Cancellation {
  const updatedAt = later(at, request.updatedAt);
  const statusHistory = [...request.statusHistory, { status, createdAt: updatedAt }];
  return { ...request, status, statusHistory, updatedAt };
}
