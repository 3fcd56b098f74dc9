import { concurrently } from '../platform/concurrently.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { strControlNumber } from '../core/identifiers.ts';
import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import { repeating } from '../bank/repeat.ts';
import { nextPoll } from '../bank/polling.ts';
import type { CommandOutcome, FoundCommand } from '../bank/outcome.ts';
import type { PaymentState } from '../bank/ports/payouts.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import type { PaymentUpdate } from './apply-state.ts';
import { applyPaymentStates, paymentStateOf } from './apply-state.ts';
import type { Payout, PayoutWithPayments } from './model.ts';
import type { OrderedPayment } from './payment-orders.ts';
import { openPayments } from './payment-orders.ts';
import {
  payoutNoLongerDue,
  payoutPolledAt,
  payoutSubmitted,
  payoutTaken,
  readPayout,
  tedSendingWrites,
} from './store.ts';
import { tedSendingTime } from './ted-calendar.ts';

export type BankContext = TransitionContext & { readonly bank: Pick<Bank, 'payouts' | 'capabilities'> };

type SubmitOptions = {
  /**
   * `FIRST`: the bank cannot have the payout; after a payment without a known outcome no further payment is sent.
   * `AGAIN`: each payment is looked up at the bank first.
   */
  readonly time: 'FIRST' | 'AGAIN';
  /** Returns the milliseconds left of the caller's time. */
  readonly remainingMs: () => number;
};

/** Concurrent calls to the bank. */
const callsAtOnce = 10;

/** Submits every open payment of a payout. `UNKNOWN` when the bank may lack one of them: the payout stays due. */
async function submitPayout(
  context: BankContext,
  order: PayoutWithPayments,
  { time, remainingMs }: SubmitOptions,
): Promise<'ACCEPTED' | 'UNKNOWN'> {
  const { bank, companyId, at } = context;
  const { connection } = order.payout;
  const isAgain = time === 'AGAIN';
  const open = openPayments(order);
  const unanswered: string[] = [];
  const outcomes = await askForEach(open, async (payment) => {
    const { reference } = payment.order;
    if (unanswered.length > 0 && !isAgain) return undefined;
    const again = isAgain && (await repeating(context, repeatedAs(order.payout), { reference, connection }));
    const options = { again, whenUnknown: 'LEAVE', remainingMs } as const;
    const response = await submitOnce(bank.payouts.send, payment.order, { companyId, connection, at }, options);
    if (paymentStateOf(response) === undefined) unanswered.push(reference);
    return response;
  });
  await applyPaymentStates(context, order, outcomes);
  return unanswered.length > 0 ? 'UNKNOWN' : 'ACCEPTED';
}

/** What a repetition of its payments is for a bank. */
function repeatedAs({ paymentMethod, initiation }: Payout): 'payout' | 'accountPayout' | 'ted' {
  if (paymentMethod === 'TED') return 'ted';
  return initiation === 'MANUAL' ? 'accountPayout' : 'payout';
}

/** Calls the bank for each payment, and returns the states that it reports. */
async function askForEach(
  payments: readonly OrderedPayment[],
  ask: (payment: OrderedPayment) => Promise<CommandOutcome<PaymentState> | FoundCommand<PaymentState> | undefined>,
): Promise<readonly PaymentUpdate[]> {
  const updates = await concurrently(payments, callsAtOnce, async (payment): Promise<readonly PaymentUpdate[]> => {
    const response = await ask(payment);
    const state = response && paymentStateOf(response);
    const { sequence } = payment;
    return state === undefined ? [] : [{ ...(sequence !== undefined && { sequence }), state }];
  });
  return updates.flat();
}

/** Submits a new payout. If its time has not come yet, or after `UNKNOWN`, the worker `submit-payouts` submits it. */
export async function submitNewPayout(
  context: BankContext,
  order: PayoutWithPayments,
  remainingMs: () => number,
): Promise<SubmittedCommand> {
  const { createdAt, sendAt, paymentMethod } = order.payout;
  const isClosed = paymentMethod === 'TED' && tedSendingTime(context.at) !== context.at;
  if (sendAt !== createdAt || isClosed) return 'NOTHING_TO_DO';
  return submitPayout(context, order, { time: 'FIRST', remainingMs });
}

/** Control numbers that are tried: if other TEDs have all of them, the numbers of the day are used up. */
const maxDraws = 5;

/**
 * Submits a payout that is due, a TED only in its hours. Payments that the bank may have are looked up first. Only one
 * of two concurrent runs submits the payout: the lookup of the other could miss the new command, and the bank might
 * refuse it. `POSTPONED`: the window of a TED is closed.
 */
export async function submitDuePayout(
  context: BankContext,
  id: string,
  remainingMs: () => number,
): Promise<SubmittedCommand | 'POSTPONED'> {
  const { store, companyId, at } = context;
  const order = await readPayout(store, companyId, id);
  // The index lags behind the table: a payout that is final by now needs nothing.
  if (order?.payout.status !== 'PENDING') return 'NOTHING_TO_DO';
  const { payout } = order;
  const sendAt = payout.paymentMethod === 'TED' ? tedSendingTime(at) : at;
  if (sendAt !== at) {
    await store.writeOne(payoutTaken(companyId, payout, at, sendAt));
    return 'POSTPONED';
  }
  // Written before the bank is called: after a crash the next lookup comes later than the bank's reads lag.
  if (!(await store.writeOne(payoutSubmitted(companyId, payout, at))).ok) return 'NOTHING_TO_DO';
  const isUnsentTed = payout.paymentMethod === 'TED' && payout.controlNumber === undefined;
  const current = isUnsentTed ? await numberTed(context, order) : order;
  if (current === undefined) return 'NOTHING_TO_DO';
  // The bank cannot have a TED that had no control number.
  const time = isUnsentTed ? 'FIRST' : 'AGAIN';
  const submitted = await submitPayout(context, current, { time, remainingMs });
  if (submitted === 'ACCEPTED') await awaitOutcome(context, acceptedAt(current, at));
  return submitted;
}

function acceptedAt({ payout, payments }: PayoutWithPayments, at: Instant): PayoutWithPayments {
  return { payout: { ...payout, acceptedAt: at }, payments };
}

/** Ends the due submission of a payout that the bank has, or schedules a lookup for a bank that is polled. */
async function awaitOutcome(
  { store, bank, companyId, realNow }: BankContext,
  { payout }: PayoutWithPayments,
): Promise<void> {
  const { isPolled } = await bank.capabilities(companyId, payout.connection);
  await store.writeOne(
    isPolled
      ? payoutPolledAt(companyId, payout, nextPoll('PAYOUT_POLL', payout.sendAt, realNow()))
      : payoutNoLongerDue(companyId, payout),
  );
}

/**
 * Looks up the payments that the bank accepted. The next lookup is scheduled first, so that a bank that hangs is called
 * no more often. False when the bank's state of a payment is unknown.
 */
export async function pollPayout(context: BankContext, id: string): Promise<boolean> {
  const { store, bank, companyId, at } = context;
  const order = await readPayout(store, companyId, id);
  if (order?.payout.status !== 'PENDING') return true;
  const { connection } = order.payout;
  await awaitOutcome(context, order);
  let isSilent = false;
  const updates = await askForEach(openPayments(order), async (payment) => {
    const found = await bank.payouts.send.find(payment.order, { companyId, connection, at });
    isSilent ||= paymentStateOf(found) === undefined;
    return found;
  });
  await applyPaymentStates(context, order, updates);
  return !isSilent;
}

/**
 * Writes the control number of a TED before the bank gets it. Undefined if the payout changed meanwhile: the next run
 * submits it.
 */
async function numberTed(
  { store, companyId, at, ids }: BankContext,
  { payout, payments }: PayoutWithPayments,
): Promise<PayoutWithPayments | undefined> {
  for (let draws = 0; draws < maxDraws; draws += 1) {
    const controlNumber = strControlNumber(at, ids);
    const written = await store.write(tedSendingWrites(companyId, payout, controlNumber, at), ids.uuid());
    if (written.ok) return { payout: { ...payout, controlNumber, version: payout.version + 1 }, payments };
    if (written.failed.some(({ index }) => index === 0)) return undefined;
  }
  throw new Error('Cannot assign a control number (STR): every generated number is in use.');
}
