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

/** A payment of ours, by what its bank says now. A code is believed once the bank says that it failed. */
export async function applyPayout(
  context: BankEventContext,
  { idEnvio, code }: Extract<BankEvent, { kind: 'PAYOUT' }>,
): Promise<BankEventOutcome> {
  // What is no reference of ours costs the bank no call.
  const id = idOfReference(idEnvio);
  if (id === undefined) return 'UNKNOWN';
  // Another payment than was asked for is no answer; one without a reference is that of the question.
  const reference = id.replaceAll('-', '');
  const sent = await context.reader.readPayout(reference);
  return sent === undefined ? 'UNKNOWN' : applySentPix(context, { reference, ...sent }, code);
}

/**
 * A payment as the bank reports it. One without a reference was not sent from here; one of ours with another amount or
 * end-to-end id is not applied.
 */
export async function applySentPix(
  context: BankEventContext,
  { reference = '', amount: valor, endToEndId, state }: SentPix,
  code?: string,
): Promise<BankEventOutcome> {
  const { store, companyId, connection, now } = context;
  const id = idOfReference(reference);
  const order = id === undefined ? undefined : await readPayout(store, companyId, parentOrderId(id));
  // Another connection pays it: this bank speaks of something else.
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

/** The bank's own word goes first. */
function withCode(state: PaymentState, code: string | undefined): PaymentState {
  return state.status === 'ERROR' && state.code === undefined && code !== undefined ? { ...state, code } : state;
}
