import { childOrderId, strControlNumber } from '../core/identifiers.ts';
import { pick } from '../core/pick.ts';
import type { PayoutWithPayments } from './model.ts';
import type { PaymentEvent } from './states.ts';
import { payoutDueAgain, payoutNoLongerDue, readPayout, tedSendingWrites } from './store.ts';
import type { Bank } from '../bank/bank.ts';
import type { CommandOutcome } from '../bank/outcome.ts';
import { submitOnce } from '../bank/bank.ts';
import type { Instruction, PaymentState } from '../bank/ports/payouts.ts';
import type { SubmittedCommand } from '../platform/submit-in-time.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { payoutTransition } from './transition.ts';
import { tedSendingTime } from './ted-calendar.ts';

export type BankContext = TransitionContext & { readonly bank: Pick<Bank, 'payouts'> };

type SubmitOptions = {
  /** `FIRST`: the bank cannot have it; no payment begins after an open outcome. `AGAIN`: the bank is asked first. */
  readonly time: 'FIRST' | 'AGAIN';
  /** What is left of the caller's time, milliseconds. */
  readonly remainingMs: () => number;
};

/** Calls to the bank at the same time. */
const atOnce = 10;

type Part = { readonly sequence?: number; readonly instruction: Instruction };
type PartOutcome = Omit<Part, 'instruction'> & { readonly response: CommandOutcome<PaymentState> };

/** Submits every open payment of a payout. `UNKNOWN` when the bank may lack one of them: the payout stays due. */
async function submitPayout(
  context: BankContext,
  order: PayoutWithPayments,
  { time, remainingMs }: SubmitOptions,
): Promise<'ACCEPTED' | 'UNKNOWN'> {
  const { payouts } = context.bank;
  const parts = partsOf(order);
  const waiting = parts.values();
  const outcomes: PartOutcome[] = [];
  let isOpen = false;
  const work = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      if (isOpen && time === 'FIRST') return;
      const { instruction, ...part } = next.value;
      const command = { submit: () => payouts.send(instruction), find: () => payouts.find(instruction.reference) };
      const response = await submitOnce(command, { again: time === 'AGAIN', whenUnknown: 'LEAVE', remainingMs });
      isOpen ||= response.outcome === 'UNKNOWN';
      outcomes.push({ ...part, response });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const events = outcomes.flatMap(eventsFrom);
  if (events.length > 0) await commitOpen(context, order.payout.id, events);
  const isDone = outcomes.length === parts.length && !isOpen;
  return isDone ? 'ACCEPTED' : 'UNKNOWN';
}

/** The references under which the bank knows what is still open; none for a TED that was not sent yet. */
export function openReferences(order: PayoutWithPayments): readonly string[] {
  return partsOf(order).map(({ instruction }) => instruction.reference);
}

function partsOf({ payout, payments }: PayoutWithPayments): readonly Part[] {
  const { id, amount, ownerBank: payer, endToEndId, controlNumber } = payout;
  const common = { payer, ...pick(payout, 'initiation', 'receiver', 'description', 'txid') };
  if (payments.length > 0)
    return payments
      .filter(({ status }) => status === 'PENDING')
      .map(({ sequence, endToEndId, amount: part }) => {
        const reference = childOrderId(id, sequence);
        return { sequence, instruction: { ...common, reference, endToEndId, amount: part } };
      });
  if (payout.status !== 'PENDING') return [];
  if (endToEndId !== undefined) return [{ instruction: { ...common, reference: id, endToEndId, amount } }];
  if (controlNumber !== undefined) return [{ instruction: { ...common, reference: id, controlNumber, amount } }];
  return [];
}

function eventsFrom({ response, ...part }: PartOutcome): readonly PaymentEvent[] {
  if (response.outcome === 'REFUSED') {
    return [{ ...part, event: { outcome: 'ERROR', ...pick(response, 'code', 'reason') } }];
  }
  if (response.outcome === 'UNKNOWN' || response.result.outcome === 'ACCEPTED') return [];
  return [{ ...part, event: response.result }];
}

/** A payment that became final meanwhile stays what it is. */
async function commitOpen(context: BankContext, id: string, events: readonly PaymentEvent[]): Promise<void> {
  const read = () => readPayout(context.store, context.companyId, id);
  await commitTransition<PayoutWithPayments | undefined, unknown>(context, read, (order) => {
    if (order === undefined) throw new Error('A payout that was created is not there.');
    const { payout, payments } = order;
    const open = events.filter(({ sequence }) => {
      const part = sequence === undefined ? payout : payments.find((payment) => payment.sequence === sequence);
      return part?.status === 'PENDING';
    });
    return open.length === 0 ? { unchanged: undefined } : payoutTransition(context, order, open);
  });
}

/** Submits a new payout, unless its time has not come: then, and after `UNKNOWN`, the worker `submit-payouts` does. */
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

/** How many control numbers are drawn that other TEDs have: by then the day's numbers are used up. */
const maxDraws = 5;

/**
 * Submits a payout that is due, a TED in its hours only; the bank is asked first for what it may have. The bank knows
 * each payment by its reference, so two runs at once send it once. `POSTPONED`: the window of a TED is closed.
 */
export async function submitDuePayout(
  context: BankContext,
  id: string,
  remainingMs: () => number,
): Promise<SubmittedCommand | 'POSTPONED'> {
  const { store, companyId, at } = context;
  const order = await readPayout(store, companyId, id);
  // The index is read with a delay: what changed meanwhile needs nothing any more.
  if (order?.payout.status !== 'PENDING') return 'NOTHING_TO_DO';
  const { payout } = order;
  const sendAt = payout.paymentMethod === 'TED' ? tedSendingTime(at) : at;
  if (sendAt !== at) {
    await store.writeOne(payoutDueAgain(companyId, payout, { at: sendAt }));
    return 'POSTPONED';
  }
  const isUnsentTed = payout.paymentMethod === 'TED' && payout.controlNumber === undefined;
  const current = isUnsentTed ? await numberTed(context, order) : order;
  if (current === undefined) return 'NOTHING_TO_DO';
  const submitted = await submitPayout(context, current, { time: 'AGAIN', remainingMs });
  await store.writeOne(
    submitted === 'ACCEPTED'
      ? payoutNoLongerDue(companyId, payout)
      : payoutDueAgain(companyId, payout, { failedAt: at }),
  );
  return submitted;
}

/** Writes the control number of a TED before the bank sees it. Undefined after another change: the next run goes on. */
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
  throw new Error('Every control number that was drawn is taken.');
}
