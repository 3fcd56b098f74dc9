import { otherFields } from '#shared/bank/about.ts';
import type { RecurringChargeFound } from '../bank/ports/reader.ts';
import { report } from '../bank/report.ts';
import type { RecurringChargeState } from '../bank/ports/recurring-charges.ts';
import type { RecurrenceState } from '../bank/ports/recurrences.ts';
import { applyChargeAttempts } from '../scheduled-payments/apply-state.ts';
import { isOpenPayment } from '../scheduled-payments/model.ts';
import { attemptsOfCharge } from '../scheduled-payments/attempts.ts';
import { readCharge } from '../scheduled-payments/store.ts';
import { applyRecurrenceState } from '../subscriptions/apply-state.ts';
import { findSubscription, readSubscription } from '../subscriptions/store.ts';
import type { BankEventContext, BankEventOutcome } from './context.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';

/**
 * The id of an order or a scheduled payment that our reference at the bank names: 32 digits of a UUID, which a bank may
 * write in capitals.
 */
export function idOfReference(reference: string): string | undefined {
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/u.exec(reference.toLowerCase());
  return parts?.slice(1).join('-');
}

/** Reads a rec at the bank and applies its state to the subscription that it authorizes. */
export async function applyRecurrence(
  context: BankEventContext,
  { idRec }: Extract<BankEvent, { kind: 'RECURRENCE' }>,
): Promise<BankEventOutcome> {
  const { store, companyId, reader } = context;
  const id = await findSubscription(store, companyId, idRec);
  if (id === undefined) return 'UNKNOWN';
  const state = await reader.readRecurrence(idRec);
  return state === undefined ? 'UNKNOWN' : applyFoundRecurrence(context, id, state);
}

/** Applies the state of a rec that was read at the bank to its subscription. */
export async function applyFoundRecurrence(
  context: BankEventContext,
  subscriptionId: string,
  state: RecurrenceState,
): Promise<BankEventOutcome> {
  const { store, companyId, connection, now } = context;
  const before = await readSubscription(store, companyId, subscriptionId, 'LATEST');
  if (before?.subscription.connection !== connection.id) return 'UNKNOWN';
  const status = await applyRecurrenceState({ ...context, at: now() }, subscriptionId, state);
  return status === undefined || status === before.subscription.status ? 'SAME' : 'MOVED';
}

/** Reads a cobr at the bank and applies its state to its attempts. Each attempt is a scheduled payment. */
export async function applyRecurringCharge(
  context: BankEventContext,
  { txid }: Pick<Extract<BankEvent, { kind: 'RECURRING_CHARGE' }>, 'txid'>,
): Promise<BankEventOutcome> {
  const { store, companyId, connection, reader } = context;
  const id = idOfReference(txid);
  const charge = id === undefined ? undefined : await readCharge(store, companyId, id);
  if (id === undefined || charge?.terms.connection !== connection.id) return 'UNKNOWN';
  const known = { idRec: charge.terms.recurrenceId, amount: charge.payment.amount };
  const found = await reader.readRecurringCharge(id.replaceAll('-', ''), known);
  return found === undefined ? 'UNKNOWN' : applyFoundCharge(context, id, found.state);
}

/** Applies a cobr of a list. An item with another rec or amount than was ordered is reported and not applied. */
export async function applyListedCharge(
  context: BankEventContext,
  firstAttemptId: string,
  { idRec, amount: valor, state }: RecurringChargeFound,
): Promise<BankEventOutcome> {
  const { store, companyId, connection } = context;
  const charge = await readCharge(store, companyId, firstAttemptId);
  if (charge?.terms.connection !== connection.id) return 'UNKNOWN';
  const { terms, payment } = charge;
  const fields = otherFields({ idRec: terms.recurrenceId, valor: payment.amount }, { idRec, valor });
  if (fields.length === 0) return applyFoundCharge(context, firstAttemptId, state);
  report('AnswersAboutOthers', { companyId, paymentId: payment.id, fields: fields.join(', ') });
  return 'UNKNOWN';
}

/** Applies the state of a cobr to each of its attempts. */
async function applyFoundCharge(
  context: BankEventContext,
  firstAttemptId: string,
  state: RecurringChargeState,
): Promise<BankEventOutcome> {
  const { store, companyId } = context;
  const attempts = await attemptsOfCharge(store, companyId, firstAttemptId);
  let isMoved = false;
  for (const before of attempts) {
    const { payment } = await applyChargeAttempts(context, before.id, state);
    if (payment.status !== before.status || (isOpenPayment(before) && payment.version !== before.version))
      isMoved = true;
  }
  return isMoved ? 'MOVED' : 'SAME';
}
