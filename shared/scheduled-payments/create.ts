import type { ChargeBank } from '../bank/bank.ts';
import { bankByIspb } from '../core/bank-directory.ts';
import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { forbiddenByState, notFound, transitionNotAllowed, badRequest } from '../core/errors.ts';
import type { Ids } from '../core/identifiers.ts';
import type { Centavos } from '../core/money.ts';
import { formatAmount } from '../core/money.ts';
import type { Counterpart } from '../core/party.ts';
import { pick } from '../core/pick.ts';
import { triggersFrom } from '../core/transition.ts';
import type { Settings } from '../platform/dependencies.ts';
import { parseResourceId } from '../platform/external-ids.ts';
import { keys } from '../platform/table/keys.ts';
import type { Put, Store } from '../platform/table/store.ts';
import type { Subscription } from '../subscriptions/model.ts';
import { expectedPayerOf } from '../subscriptions/model.ts';
import { subscriptionTransitions } from '../subscriptions/states.ts';
import { parseSubscription } from '../subscriptions/store.ts';
import type { Cycle, CycleCharge } from './cycle.ts';
import { addAttempt, cycleOf, firstChargeOf, isReplaceable, requireNewAttempt } from './cycle.ts';
import { withBank } from './instruction.ts';
import type { ScheduledCharge, ScheduledPayment } from './model.ts';
import { chargeKeys, cycleInsert, cycleUpdate, parseCharge, readCharge, readCycle } from './store.ts';
import { releaseTime, requireInWindow, settlementDateOf } from './window.ts';

/** A request for a scheduled payment, the same on every repetition of the PUT. */
type ChargeRequest = {
  readonly companyId: string;
  readonly subscriptionId: string;
  readonly fingerprint: string;
  readonly createdBy: string;
  readonly input: {
    readonly externalId: string;
    readonly dueDate: LocalDate;
    readonly amount?: Centavos | undefined;
    readonly description?: string | undefined;
    readonly originalScheduledPaymentId?: string | undefined;
  };
};

type ChargeBasis = {
  readonly subscription: Subscription;
  readonly existingId?: string;
  /** The first attempt that a new attempt names. */
  readonly original?: ScheduledCharge;
  readonly cycle?: CycleCharge;
};

/**
 * Finds the subscription and the existing payments of a request in one read. A second read finds the charge of the
 * cycle, whose key follows from the subscription: only for a new attempt, and for a first attempt that conflicted with
 * another charge. @throws RequestError 404 when the company has no such subscription.
 */
export async function findForSchedule(
  store: Store,
  { companyId, subscriptionId, input }: ChargeRequest,
  { hasConflicted }: { readonly hasConflicted: boolean },
): Promise<ChargeBasis> {
  const { originalScheduledPaymentId: originalId, dueDate } = input;
  const [item, taken, ...first] = await store.read([
    keys.subscription(companyId, subscriptionId),
    keys.unique(companyId, 'SCHEDULED_PAYMENT', input.externalId),
    ...(originalId === undefined ? [] : chargeKeys(companyId, originalId)),
  ]);
  if (item === undefined) throw notFound('Subscription');
  const subscription = parseSubscription(item);
  const named = parseCharge(first[0], first[1]);
  const original = named?.payment.subscriptionId === subscription.id ? named : undefined;
  const isCycleNeeded =
    taken === undefined && (hasConflicted || original !== undefined) && dueDate >= subscription.startDate;
  const day = original?.payment.dueDate ?? dueDate;
  const cycle = isCycleNeeded
    ? await readCycle(store, companyId, { subscriptionId, cycle: cycleOf(subscription, day).start })
    : undefined;
  return {
    subscription,
    ...(taken && { existingId: parseResourceId(taken) }),
    ...(original && { original }),
    ...(cycle && { cycle }),
  };
}

/**
 * Reads the payment of this external id, if this request created it. @throws RequestError 409 for another body or
 * subscription
 */
export async function readExistingPayment(
  store: Store,
  { companyId, input, fingerprint }: ChargeRequest,
  id: string,
): Promise<ScheduledPayment> {
  const charge = await readCharge(store, companyId, id);
  if (charge === undefined) throw new Error('An external id names a scheduled payment that does not exist.');
  if (charge.terms.fingerprint !== fingerprint)
    throw forbiddenByState(
      'externalId',
      'ALREADY_EXISTS',
      `Another scheduled payment has the externalId ${input.externalId}.`,
    );
  return charge.payment;
}

type Source = { readonly at: Instant; readonly ids: Ids; readonly settings: Settings; readonly bank: ChargeBank };
type PreparedCharge = { readonly charge: ScheduledCharge; readonly cycleWrite: Put };

/**
 * Prepares the payment of a request, with its end-to-end id if the bank gives one in advance, and the write of its
 * cycle.
 * @throws RequestError by subscription, window or cycle. @throws BankUnavailable
 */
export async function prepareScheduledPayment(
  request: ChargeRequest,
  basis: ChargeBasis,
  source: Source,
): Promise<PreparedCharge> {
  const { charge, cycleWrite } = decideCharge(request, basis, source);
  const context = { companyId: request.companyId, at: source.at };
  const more = await withBank(source.bank, charge, context);
  return { charge: { ...charge, payment: { ...charge.payment, ...more } }, cycleWrite };
}

function decideCharge(request: ChargeRequest, basis: ChargeBasis, source: Source): PreparedCharge {
  const { subscription, original } = basis;
  const { dueDate, originalScheduledPaymentId: originalId } = request.input;
  requireCharging(subscription, dueDate);
  const settlementDate = settlementDateOf(dueDate, subscription.allowAdjustToBusinessDay);
  if (originalId === undefined) return firstAttempt(request, basis, settlementDate, source);
  if (!subscription.allowChargeAfterDueDate)
    throw forbiddenByState(
      'purpose',
      'TRANSITION_NOT_ALLOWED',
      'The subscription allows no charge after its due date.',
    );
  if (original === undefined) throw notFound('First attempt');
  if (original.payment.purpose !== 'FIRST_ATTEMPT')
    throw badRequest('originalScheduledPaymentId', 'INVALID_VALUE', 'Must be the id of a first attempt.');
  return newAttempt(request, { ...basis, original }, settlementDate, source);
}

function firstAttempt(
  request: ChargeRequest,
  basis: ChargeBasis,
  settlementDate: LocalDate,
  source: Source,
): PreparedCharge {
  const { subscription, cycle: live } = basis;
  const { dueDate } = request.input;
  const amount = amountOf(request, subscription);
  requireInWindow(settlementDate, source.settings.schedule, source.at);
  const cycle = cycleOf(subscription, dueDate);
  if (live !== undefined && !isReplaceable(live))
    throw forbiddenByState(
      'dueDate',
      'ALREADY_EXISTS',
      `The cycle from ${cycle.start} to before ${cycle.next} has a charge already: ${live.firstAttemptId}.`,
    );
  const charge = chargeFor(request, basis, { amount, settlementDate, cycle }, source);
  const name = { subscriptionId: subscription.id, cycle: cycle.start };
  return { charge, cycleWrite: cycleInsert(request.companyId, name, firstChargeOf(charge.payment)) };
}

function newAttempt(
  request: ChargeRequest,
  basis: ChargeBasis & { readonly original: ScheduledCharge },
  settlementDate: LocalDate,
  source: Source,
): PreparedCharge {
  const { subscription, original } = basis;
  const amount = amountOf(request, subscription, original.payment.amount);
  const cycle = cycleOf(subscription, original.payment.dueDate);
  const attempt = { original: original.payment, settlementDate, amount, nextCycle: cycle.next, at: source.at };
  const before = requireNewAttempt(basis.cycle, attempt);
  const charge = chargeFor(request, basis, { amount, settlementDate, cycle }, source);
  const name = { subscriptionId: subscription.id, cycle: cycle.start };
  return {
    charge,
    cycleWrite: cycleUpdate(request.companyId, name, addAttempt(before, charge.payment)),
  };
}

function requireCharging({ status, startDate, endDate }: Subscription, dueDate: LocalDate): void {
  if (status !== 'ACCEPTED')
    throw transitionNotAllowed(status, 'A scheduled payment', triggersFrom(subscriptionTransitions, status));
  if (dueDate < startDate)
    throw badRequest('dueDate', 'OUT_OF_RANGE', `Must not be before the subscription starts, ${startDate}.`);
  if (endDate !== undefined && dueDate > endDate)
    throw badRequest('dueDate', 'OUT_OF_RANGE', `Must not be after the subscription ends, ${endDate}.`);
}

/** A fixed amount may be left out of the request, but not contradicted. */
function amountOf({ input }: ChargeRequest, { fixedAmount }: Subscription, first?: Centavos): Centavos {
  const amount = input.amount ?? fixedAmount ?? first;
  if (amount === undefined)
    throw badRequest('amount', 'REQUIRED', 'Is required: the subscription has no fixed amount.');
  if (fixedAmount !== undefined && amount !== fixedAmount)
    throw badRequest(
      'amount.value',
      'INVALID_VALUE',
      `Must be the subscription’s fixed amount: ${formatAmount(fixedAmount)}.`,
    );
  return amount;
}

function chargeFor(
  { input, fingerprint, createdBy }: ChargeRequest,
  { subscription, original }: ChargeBasis,
  details: { readonly amount: Centavos; readonly settlementDate: LocalDate; readonly cycle: Cycle },
  { at, ids, settings }: Source,
): ScheduledCharge {
  const { amount, settlementDate, cycle } = details;
  const id = ids.uuid();
  const releaseAt = releaseTime(settlementDate, settings.schedule, at);
  const statuses = releaseAt === undefined ? (['INITIAL', 'PENDING'] as const) : (['INITIAL'] as const);
  const payment: ScheduledPayment = {
    id,
    ...pick(input, 'externalId', 'dueDate', 'description'),
    subscriptionId: subscription.id,
    status: releaseAt === undefined ? 'PENDING' : 'INITIAL',
    statusHistory: statuses.map((status) => ({ status, createdAt: at })),
    amount,
    settlementDate,
    purpose: original ? 'NEW_ATTEMPT_AFTER_DUE_DATE' : 'FIRST_ATTEMPT',
    ...(original && { originalScheduledPaymentId: original.payment.id }),
    createdAt: at,
    createdBy,
    updatedAt: at,
    ...(releaseAt === undefined ? { pendingCommands: ['SCHEDULE'] } : { releaseAt }),
    version: 1,
  };
  const { webhookUrl, receiver, ownerBank, providerId: recurrenceId, externalId: code } = subscription;
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
    allowAdjustToBusinessDay: subscription.allowAdjustToBusinessDay,
    ...pick(subscription, 'connection'),
    fingerprint,
  };
  return { payment, terms };
}

/** Returns the bank's payer, else the expected one. No name is combined with another party's document or account. */
function chargePayer(subscription: Subscription): Counterpart {
  const expected = expectedPayerOf(subscription);
  const { payer } = subscription;
  const known = payer?.document.number === expected.document.number ? expected.name : undefined;
  const name = payer?.name ?? known;
  if (payer === undefined || name === undefined) return expected;
  const { document, bankData } = payer;
  if (bankData === undefined) return { name, document };
  const { ispb, branchNumber, accountNumber: account } = bankData;
  const institution = bankByIspb(ispb);
  return {
    name,
    document,
    bank: {
      ispb,
      ...(institution && { name: institution.name, code: institution.code }),
      ...(branchNumber !== undefined && { branch: branchNumber }),
      account,
    },
  };
}
