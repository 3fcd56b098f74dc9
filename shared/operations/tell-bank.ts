import type { Clock } from '../domain/brasilia-time.ts';
import type { ChargeCommand, ScheduledCharge } from '../domain/scheduled-payment.ts';
import { chargeReference, isOpenPayment, openChargeCancellation } from '../domain/scheduled-payment.ts';
import type { ScheduledPaymentFacts } from '../domain/scheduled-payment-moves.ts';
import { untilCommitted } from '../persistence/commit.ts';
import { readCharge } from '../persistence/scheduled-payments.ts';
import type { CommandEnd } from '../provider/command-end.ts';
import { giveCommand } from '../provider/give-command.ts';
import type { ChargeBank, RecurringCharges, RecurringCommand } from '../provider/ports/recurring-charges.ts';
import type { ChargeContext } from './move-scheduled-payment.ts';
import { moveScheduledPayment } from './move-scheduled-payment.ts';

export type ChargeBankContext = ChargeContext & { readonly bank: ChargeBank; readonly now: Clock };

type Telling = {
  /** The command that is given for the first time; for any other the bank is asked first whether it has it. */
  readonly fresh?: ChargeCommand;
  /** What is left of the caller's time, milliseconds. */
  readonly remainingMs: () => number;
};

/** The code of a refusal for which the bank gives none: an error of the payer's bank. */
const refusalWithoutCode = 'AB10';

/**
 * Gives the bank the commands that it may not have, in their order. What it refuses for good moves the payment, as a
 * callback would. False when it is not known of one of them whether the bank has it: the payment stays due.
 */
export async function tellBank(
  context: ChargeBankContext,
  charge: ScheduledCharge,
  { fresh, remainingMs }: Telling,
): Promise<boolean> {
  const { recurringCharges } = context.bank;
  for (const command of charge.payment.untold ?? []) {
    const { order, give } = commandOf(command, charge, recurringCharges);
    const find = () => recurringCharges.find(order);
    const end = await giveCommand({ give, find }, { again: command !== fresh, whenUnknown: 'LEAVE', remainingMs });
    if (end.end === 'UNKNOWN') return false;
    if (end.end === 'REFUSED') {
      await recordRefusal(context, charge, command, end.code);
      return true;
    }
  }
  return true;
}

function commandOf(
  command: ChargeCommand,
  { payment, terms }: ScheduledCharge,
  { schedule, withdraw }: RecurringCharges,
): { readonly order: RecurringCommand; readonly give: () => Promise<CommandEnd<object>> } {
  const charge = chargeReference(payment);
  if (command === 'SCHEDULE') {
    const { endToEndId, amount, settlementDate, description, originalScheduledPaymentId: original } = payment;
    const instruction = {
      ...{ reference: charge, recurrenceId: terms.recurrenceId, endToEndId, amount, settlementDate },
      ...(description !== undefined && { description }),
      ...(original !== undefined && { repeats: chargeReference({ id: original }) }),
    };
    return { order: instruction, give: () => schedule(instruction) };
  }
  const request = openChargeCancellation(payment);
  if (request === undefined) throw new Error('A payment without open request has nothing to withdraw.');
  const withdrawal = { reference: chargeReference(request), charge, reason: request.reason };
  return { order: withdrawal, give: () => withdraw(withdrawal) };
}

/** A payment that moved meanwhile stays what it is. */
async function recordRefusal(
  context: ChargeBankContext,
  { payment: { id } }: ScheduledCharge,
  command: ChargeCommand,
  code: string = refusalWithoutCode,
): Promise<void> {
  await untilCommitted(async () => {
    const charge = await readCharge(context.store, context.companyId, id);
    if (charge === undefined) throw new Error('A scheduled payment that was created is not there.');
    if (!isOpenPayment(charge.payment) || charge.payment.untold?.includes(command) !== true) return true;
    const at = context.now();
    const facts: ScheduledPaymentFacts =
      command === 'SCHEDULE' ? { trigger: 'REJECTED', at, errorCode: code } : { trigger: 'CANCELLATION_REJECTED', at };
    const { committed } = await moveScheduledPayment(context, charge, facts);
    return committed.ok || undefined;
  });
}
