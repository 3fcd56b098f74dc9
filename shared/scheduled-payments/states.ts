import type { Instant } from '../core/brasilia-time.ts';
import { plusMilliseconds } from '../core/brasilia-time.ts';
import { pick } from '../core/pick.ts';
import type { Actor, TransitionTable, TriggerOf } from '../core/transition.ts';
import { nextStatus, triggersFrom } from '../core/transition.ts';
import { transitionNotAllowed } from '../core/errors.ts';
import type {
  ChargeCancellation,
  ChargeCancellationReason,
  ChargeCommand,
  Resender,
  ScheduledCharge,
  ScheduledPayment,
  ScheduledPaymentStatus,
} from './model.ts';
import { openChargeCancellation } from './model.ts';
import type { CycleOutcome } from './cycle.ts';
import { cycleEndOf } from './cycle.ts';
import { isRetried } from './window.ts';

/** Section 3 of the specification, row by row (`bank`), what no tool can cause, and what the service does by itself. */
export const scheduledPaymentTransitions = {
  bank: [
    ['PENDING', 'ACCEPTED', 'ACCEPTED'],
    ['PENDING', 'REJECTED', 'REJECTED'],
    ['PENDING', 'ERROR', 'ERROR'],
    ['PENDING', 'CANCELED', 'CANCELED'],
    ['ACCEPTED', 'COMPLETED', 'COMPLETED'],
    ['ACCEPTED', 'ERROR', 'ERROR'],
    ['ACCEPTED', 'CANCELED', 'CANCELED'],
    ['ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE', 'CANCELED_INSUFFICIENT_BALANCE'],
    ['ACCEPTED', 'CANCELED_SETTLEMENT_ERROR', 'CANCELED'],
    ['PENDING', 'CANCELED_SETTLEMENT_ERROR', 'CANCELED'],
    // `any` of section 3: any status that is not final.
    ['INITIAL', 'CANCELLATION_PENDING', 'INITIAL'],
    ['PENDING', 'CANCELLATION_PENDING', 'PENDING'],
    ['ACCEPTED', 'CANCELLATION_PENDING', 'ACCEPTED'],
    ['INITIAL', 'CANCELLATION_REJECTED', 'INITIAL'],
    ['PENDING', 'CANCELLATION_REJECTED', 'PENDING'],
    ['ACCEPTED', 'CANCELLATION_REJECTED', 'ACCEPTED'],
  ],
  // Not every bank reports the acceptance first.
  bankAlone: [['PENDING', 'CANCELED_INSUFFICIENT_BALANCE', 'CANCELED_INSUFFICIENT_BALANCE']],
  service: [
    ['INITIAL', 'WINDOW_OPENED', 'PENDING'],
    ['INITIAL', 'CANCELED', 'CANCELED'],
    ['INITIAL', 'AUTHORIZATION_CANCELED', 'CANCELED'],
    ['PENDING', 'AUTHORIZATION_CANCELED', 'CANCELED'],
    ['ACCEPTED', 'AUTHORIZATION_CANCELED', 'CANCELED'],
    // A command that the bank did not get before its deadline.
    ['PENDING', 'ERROR', 'ERROR'],
    ['PENDING', 'CANCELLATION_REJECTED', 'PENDING'],
    ['ACCEPTED', 'CANCELLATION_REJECTED', 'ACCEPTED'],
  ],
} as const satisfies TransitionTable<ScheduledPaymentStatus>;

/** Triggers without further facts: of the bank, and `WINDOW_OPENED` of the service. */
type Plain = 'ACCEPTED' | 'COMPLETED' | 'WINDOW_OPENED';
type Failing = 'REJECTED' | 'ERROR';
type Canceling = Exclude<TriggerOf<typeof scheduledPaymentTransitions>, Plain | Failing>;

/** An event of bank or service. `resentBy`: who resends after a settlement error, `us` unless the bank does. */
export type ChargeEvent = { readonly at: Instant } & (
  | { readonly trigger: Plain }
  | { readonly trigger: Failing; readonly errorCode: string }
  | {
      readonly trigger: Canceling;
      readonly reason?: ChargeCancellationReason;
      readonly customer?: ChargeCancellation['customer'];
      readonly createdBy?: string;
      readonly resentBy?: Resender;
    }
);

export type NewIds = { readonly orderId: string; readonly cancellationId: string };

const prefix = 'SUBSCRIPTION.SCHEDULED_PAYMENT';
export const scheduledPaymentEvents = [
  `${prefix}.PENDING`,
  `${prefix}.ACCEPTED`,
  `${prefix}.REJECTED`,
  `${prefix}.COMPLETED`,
  `${prefix}.ERROR`,
] as const;
export const chargeCancellationEvents = [
  `${prefix}.CANCELLATION.ACCEPTED`,
  `${prefix}.CANCELLATION.REJECTED`,
  `${prefix}.CANCELLATION.PENDING`,
] as const;
export type ScheduledPaymentEvent = (typeof scheduledPaymentEvents)[number] | (typeof chargeCancellationEvents)[number];

export type PaymentEvent = { readonly event: ScheduledPaymentEvent; readonly payment: ScheduledPayment };

export type ScheduledPaymentDecision = {
  readonly payment: ScheduledPayment;
  readonly events: readonly PaymentEvent[];
  /** Effect on the cycle, if the charge of the cycle ended unpaid. */
  readonly cycle?: CycleOutcome;
};

/** The payment after a trigger (section 3), with its events. Pure. @throws RequestError TRANSITION_NOT_ALLOWED */
export function decideScheduledPayment(
  charge: ScheduledCharge,
  event: ChargeEvent,
  created: NewIds,
  actor: Actor = 'bank',
): ScheduledPaymentDecision {
  const { payment } = charge;
  const { trigger, at } = event;
  const status = nextStatus(scheduledPaymentTransitions, payment.status, trigger, actor);
  if (status === undefined)
    throw transitionNotAllowed(payment.status, trigger, triggersFrom(scheduledPaymentTransitions, payment.status));
  const next = reach(payment, status, at);
  switch (trigger) {
    case 'WINDOW_OPENED': {
      const { releaseAt: _past, ...released } = next;
      return withStatusEvent({ ...released, pendingCommands: ['SCHEDULE'] });
    }
    case 'ACCEPTED':
      return withStatusEvent(markAccepted(next, 'SCHEDULE'));
    case 'COMPLETED':
      return rejectRequest(end({ ...next, orderId: created.orderId }), at);
    case 'REJECTED':
    case 'ERROR':
      return withCycleOutcome(charge, rejectRequest(end({ ...next, errorCode: event.errorCode }), at));
    case 'CANCELLATION_PENDING':
    case 'CANCELLATION_REJECTED': {
      const response = trigger === 'CANCELLATION_PENDING' ? 'PENDING' : 'REJECTED';
      const open = openChargeCancellation(payment);
      // An open request stays unchanged: the bank only confirms again that it has it.
      const cancellation =
        open && response === 'PENDING'
          ? open
          : resolveRequest(open ?? bankRequest(charge, event, created), response, at);
      return withCancellationEvent({ ...markAccepted(next, 'CANCEL'), cancellation });
    }
    case 'CANCELED':
    case 'CANCELED_INSUFFICIENT_BALANCE':
    case 'AUTHORIZATION_CANCELED': {
      const request = openChargeCancellation(payment) ?? bankRequest(charge, event, created);
      const reason = causes[trigger] ?? request.reason;
      const cancellation = resolveRequest({ ...request, reason }, 'ACCEPTED', at);
      return withCycleOutcome(charge, withCancellationEvent({ ...end(next), cancellation }));
    }
    case 'CANCELED_SETTLEMENT_ERROR':
      return failSettlement(charge, end(next), { event, created });
  }
}

/** Reasons that follow from the trigger. For other triggers the reason of the request counts. */
const causes: Partial<Readonly<Record<Canceling, ChargeCancellationReason>>> = {
  CANCELED_INSUFFICIENT_BALANCE: 'OTHER_REASONS',
  AUTHORIZATION_CANCELED: 'AUTHORIZATION_CANCELED',
};

/** The charge may go on by a retry, so an open request to cancel it is rejected. */
function failSettlement(
  charge: ScheduledCharge,
  final: ScheduledPayment,
  { event, created }: { event: Extract<ChargeEvent, { trigger: Canceling }>; created: NewIds },
): ScheduledPaymentDecision {
  const { at, resentBy = 'us' } = event;
  const own = { ...bankRequest(charge, event, created), reason: 'SETTLEMENT_ERROR' } as const;
  const open = openChargeCancellation(charge.payment);
  const canceledAt = open === undefined ? at : afterwards(at);
  const canceled = { ...final, cancellation: resolveRequest(own, 'ACCEPTED', canceledAt) };
  const retry = {
    scheduledRetry: { since: at, by: resentBy },
    ...(resentBy === 'bank' && pick(charge.payment, 'pollAt')),
  };
  const payment = isRetried(charge.payment, at) ? { ...canceled, ...retry } : canceled;
  const rejected = open && withCancellationEvent({ ...payment, cancellation: resolveRequest(open, 'REJECTED', at) });
  const decision = { payment, events: [...(rejected?.events ?? []), ...withCancellationEvent(payment).events] };
  return payment.scheduledRetry === undefined ? withCycleOutcome(charge, decision) : decision;
}

function reach(payment: ScheduledPayment, status: ScheduledPaymentStatus, at: Instant): ScheduledPayment {
  const version = payment.version + 1;
  if (status === payment.status) return { ...payment, version };
  const statusHistory = [...payment.statusHistory, { status, createdAt: at }];
  // A late bank event happened before changes that were written meanwhile.
  const updatedAt = at > payment.updatedAt ? at : payment.updatedAt;
  return { ...payment, status, statusHistory, updatedAt, version };
}

/** Removes from a final payment what is no longer due: its release, its commands and its poll. */
function end(final: ScheduledPayment): ScheduledPayment {
  const { pendingCommands: _pending, releaseAt: _release, pollAt: _poll, ...payment } = final;
  return payment;
}

/** Removes a pending command: a bank that accepts a payment, or responds to a request to cancel it, has the command. */
export function markAccepted(
  { pendingCommands = [], ...payment }: ScheduledPayment,
  accepted: ChargeCommand,
): ScheduledPayment {
  const pending = pendingCommands.filter((command) => command !== accepted);
  return pending.length === 0 ? payment : { ...payment, pendingCommands: pending };
}

function withStatusEvent(payment: ScheduledPayment): ScheduledPaymentDecision {
  return { payment, events: [eventOf(payment)] };
}

/** Rejects an open request to cancel a payment that ended without it, with the event of the rejection. */
function rejectRequest(payment: ScheduledPayment, at: Instant): ScheduledPaymentDecision {
  const open = openChargeCancellation(payment);
  if (open === undefined) return withStatusEvent(payment);
  const rejected = { ...payment, cancellation: resolveRequest(open, 'REJECTED', afterwards(at)) };
  return {
    payment: rejected,
    events: [...withStatusEvent(rejected).events, ...withCancellationEvent(rejected).events],
  };
}

/** The time of the second event of a transition. */
function afterwards(at: Instant): Instant {
  return plusMilliseconds(at, 1);
}

function withCycleOutcome(charge: ScheduledCharge, decision: ScheduledPaymentDecision): ScheduledPaymentDecision {
  return { ...decision, cycle: cycleEndOf(charge, decision.payment.status) };
}

function resolveRequest(
  cancellation: ChargeCancellation,
  status: ChargeCancellation['status'],
  canceledAt: Instant,
): ChargeCancellation {
  return { ...cancellation, status, canceledAt };
}

/** A cancellation that the partner did not request: the payer's, unless the bank says otherwise. */
function bankRequest(
  { payment, terms }: ScheduledCharge,
  event: Extract<ChargeEvent, { trigger: Canceling }>,
  { cancellationId: id }: NewIds,
): ChargeCancellation {
  const { reason = 'REQUESTED_BY_PAYER', at: canceledAt } = event;
  const customer = event.customer ?? { document: terms.payer.document };
  const known = { ...pick(payment, 'endToEndId'), ...pick(event, 'createdBy') };
  return { id, status: 'PENDING', ...known, reason, canceledAt, customer };
}

function eventOf(payment: ScheduledPayment): PaymentEvent {
  const event = scheduledPaymentEvents.find((name) => name === `${prefix}.${payment.status}`);
  if (event === undefined) throw new Error(`A scheduled payment has no event of the status ${payment.status}.`);
  return { event, payment };
}

/** The events of a new payment: none in `INITIAL`. */
export function eventsAtCreation(payment: ScheduledPayment): readonly PaymentEvent[] {
  return payment.status === 'INITIAL' ? [] : [eventOf(payment)];
}

export function withCancellationEvent(payment: ScheduledPayment): ScheduledPaymentDecision {
  const event = chargeCancellationEvents.find(
    (name) => name === `${prefix}.CANCELLATION.${payment.cancellation?.status ?? ''}`,
  );
  if (event === undefined) throw new Error('A scheduled payment has no event of its cancellation.');
  return { payment, events: [{ event, payment }] };
}

/** Returns the resend of a payment: the same charge with its own ids, created by the service (6.5). */
export function retryOf(
  original: ScheduledPayment,
  names: { readonly id: string; readonly externalId: string },
  at: Instant,
): ScheduledPayment {
  const { id, settlementErrorRetryAttempt = 0, settlementErrorRetryRootId = id } = original;
  return {
    ...names,
    ...pick(original, 'subscriptionId', 'amount', 'dueDate', 'settlementDate', 'description'),
    status: 'PENDING',
    statusHistory: (['INITIAL', 'PENDING'] as const).map((status) => ({ status, createdAt: at })),
    purpose: 'RESEND_DUE_TO_SETTLEMENT_ERROR',
    originalScheduledPaymentId: id,
    settlementErrorRetryRootId,
    settlementErrorRetryAttempt: settlementErrorRetryAttempt + 1,
    createdAt: at,
    updatedAt: at,
    pendingCommands: ['SCHEDULE'],
    version: 1,
  };
}

/** Returns the payment after its scheduled resend was created or missed its deadline. */
export function withoutScheduledRetry(before: ScheduledPayment): ScheduledPayment {
  const { scheduledRetry: _done, pollAt: _poll, ...payment } = before;
  return { ...payment, version: payment.version + 1 };
}
