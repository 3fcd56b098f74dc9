import { otherFields } from '#shared/bank/about.ts';
import type { SentPix } from '../bank/ports/reader.ts';
import type { PaymentState } from '../bank/ports/payouts.ts';
import { report } from '../bank/report.ts';
import { childSequence, parentOrderId } from '../core/identifiers.ts';
import { applyPaymentStates } from '../payouts/apply-state.ts';
import type { Payout, PayoutWithPayments } from '../payouts/model.ts';
import { readPayout } from '../payouts/store.ts';
import type { BankEventContext, BankEventOutcome } from './context.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { idOfReference } from './recurring.ts';

/**
 * Reads a payment of a payout at its bank and applies its state. The error code of the callback counts only when the
 * bank's response says that the payment failed.
 */
export async function applyPayout(
  context: BankEventContext,
  { idEnvio, code }: Extract<BankEvent, { kind: 'PAYOUT' }>,
): Promise<BankEventOutcome> {
  // An id that is not our reference is not read at the bank.
  const id = idOfReference(idEnvio);
  if (id === undefined) return 'UNKNOWN';
  // The reader refuses a response about another payment. A response without a reference is about the requested payment.
  const reference = id.replaceAll('-', '');
  const sent = await context.reader.readPayout(reference);
  return sent === undefined ? 'UNKNOWN' : applySentPix(context, { reference, ...sent }, code);
}

/**
 * Applies a payment as the bank reports it. A payment without our reference was not sent by the service. A payment with
 * our reference but another amount or end-to-end id is reported and not applied.
 */
export async function applySentPix(
  context: BankEventContext,
  { reference = '', amount: valor, endToEndId, state }: SentPix,
  code?: string,
): Promise<BankEventOutcome> {
  const { store, companyId, connection, now } = context;
  const id = idOfReference(reference);
  const order = id === undefined ? undefined : await readPayout(store, companyId, parentOrderId(id));
  // Unknown, or paid through another connection: the bank's payment is not this one.
  if (id === undefined || order?.payout.connection !== connection.id) return 'UNKNOWN';
  const sequence = childSequence(id);
  const part = partOf(order, sequence);
  if (part === undefined) return 'UNKNOWN';
  const fields = fieldsBeside(part, valor, endToEndId);
  if (fields.length > 0) {
    report('AnswersAboutOthers', { companyId, orderId: order.payout.id, fields: fields.join(', ') });
    return 'UNKNOWN';
  }
  if (isSettled(part, state)) return 'SAME';
  const update = { ...(sequence !== undefined && { sequence }), state: withCode(state, code) };
  await applyPaymentStates({ ...context, at: now() }, order, [update]);
  return part.status === 'PENDING' && isFinal(state) ? 'MOVED' : 'SAME';
}

/** Whether an order, as it was read, has already ended as the bank reports the payment of this id. */
export function isAppliedPayment(
  order: PayoutWithPayments,
  id: string,
  connection: string,
  { amount, endToEndId, state }: SentPix,
): boolean {
  const part = partOf(order, childSequence(id));
  if (part === undefined || order.payout.connection !== connection) return false;
  return fieldsBeside(part, amount, endToEndId).length === 0 && isSettled(part, state);
}

type Part = Pick<Payout, 'amount' | 'endToEndId' | 'status'>;

/** The payment of a batch, or for a payout that is one payment the payout itself. */
function partOf({ payout, payments }: PayoutWithPayments, sequence: number | undefined): Part | undefined {
  return sequence === undefined ? payout : payments.find((payment) => payment.sequence === sequence);
}

function fieldsBeside(part: Part, valor: number, endToEndId: string | undefined): readonly string[] {
  return otherFields({ valor: part.amount, endToEndId: part.endToEndId }, { valor, endToEndId });
}

/** Whether the payment has ended as the bank says. A returned payment is applied each time. */
function isSettled({ status }: Part, state: PaymentState): boolean {
  return status !== 'PENDING' && state.returns.length === 0 && status === state.status;
}

function isFinal({ status }: PaymentState): boolean {
  return status !== 'ACCEPTED' && status !== 'AWAITS_APPROVAL';
}

/** Adds the code of the callback to a failed payment, unless the bank's response has a code. */
function withCode(state: PaymentState, code: string | undefined): PaymentState {
  return state.status === 'ERROR' && state.code === undefined && code !== undefined ? { ...state, code } : state;
}
