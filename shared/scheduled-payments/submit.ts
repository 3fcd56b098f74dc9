import type { Instant } from '../core/brasilia-time.ts';
import { keys } from '../platform/table/keys.ts';
import { parseSubscription } from '../subscriptions/store.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { log } from '../platform/log.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import type { ChargeBank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import { repeating } from '../bank/repeat.ts';
import type { Command, CommandOutcome, RefusedCommand } from '../bank/outcome.ts';
import type { RecurringChargeState } from '../bank/ports/recurring-charges.ts';
import { applyChargeAttempts } from './apply-state.ts';
import { codeOfUnknownError } from './bank-transitions.ts';
import { chargeInstruction, chargeWithdrawal } from './instruction.ts';
import type { ChargeCommand, ScheduledCharge } from './model.ts';
import { chargeReference, isOpenPayment } from './model.ts';
import type { ChargeEvent } from './states.ts';
import { chargeCommandsDone, chargeTaken, readCharge, requireCharge } from './store.ts';
import type { ChargeContext } from './transition.ts';
import { scheduledPaymentTransition } from './transition.ts';
import { submissionPhase } from './window.ts';

export type ChargeBankContext = ChargeContext & {
  readonly bank: ChargeBank;
  /** Returns the milliseconds left of the caller's time. */
  readonly remainingMs: () => number;
};

/** A command whose deadline has passed. It ends like a command that the bank refuses. */
const missed = {
  outcome: 'REFUSED',
  code: 'DENC',
  reason: 'The hour until which the bank takes it has passed.',
} as const;

/**
 * Submits the pending commands of a payment in their order, each before its deadline, and applies the bank's response
 * to the payment. A refusal by the bank, or a missed deadline, causes a transition as a callback does.
 * @param firstTry the command that the bank cannot have yet
 */
export async function submitCharge(
  context: ChargeBankContext,
  charge: ScheduledCharge,
  firstTry?: ChargeCommand,
): Promise<SubmittedCommand> {
  const { id } = charge.payment;
  for (const command of charge.payment.pendingCommands ?? []) {
    const response = await submitCommand(context, charge, command, { again: command !== firstTry });
    if (response.outcome === 'UNKNOWN' || response.outcome === 'NOT_NOW') return 'UNKNOWN';
    if (response.outcome === 'REFUSED') return recordRefused(context, charge, command, response);
    if (response.state.attempts.length === 0) continue;
    const { payment } = await applyChargeAttempts(context, id, response.state);
    if (!isOpenPayment(payment)) return 'ENDED';
  }
  return 'ACCEPTED';
}

export async function submitDueCharge(context: ChargeBankContext, id: string): Promise<SubmittedCommand> {
  const { store, companyId, now } = context;
  const charge = await readCharge(store, companyId, id);
  // The index lags: after another transition no command may be pending any more.
  if (charge?.payment.pendingCommands === undefined) return 'NOTHING_TO_DO';
  // Written before the bank call: after a crash the next lookup comes later than the bank's reads lag.
  if (!(await store.writeOne(chargeTaken(companyId, charge.payment, now()))).ok) return 'NOTHING_TO_DO';
  const submitted = await submitCharge(context, charge);
  if (submitted !== 'UNKNOWN') await store.writeOne(chargeCommandsDone(companyId, charge.payment));
  return submitted;
}

/**
 * Releases a payment from `INITIAL` whose window has opened, and submits it. A payment of a canceled subscription is
 * left to the sweep, which cancels it: the bank never gets it.
 */
export async function releasePayment(context: ChargeBankContext, id: string): Promise<SubmittedCommand> {
  const { store, companyId, now } = context;
  const read = async () => {
    const charge = await readCharge(store, companyId, id);
    const [item] = charge ? await store.read([keys.subscription(companyId, charge.payment.subscriptionId)]) : [];
    return item !== undefined && parseSubscription(item).status === 'CANCELED' ? undefined : charge;
  };
  const released = await commitTransition(context, read, (charge) =>
    charge?.payment.releaseAt === undefined
      ? { unchanged: undefined }
      : scheduledPaymentTransition(context, charge, { trigger: 'WINDOW_OPENED', at: now() }, 'service'),
  );
  return released === undefined ? 'NOTHING_TO_DO' : submitCharge(context, released, 'SCHEDULE');
}

async function submitCommand(
  { store, bank, companyId, now, remainingMs }: ChargeBankContext,
  charge: ScheduledCharge,
  command: ChargeCommand,
  { again }: { readonly again: boolean },
): Promise<CommandOutcome<RecurringChargeState>> {
  const { recurringCharges } = bank;
  const reference = chargeReference(charge.payment);
  const { connection } = charge.terms;
  const repeated = again && (await repeating({ store, bank, companyId }, 'recurringCharge', { reference, connection }));
  const options = { again: repeated, whenUnknown: 'LEAVE', remainingMs } as const;
  const context = { companyId, connection, at: now() };
  const beforeHour = <Order>({ submit, find }: Command<Order, RecurringChargeState>) => ({
    submit: async (order: Order): Promise<CommandOutcome<RecurringChargeState>> => {
      const phase = submissionPhase(command, charge.payment, now());
      if (phase === 'SUBMIT') return submit(order, context);
      return phase === 'WAIT' ? { outcome: 'UNKNOWN' } : missed;
    },
    find,
  });
  return command === 'SCHEDULE'
    ? submitOnce(beforeHour(recurringCharges.schedule), chargeInstruction(charge), context, options)
    : submitOnce(beforeHour(recurringCharges.withdraw), chargeWithdrawal(charge), context, options);
}

/** Records a refused command, unless the payment ended or the command is no longer pending. */
async function recordRefused(
  context: ChargeBankContext,
  { payment: { id } }: ScheduledCharge,
  command: ChargeCommand,
  refused: RefusedCommand,
): Promise<SubmittedCommand> {
  const { store, companyId, now } = context;
  const isMissed = refused === missed;
  const read = () => requireCharge(store, companyId, id);
  const submitted = await commitTransition<ScheduledCharge, SubmittedCommand>(context, read, (charge) => {
    const { payment } = charge;
    if (!isOpenPayment(payment) || payment.pendingCommands?.includes(command) !== true)
      return { unchanged: 'ACCEPTED' };
    const event = refusedEvent(command, refused, now());
    const transition = scheduledPaymentTransition(context, charge, event, isMissed ? 'service' : 'bank');
    return { ...transition, result: isMissed ? 'MISSED' : 'REFUSED' };
  });
  if (submitted === 'MISSED') log('warn', 'Command missed its deadline', { companyId, paymentId: id, command });
  return submitted;
}

function refusedEvent(command: ChargeCommand, refused: RefusedCommand, at: Instant): ChargeEvent {
  if (command === 'CANCEL') return { trigger: 'CANCELLATION_REJECTED', at };
  const { code = codeOfUnknownError } = refused;
  return { trigger: refused === missed ? 'ERROR' : 'REJECTED', at, errorCode: code };
}
