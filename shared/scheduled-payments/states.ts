import type { Instant } from '../core/brasilia-time.ts';
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
import type { CycleEnd } from './attempts.ts';
import { cycleEndOf } from './attempts.ts';
import { owesResend } from './settlement-retry.ts';

/** Section 3 of the specification, row by row (`bank`), and what the service does by itself (`service`). */
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
  service: [
    ['INITIAL', 'WINDOW_OPENED', 'PENDING'],
    ['INITIAL', 'CANCELED', 'CANCELED'],
    ['INITIAL', 'AUTHORIZATION_CANCELED', 'CANCELED'],
    ['PENDING', 'AUTHORIZATION_CANCELED', 'CANCELED'],
    ['ACCEPTED', 'AUTHORIZATION_CANCELED', 'CANCELED'],
    // A charge, or a request to cancel it, that the bank did not get before its hour.
    ['PENDING', 'ERROR', 'ERROR'],
    ['PENDING', 'CANCELLATION_REJECTED', 'PENDING'],
    ['ACCEPTED', 'CANCELLATION_REJECTED', 'ACCEPTED'],
  ],
} as const satisfies TransitionTable<ScheduledPaymentStatus>;

/** Section 3 by the bank, and what the service does by itself (`WINDOW_OPENED`, `AUTHORIZATION_CANCELED`). */
type Plain = 'ACCEPTED' | 'COMPLETED' | 'WINDOW_OPENED';
type Failing = 'REJECTED' | 'ERROR';
type Canceling = Exclude<TriggerOf<typeof scheduledPaymentTransitions>, Plain | Failing>;

/**
 * What a move needs to know, and no more. `reason` and `customer` where the bank tells them; `resentBy`: who sends the
 * charge again after a settlement error, `us` unless the bank does.
 */
export type ScheduledPaymentFacts = { readonly at: Instant } & (
  | { readonly trigger: Plain }
  | { readonly trigger: Failing; readonly errorCode: string }
  | {
      readonly trigger: Canceling;
      readonly reason?: ChargeCancellationReason;
      readonly customer?: ChargeCancellation['customer'];
      readonly resentBy?: Resender;
    }
);

/** Ids for what a move may make. */
export type MadeIds = { readonly orderId: string; readonly cancellationId: string };

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

/** An event and the payment as it shows it. */
export type ToldPayment = { readonly event: ScheduledPaymentEvent; readonly payment: ScheduledPayment };

export type ScheduledPaymentMove = {
  readonly payment: ScheduledPayment;
  readonly told: readonly ToldPayment[];
  /** What it means for the cycle, if the charge of the cycle ended unpaid. */
  readonly cycle?: CycleEnd;
};

/**
 * The payment after a trigger (section 3), with its events. Pure.
 * @throws Refusal TRANSITION_NOT_ALLOWED naming the present status and the moves allowed from it.
 */
export function decideScheduledPayment(
  charge: ScheduledCharge,
  facts: ScheduledPaymentFacts,
  made: MadeIds,
  by: Actor = 'bank',
): ScheduledPaymentMove {
  const { payment } = charge;
  const { trigger, at } = facts;
  const status = nextStatus(scheduledPaymentTransitions, payment.status, trigger, by);
  if (status === undefined)
    throw transitionNotAllowed(payment.status, trigger, triggersFrom(scheduledPaymentTransitions, payment.status));
  const moved = reach(payment, status, at);
  switch (trigger) {
    case 'WINDOW_OPENED': {
      const { releaseAt: _past, ...released } = moved;
      return withoutEvents({ ...released, untold: ['SCHEDULE'] });
    }
    case 'ACCEPTED':
      return withoutEvents(markKnown(moved, 'SCHEDULE'));
    case 'COMPLETED':
      return rejectRequest(end({ ...moved, orderId: made.orderId }), at);
    case 'REJECTED':
    case 'ERROR':
      return withCycleEnd(charge, rejectRequest(end({ ...moved, errorCode: facts.errorCode }), at));
    case 'CANCELLATION_PENDING':
    case 'CANCELLATION_REJECTED': {
      const answer = trigger === 'CANCELLATION_PENDING' ? 'PENDING' : 'REJECTED';
      const open = openChargeCancellation(payment);
      // A request that is open stays as it was made: the bank only says again that it has it.
      const cancellation =
        open && answer === 'PENDING' ? open : answerRequest(open ?? bankRequest(charge, facts, made), answer, at);
      return withCancellationEvent({ ...markKnown(moved, 'CANCEL'), cancellation });
    }
    case 'CANCELED':
    case 'CANCELED_INSUFFICIENT_BALANCE':
    case 'AUTHORIZATION_CANCELED': {
      const request = openChargeCancellation(payment) ?? bankRequest(charge, facts, made);
      const reason = causes[trigger] ?? request.reason;
      const cancellation = answerRequest({ ...request, reason }, 'ACCEPTED', at);
      return withCycleEnd(charge, withCancellationEvent({ ...end(moved), cancellation }));
    }
    case 'CANCELED_SETTLEMENT_ERROR':
      return failSettlement(charge, end(moved), { facts, made });
  }
}

/** Reasons that follow from what happened, whoever asked for it; without one the request's own counts. */
const causes: Partial<Readonly<Record<Canceling, ChargeCancellationReason>>> = {
  CANCELED_INSUFFICIENT_BALANCE: 'OTHER_REASONS',
  AUTHORIZATION_CANCELED: 'AUTHORIZATION_CANCELED',
};

/** The charge may go on by a resend, so a request to cancel it was not fulfilled by this. */
function failSettlement(
  charge: ScheduledCharge,
  moved: ScheduledPayment,
  { facts, made }: { facts: Extract<ScheduledPaymentFacts, { trigger: Canceling }>; made: MadeIds },
): ScheduledPaymentMove {
  const { at, resentBy = 'us' } = facts;
  const own = { ...bankRequest(charge, facts, made), reason: 'SETTLEMENT_ERROR' } as const;
  const canceled = { ...moved, cancellation: answerRequest(own, 'ACCEPTED', at) };
  const payment = owesResend(charge.payment, at) ? { ...canceled, resendOwed: { since: at, by: resentBy } } : canceled;
  const open = openChargeCancellation(charge.payment);
  const rejected = open && withCancellationEvent({ ...payment, cancellation: answerRequest(open, 'REJECTED', at) });
  const move = { payment, told: [...(rejected?.told ?? []), ...withCancellationEvent(payment).told] };
  return payment.resendOwed === undefined ? withCycleEnd(charge, move) : move;
}

function reach(payment: ScheduledPayment, status: ScheduledPaymentStatus, at: Instant): ScheduledPayment {
  const version = payment.version + 1;
  if (status === payment.status) return { ...payment, version };
  const statusHistory = [...payment.statusHistory, { status, createdAt: at }];
  return { ...payment, status, statusHistory, updatedAt: at, version };
}

/** A payment that is final has nothing left to be released or told to the bank. */
function end({ untold: _untold, releaseAt: _release, ...payment }: ScheduledPayment): ScheduledPayment {
  return payment;
}

/** A bank that accepts a payment, or speaks of a request to cancel it, has the command. */
function markKnown({ untold, ...payment }: ScheduledPayment, known: ChargeCommand): ScheduledPayment {
  const left = (untold ?? []).filter((command) => command !== known);
  return left.length === 0 ? payment : { ...payment, untold: left };
}

function withoutEvents(payment: ScheduledPayment): ScheduledPaymentMove {
  return { payment, told: [eventOf(payment)] };
}

/**
 * The payment did not end by the cancellation that was requested: an open request becomes `REJECTED`, with its event.
 */
function rejectRequest(payment: ScheduledPayment, at: Instant): ScheduledPaymentMove {
  const open = openChargeCancellation(payment);
  if (open === undefined) return withoutEvents(payment);
  const rejected = { ...payment, cancellation: answerRequest(open, 'REJECTED', at) };
  return { payment: rejected, told: [...withoutEvents(rejected).told, ...withCancellationEvent(rejected).told] };
}

function withCycleEnd(charge: ScheduledCharge, move: ScheduledPaymentMove): ScheduledPaymentMove {
  return { ...move, cycle: cycleEndOf(charge, move.payment.status) };
}

function answerRequest(
  cancellation: ChargeCancellation,
  status: ChargeCancellation['status'],
  canceledAt: Instant,
): ChargeCancellation {
  return { ...cancellation, status, canceledAt };
}

/** A cancellation that the partner did not request: the payer's, unless the bank says otherwise. */
function bankRequest(
  { payment: { endToEndId }, terms }: ScheduledCharge,
  facts: Extract<ScheduledPaymentFacts, { trigger: Canceling }>,
  { cancellationId: id }: MadeIds,
): ChargeCancellation {
  const { reason = 'REQUESTED_BY_PAYER', at: canceledAt } = facts;
  const customer = facts.customer ?? { document: terms.payer.document };
  return { id, status: 'PENDING', endToEndId, reason, canceledAt, customer };
}

function eventOf(payment: ScheduledPayment): ToldPayment {
  const event = scheduledPaymentEvents.find((name) => name === `${prefix}.${payment.status}`);
  if (event === undefined) throw new Error(`A payment that becomes ${payment.status} has no event of its status.`);
  return { event, payment };
}

function withCancellationEvent(payment: ScheduledPayment): ScheduledPaymentMove {
  const event = chargeCancellationEvents.find(
    (name) => name === `${prefix}.CANCELLATION.${payment.cancellation?.status ?? ''}`,
  );
  if (event === undefined) throw new Error('A payment without cancellation tells of none.');
  return { payment, told: [{ event, payment }] };
}

/** What a payment that is new has to tell: nothing while it is held in `INITIAL`. */
export function eventsAtCreation(payment: ScheduledPayment): readonly ToldPayment[] {
  return payment.status === 'INITIAL' ? [] : [eventOf(payment)];
}

/** The partner is told of a request of its own. */
export function eventsOfCancellation(payment: ScheduledPayment): readonly ToldPayment[] {
  return withCancellationEvent(payment).told;
}
