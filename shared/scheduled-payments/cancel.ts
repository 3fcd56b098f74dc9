import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { brasiliaDate } from '../core/brasilia-time.ts';
import { concurrently } from '../platform/concurrently.ts';
import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';
import { pick } from '../core/pick.ts';
import { triggersFrom } from '../core/transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { errorFields, log } from '../platform/log.ts';
import type { PaymentEntry } from '../subscriptions/model.ts';
import type { PaymentSweep } from '../subscriptions/store.ts';
import { readSweep, sweepDelete, sweepUpdate } from '../subscriptions/store.ts';
import type { ChargeCancellation, requestedReasons, ScheduledCharge, ScheduledPayment } from './model.ts';
import { isOpenPayment, openChargeCancellation } from './model.ts';
import type { ScheduledPaymentDecision } from './states.ts';
import { decideScheduledPayment, scheduledPaymentTransitions, withCancellationEvent } from './states.ts';
import { readCharge, readEntries, readPayments } from './store.ts';
import type { ChargeContext } from './transition.ts';
import { scheduledPaymentTransition } from './transition.ts';
import { commandDeadline } from './window.ts';

type CancellationRequest = {
  readonly id: string;
  readonly reason: (typeof requestedReasons)[number];
  readonly at: Instant;
  readonly createdBy?: string;
};

/**
 * Returns the payment with the partner's request to cancel it. A payment in `INITIAL` has not reached a bank yet, so it
 * is canceled immediately.
 * @throws RequestError 409 in a final status, with an open request, or from 22:00 on the day before its settlement
 * date.
 */
export function requestChargeCancellation(
  charge: ScheduledCharge,
  request: CancellationRequest,
): ScheduledPaymentDecision & { readonly cancellation: ChargeCancellation } {
  const { id, reason, at } = request;
  const { payment, terms } = charge;
  const { status, settlementDate } = payment;
  if (!isOpenPayment(payment))
    throw transitionNotAllowed(status, 'A cancellation request', triggersFrom(scheduledPaymentTransitions, status));
  if (openChargeCancellation(payment) !== undefined)
    throw forbiddenByState(
      'paymentId',
      'TRANSITION_NOT_ALLOWED',
      'The payment has a cancellation request that is still open.',
    );
  if (at >= commandDeadline('CANCEL', payment))
    throw forbiddenByState(
      'paymentId',
      'OUTSIDE_WINDOW',
      `A payment can be canceled until 22:00 in Brasilia on the day before it settles, ${settlementDate}.`,
    );
  const customer = { document: terms.receiverDocument };
  const cancellation: ChargeCancellation = {
    id,
    status: 'PENDING',
    ...pick(payment, 'endToEndId'),
    reason,
    canceledAt: at,
    ...pick(request, 'createdBy'),
    customer,
  };
  if (status === 'INITIAL') {
    const event = { trigger: 'CANCELED', at, reason, customer, ...pick(request, 'createdBy') } as const;
    const decision = decideScheduledPayment(charge, event, { cancellationId: id, orderId: id }, 'service');
    return { ...decision, cancellation: { ...cancellation, status: 'ACCEPTED' } };
  }
  const pendingCommands = [...(payment.pendingCommands ?? []), 'CANCEL'] as const;
  const requested = { ...payment, cancellation, pendingCommands, version: payment.version + 1 };
  return { ...withCancellationEvent(requested), cancellation };
}

type SweepContext = ChargeContext & {
  /** Whether there is time for one more page. */
  readonly mayGoOn: () => boolean;
};

/** Entries of one page: one query, and one read of their payments. */
const pageSize = 50;
const atOnce = 10;

/**
 * Cancels the open payments of a canceled subscription, page by page, each in one transaction with its notification.
 * Payments that settle on the day of the cancellation go on (BCB, Manual de Padrões, 6.4.6). So do payments of an
 * earlier day whose outcome the bank has yet to report. The next run continues after the last finished page.
 */
export async function sweepPayments(
  context: SweepContext,
  subscriptionId: string,
): Promise<{ readonly canceled: number; readonly isDone: boolean }> {
  const { store, companyId, ids, mayGoOn } = context;
  const sweep = await readSweep(store, companyId, subscriptionId);
  if (sweep === undefined) return { canceled: 0, isDone: true };
  let after = sweep.swept;
  let canceled = 0;
  do {
    const entries = await readEntries(store, companyId, subscriptionId, { limit: pageSize, after });
    const canceledNow = await cancelPage(context, sweep, entries);
    canceled += canceledNow;
    const last = entries.at(-1);
    if (last === undefined || entries.length < pageSize) {
      await store.write([sweepDelete(companyId, sweep)], ids.uuid());
      return { canceled, isDone: true };
    }
    await store.writeOne(sweepUpdate(companyId, sweep, last));
    after = last;
  } while (mayGoOn());
  return { canceled, isDone: false };
}

async function cancelPage(
  context: SweepContext,
  { canceledAt }: PaymentSweep,
  entries: readonly PaymentEntry[],
): Promise<number> {
  const { store, companyId } = context;
  const today = brasiliaDate(canceledAt);
  const payments = await readPayments(
    store,
    companyId,
    entries.map(({ id }) => id),
  );
  const isSwept = (payment: ScheduledPayment): boolean => isOpenPayment(payment) && !mayBeCollected(payment, today);
  const canceled = await concurrently(payments.filter(isSwept), atOnce, ({ id }) => cancelOne(context, id));
  return canceled.filter(Boolean).length;
}

/**
 * Whether the bank may have collected a payment: it settles today, or it settled on an earlier day and the bank is
 * still polled for its outcome.
 */
function mayBeCollected({ settlementDate, pollAt }: ScheduledPayment, today: LocalDate): boolean {
  return settlementDate === today || (settlementDate < today && pollAt !== undefined);
}

/** Cancels a payment. False if it became final meanwhile. */
async function cancelOne(context: SweepContext, id: string): Promise<boolean> {
  const { store, companyId, now } = context;
  const read = () => readCharge(store, companyId, id);
  return commitTransition<ScheduledCharge | undefined, boolean>(context, read, (charge) => {
    if (charge === undefined) throw new Error('Cannot find a listed scheduled payment.');
    if (!isOpenPayment(charge.payment)) return { unchanged: false };
    const event = { trigger: 'AUTHORIZATION_CANCELED', at: now() } as const;
    return { ...scheduledPaymentTransition(context, charge, event, 'service'), result: true };
  });
}

/** Cancels one page of open payments within the request that canceled the subscription; the worker goes on. */
export async function beginSweep(context: Omit<SweepContext, 'mayGoOn'>, subscriptionId: string): Promise<void> {
  const { companyId, requestId } = context;
  try {
    await sweepPayments({ ...context, mayGoOn: () => false }, subscriptionId);
  } catch (error) {
    log('error', 'Cannot cancel the open payments of a subscription', {
      companyId,
      requestId,
      subscriptionId,
      ...errorFields(error),
    });
  }
}
