import type { ChargeInstruction, ChargeWithdrawal } from '../bank/ports/recurring-charges.ts';
import { pick } from '../core/pick.ts';
import type { ScheduledCharge } from './model.ts';
import { chargeReference, openChargeCancellation } from './model.ts';

/** A payment as the bank gets it. Further attempts belong to the cobr of the first one. */
export function chargeInstruction({ payment, terms }: ScheduledCharge): ChargeInstruction {
  return {
    ...attemptOf({ payment, terms }),
    recurrenceId: terms.recurrenceId,
    receiver: { ...terms.ownerBank, id: terms.accountId },
    ...pick(payment, 'endToEndId', 'amount', 'description'),
  };
}

/** The open request to cancel a payment as the bank gets it. */
export function chargeWithdrawal(charge: ScheduledCharge): ChargeWithdrawal {
  const request = openChargeCancellation(charge.payment);
  if (request === undefined) throw new Error('A payment without open request has nothing to withdraw.');
  return { ...attemptOf(charge), reference: chargeReference(request), reason: request.reason };
}

function attemptOf({ payment, terms }: ScheduledCharge) {
  const { purpose: kind, settlementDate } = payment;
  const charge = chargeReference({ id: terms.firstAttemptId });
  return { reference: chargeReference(payment), kind, charge, settlementDate };
}
