import type { RequestOf } from '#shared/contract/contract.ts';
import type { Instant, LocalDate } from '#shared/core/brasilia-time.ts';
import { chargePayer } from '#shared/scheduled-payments/charge-payer.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { endToEndId } from '#shared/core/identifiers.ts';
import type { Centavos } from '#shared/core/money.ts';
import { formatAmount } from '#shared/core/money.ts';
import { triggersFrom } from '#shared/core/transition.ts';
import { subscriptionTransitions } from '#shared/subscriptions/states.ts';
import { forbiddenByState, notFound, transitionNotAllowed, wrong } from '#shared/core/errors.ts';
import type { ScheduledCharge, ScheduledPayment } from '#shared/scheduled-payments/model.ts';
import { addAttempt, isReplaceable, requireNewAttempt, firstChargeOf } from '#shared/scheduled-payments/attempts.ts';
import type { Cycle } from '#shared/scheduled-payments/cycle.ts';
import { cycleOf } from '#shared/scheduled-payments/cycle.ts';
import { releaseTime, requireInWindow, settlementDateOf } from '#shared/scheduled-payments/window.ts';
import type { Subscription } from '#shared/subscriptions/model.ts';
import { cycleInsert, cycleUpdate } from '#shared/scheduled-payments/cycle-store.ts';
import type { Put } from '#shared/platform/table/store.ts';
import type { Settings } from '#shared/platform/dependencies.ts';
import type { CreateScheduledPayment } from './contract.ts';
import type { Found } from './find-for-schedule.ts';

type Request = RequestOf<typeof CreateScheduledPayment>;
type Source = { readonly at: Instant; readonly ids: Ids; readonly settings: Settings };
type Opened = { readonly charge: ScheduledCharge; readonly cycleWrite: Put };

/**
 * The payment that a request asks for, and what it does to its cycle.
 * @throws Refusal when the subscription, the window or the cycle forbids it.
 */
export function prepareScheduledPayment(request: Request, found: Found, source: Source): Opened {
  const { subscription, original } = found;
  const { dueDate, originalScheduledPaymentId: originalId } = request.body;
  requireCharging(subscription, dueDate);
  const settlementDate = settlementDateOf(dueDate, subscription.allowAdjustToBusinessDay);
  if (originalId === undefined) return firstAttempt(request, found, settlementDate, source);
  if (!subscription.allowChargeAfterDueDate)
    throw forbiddenByState(
      'purpose',
      'TRANSITION_NOT_ALLOWED',
      'The subscription allows no charge after its due date.',
    );
  if (original === undefined) throw notFound('First attempt');
  if (original.payment.purpose !== 'FIRST_ATTEMPT')
    throw wrong('originalScheduledPaymentId', 'INVALID_VALUE', 'Must be the id of a first attempt.');
  return newAttempt(request, { ...found, original }, settlementDate, source);
}

function firstAttempt(request: Request, found: Found, settlementDate: LocalDate, source: Source): Opened {
  const { subscription, cycle: live } = found;
  const { dueDate } = request.body;
  const amount = amountOf(request, subscription);
  requireInWindow(settlementDate, source.settings.schedule, source.at);
  const cycle = cycleOf(subscription, dueDate);
  if (live !== undefined && !isReplaceable(live))
    throw forbiddenByState(
      'dueDate',
      'ALREADY_EXISTS',
      `The cycle from ${cycle.start} to before ${cycle.next} has a charge already: ${live.firstAttemptId}.`,
    );
  const charge = chargeFor(request, found, { amount, settlementDate, cycle }, source);
  const name = { subscriptionId: subscription.id, cycle: cycle.start };
  return { charge, cycleWrite: cycleInsert(request.caller.companyId, name, firstChargeOf(charge.payment)) };
}

function newAttempt(
  request: Request,
  found: Found & { readonly original: ScheduledCharge },
  settlementDate: LocalDate,
  source: Source,
): Opened {
  const { subscription, original } = found;
  const amount = amountOf(request, subscription, original.payment.amount);
  const cycle = cycleOf(subscription, original.payment.dueDate);
  const wanted = { original: original.payment, settlementDate, amount, nextCycle: cycle.next, at: source.at };
  const before = requireNewAttempt(found.cycle, wanted);
  const charge = chargeFor(request, found, { amount, settlementDate, cycle }, source);
  const name = { subscriptionId: subscription.id, cycle: cycle.start };
  return {
    charge,
    cycleWrite: cycleUpdate(request.caller.companyId, name, addAttempt(before, charge.payment)),
  };
}

function requireCharging({ status, startDate, endDate }: Subscription, dueDate: LocalDate): void {
  if (status !== 'ACCEPTED')
    throw transitionNotAllowed(status, 'A scheduled payment', triggersFrom(subscriptionTransitions, status));
  if (dueDate < startDate)
    throw wrong('dueDate', 'OUT_OF_RANGE', `Must not be before the subscription starts, ${startDate}.`);
  if (endDate !== undefined && dueDate > endDate)
    throw wrong('dueDate', 'OUT_OF_RANGE', `Must not be after the subscription ends, ${endDate}.`);
}

/** A fixed amount may be left out of the request, but not contradicted. */
function amountOf({ body }: Request, { fixedAmount }: Subscription, first?: Centavos): Centavos {
  const amount = body.amount ?? fixedAmount ?? first;
  if (amount === undefined) throw wrong('amount', 'REQUIRED', 'Is required: the subscription has no fixed amount.');
  if (fixedAmount !== undefined && amount !== fixedAmount)
    throw wrong(
      'amount.value',
      'INVALID_VALUE',
      `Must be the subscription’s fixed amount: ${formatAmount(fixedAmount)}.`,
    );
  return amount;
}

function chargeFor(
  { body, fingerprint }: Request,
  { subscription, ownerBank, original }: Found,
  of: { readonly amount: Centavos; readonly settlementDate: LocalDate; readonly cycle: Cycle },
  { at, ids, settings }: Source,
): ScheduledCharge {
  const { amount, settlementDate, cycle } = of;
  const id = ids.uuid();
  const releaseAt = releaseTime(settlementDate, settings.schedule, at);
  const statuses = releaseAt === undefined ? (['INITIAL', 'PENDING'] as const) : (['INITIAL'] as const);
  const payment: ScheduledPayment = {
    id,
    externalId: body.externalId,
    subscriptionId: subscription.id,
    status: releaseAt === undefined ? 'PENDING' : 'INITIAL',
    statusHistory: statuses.map((status) => ({ status, createdAt: at })),
    amount,
    dueDate: body.dueDate,
    settlementDate,
    ...(body.description !== undefined && { description: body.description }),
    purpose: original ? 'NEW_ATTEMPT_AFTER_DUE_DATE' : 'FIRST_ATTEMPT',
    ...(original && { originalScheduledPaymentId: original.payment.id }),
    endToEndId: endToEndId(settings.ispb, at, ids),
    createdAt: at,
    updatedAt: at,
    ...(releaseAt === undefined ? { untold: ['SCHEDULE'] } : { releaseAt }),
    version: 1,
  };
  const { webhookUrl, receiver, providerId: recurrenceId, externalId: code } = subscription;
  const terms = {
    subscription: { id: subscription.id, code },
    recurrenceId,
    webhookUrl,
    accountId: receiver.id,
    ownerBank,
    payer: chargePayer(subscription),
    receiverDocument: receiver.document,
    cycle: cycle.start,
    firstAttemptId: original?.payment.id ?? id,
    fingerprint,
  };
  return { payment, terms };
}
