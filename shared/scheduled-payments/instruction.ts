import type { ChargeBank } from '../bank/bank.ts';
import type { RequestContext } from '../bank/outcome.ts';
import { nextChargePoll } from '../bank/polling.ts';
import type { ChargeInstruction, ChargeWithdrawal } from '../bank/ports/recurring-charges.ts';
import { pick } from '../core/pick.ts';
import type { ScheduledCharge, ScheduledPayment } from './model.ts';
import { chargeReference, openChargeCancellation } from './model.ts';

/** A payment as the bank gets it. Further attempts belong to the cobr of the first one. */
export function chargeInstruction({ payment, terms }: ScheduledCharge): ChargeInstruction {
  return {
    ...attemptOf({ payment, terms }),
    recurrenceId: terms.recurrenceId,
    adjustsToBusinessDay: terms.allowAdjustToBusinessDay,
    receiver: { ...terms.ownerBank, id: terms.accountId },
    ...pick(payment, 'endToEndId', 'amount', 'description'),
  };
}

/** The open request to cancel a payment as the bank gets it. */
export function chargeWithdrawal(charge: ScheduledCharge): ChargeWithdrawal {
  const request = openChargeCancellation(charge.payment);
  if (request === undefined) throw new Error('A scheduled payment has no open cancellation request.');
  return { ...attemptOf(charge), reference: chargeReference(request), reason: request.reason };
}

/**
 * Returns the fields that the bank determines for a new payment: the end-to-end id, if it gives one in advance, and the
 * first poll, if it is polled. @throws BankUnavailable
 */
export async function withBank(
  { recurringCharges, capabilities }: ChargeBank,
  charge: ScheduledCharge,
  source: Omit<RequestContext, 'connection'>,
): Promise<Pick<ScheduledPayment, 'endToEndId' | 'pollAt'>> {
  const { connection } = charge.terms;
  const context = { ...source, connection };
  const { isPolled } = await capabilities(context.companyId, connection);
  const prepared = await recurringCharges.prepare(chargeInstruction(charge), context);
  return { ...prepared, ...(isPolled && { pollAt: nextChargePoll(charge.payment.settlementDate, context.at) }) };
}

function attemptOf({ payment, terms }: ScheduledCharge) {
  const { purpose: kind, settlementDate, settlementErrorRetryAttempt: resend } = payment;
  const charge = chargeReference({ id: terms.firstAttemptId });
  const reference = chargeReference(payment);
  return { reference, kind, charge, settlementDate, ...(resend !== undefined && { resend }) };
}
