import { otherFields } from '#shared/bank/about.ts';
import type { SentPix } from '../bank/ports/reader.ts';
import type { PaymentState } from '../bank/ports/payouts.ts';
import { report } from '../bank/report.ts';
import { childSequence, parentOrderId } from '../core/identifiers.ts';
import { applyPaymentStates } from '../payouts/apply-state.ts';
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
  const part = sequence === undefined ? order.payout : order.payments.find((payment) => payment.sequence === sequence);
  if (part === undefined) return 'UNKNOWN';
  const fields = otherFields({ valor: part.amount, endToEndId: part.endToEndId }, { valor, endToEndId });
  if (fields.length > 0) {
    report('AnswersAboutOthers', { companyId, orderId: order.payout.id, fields: fields.join(', ') });
    return 'UNKNOWN';
  }
  const isSettled = part.status !== 'PENDING' && state.returns.length === 0 && part.status === state.status;
  if (isSettled) return 'SAME';
  const update = { ...(sequence !== undefined && { sequence }), state: withCode(state, code) };
  await applyPaymentStates({ ...context, at: now() }, order, [update]);
  return part.status === 'PENDING' && isFinal(state) ? 'MOVED' : 'SAME';
}

function isFinal({ status }: PaymentState): boolean {
  return status !== 'ACCEPTED' && status !== 'AWAITS_APPROVAL';
}

/** Adds the code of the callback to a failed payment, unless the bank's response has a code. */
function withCode(state: PaymentState, code: string | undefined): PaymentState {
  return state.status === 'ERROR' && state.code === undefined && code !== undefined ? { ...state, code } : state;
}
