import type { Clock, Instant } from '../core/brasilia-time.ts';
import type { ChargeCommand, ScheduledCharge } from './model.ts';
import { chargeReference, isOpenPayment, openChargeCancellation } from './model.ts';
import type { ScheduledPaymentFacts } from './states.ts';
import { handOverNow } from './window.ts';
import { untilCommitted } from '../platform/commit.ts';
import { readCharge } from './store.ts';
import type { CommandOutcome } from '../bank/outcome.ts';
import { submitOnce } from '../bank/bank.ts';
import type { ChargeBank, RecurringCharges, RecurringCommand } from '../bank/ports/recurring-charges.ts';
import { log } from '../platform/log.ts';
import type { ChargeContext } from './transition.ts';
import { moveScheduledPayment } from './transition.ts';

export type ChargeBankContext = ChargeContext & { readonly bank: ChargeBank; readonly now: Clock };

type Telling = {
  /** The command that is given for the first time; for any other the bank is asked first whether it has it. */
  readonly fresh?: ChargeCommand;
  /** What is left of the caller's time, milliseconds. */
  readonly remainingMs: () => number;
};

/**
 * `OPEN`: of a command it is not known whether the bank has it, so the payment stays due. `MISSED`: the bank did not
 * get one before its hour; it has ended.
 */
export type BankTold = 'TOLD' | 'OPEN' | 'MISSED';

/** The code of a refusal for which the bank gives none: an error of the payer's bank. */
const refusalWithoutCode = 'AB10';
/** The service's own refusal to hand a command over after its hour; like the bank's, it ends what the bank has not. */
const missed = {
  outcome: 'REFUSED',
  code: 'DENC',
  reason: 'The hour until which the bank takes it has passed.',
} as const;
type Refused = Extract<CommandOutcome<object>, { readonly outcome: 'REFUSED' }>;

/**
 * Gives the bank the commands that it may not have, in their order, each before its hour; afterwards the bank is only
 * asked. What it refuses for good moves the payment, as a callback would, and so does what it did not get in time.
 */
export async function tellBank(
  context: ChargeBankContext,
  charge: ScheduledCharge,
  { fresh, remainingMs }: Telling,
): Promise<BankTold> {
  const { recurringCharges } = context.bank;
  for (const command of charge.payment.untold ?? []) {
    const { order, submit } = commandOf(command, charge, recurringCharges);
    const give = async (): Promise<CommandOutcome<object>> => {
      const now = handOverNow(command, charge.payment, context.now());
      if (now === 'GIVE') return submit();
      return now === 'WAIT' ? { outcome: 'UNKNOWN' } : missed;
    };
    const find = () => recurringCharges.find(order);
    const end = await submitOnce(
      { submit: give, find },
      { again: command !== fresh, whenUnknown: 'LEAVE', remainingMs },
    );
    if (end.outcome === 'UNKNOWN') return 'OPEN';
    if (end.outcome === 'REFUSED') return recordRefusal(context, charge, command, end);
  }
  return 'TOLD';
}

function commandOf(
  command: ChargeCommand,
  { payment, terms }: ScheduledCharge,
  { schedule, withdraw }: RecurringCharges,
): { readonly order: RecurringCommand; readonly submit: () => Promise<CommandOutcome<object>> } {
  const charge = chargeReference(payment);
  if (command === 'SCHEDULE') {
    const { endToEndId, amount, settlementDate, description, originalScheduledPaymentId: original } = payment;
    const instruction = {
      ...{ reference: charge, recurrenceId: terms.recurrenceId, endToEndId, amount, settlementDate },
      ...(description !== undefined && { description }),
      ...(original !== undefined && { repeats: chargeReference({ id: original }) }),
    };
    return { order: instruction, submit: () => schedule(instruction) };
  }
  const request = openChargeCancellation(payment);
  if (request === undefined) throw new Error('A payment without open request has nothing to withdraw.');
  const withdrawal = { reference: chargeReference(request), charge, reason: request.reason };
  return { order: withdrawal, submit: () => withdraw(withdrawal) };
}

/** A payment that moved meanwhile stays what it is. */
async function recordRefusal(
  context: ChargeBankContext,
  { payment: { id } }: ScheduledCharge,
  command: ChargeCommand,
  refused: Refused,
): Promise<BankTold> {
  const { store, companyId, now } = context;
  const isMissed = refused === missed;
  return untilCommitted(async () => {
    const charge = await readCharge(store, companyId, id);
    if (charge === undefined) throw new Error('A scheduled payment that was created is not there.');
    if (!isOpenPayment(charge.payment) || charge.payment.untold?.includes(command) !== true) return 'TOLD';
    const facts = refusalFacts(command, refused, now());
    const { committed } = await moveScheduledPayment(context, charge, facts, isMissed ? 'service' : 'bank');
    if (!committed.ok) return undefined;
    if (!isMissed) return 'TOLD';
    log('warn', 'command missed', { companyId, paymentId: id, command });
    return 'MISSED';
  });
}

function refusalFacts(command: ChargeCommand, refused: Refused, at: Instant): ScheduledPaymentFacts {
  if (command === 'CANCEL') return { trigger: 'CANCELLATION_REJECTED', at };
  const { code = refusalWithoutCode } = refused;
  return { trigger: refused === missed ? 'ERROR' : 'REJECTED', at, errorCode: code };
}
