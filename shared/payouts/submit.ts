import { childOrderId } from '../core/identifiers.ts';
import type { PayoutWithPayments } from './model.ts';
import type { ToldPayment } from './states.ts';
import { readPayout } from './store.ts';
import type { Bank } from '../bank/bank.ts';
import type { CommandEnd } from '../bank/outcome.ts';
import { giveCommand } from '../bank/submit-command.ts';
import type { Instruction, PaymentState } from '../bank/ports/payouts.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { payoutTransition } from './transition.ts';

export type BankContext = TransitionContext & { readonly bank: Pick<Bank, 'payouts'> };

type HandingOver = {
  /**
   * `FIRST`: the bank cannot have the payments, and a partner is waiting: once it leaves one open no more are begun.
   * `AGAIN`: it may have them, so it is asked for each first.
   */
  readonly time: 'FIRST' | 'AGAIN';
  /** What is left of the caller's time, milliseconds. */
  readonly remainingMs: () => number;
};

/** Calls to the bank at the same time. */
const atOnce = 10;

type Part = { readonly sequence?: number; readonly instruction: Instruction };
type Handed = Omit<Part, 'instruction'> & { readonly end: CommandEnd<PaymentState> };

/**
 * Hands to the bank every payment of a payout that is still open. What the bank says has ended, refusals included, is
 * moved in one transaction. False when it is not known of each payment whether the bank has it: then the payout stays
 * due.
 */
export async function submitPayout(
  context: BankContext,
  order: PayoutWithPayments,
  { time, remainingMs }: HandingOver,
): Promise<boolean> {
  const { payouts } = context.bank;
  const parts = partsOf(order);
  const waiting = parts.values();
  const handed: Handed[] = [];
  let isOpen = false;
  const work = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      if (isOpen && time === 'FIRST') return;
      const { instruction, ...part } = next.value;
      const send = { give: () => payouts.send(instruction), find: () => payouts.find(instruction.reference) };
      const end = await giveCommand(send, { again: time === 'AGAIN', whenUnknown: 'LEAVE', remainingMs });
      isOpen ||= end.end === 'UNKNOWN';
      handed.push({ ...part, end });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const told = handed.flatMap(factsFrom);
  if (told.length > 0) await commitOpen(context, order.payout.id, told);
  return handed.length === parts.length && !isOpen;
}

/** The references under which the bank knows what is still open; none for a TED that was not sent yet. */
export function openReferences(order: PayoutWithPayments): readonly string[] {
  return partsOf(order).map(({ instruction }) => instruction.reference);
}

function partsOf({ payout, payments }: PayoutWithPayments): readonly Part[] {
  const { id, initiation, amount, receiver, description, txid, ownerBank: payer, endToEndId, controlNumber } = payout;
  const common = { initiation, payer, receiver, description, ...(txid !== undefined && { txid }) };
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

function factsFrom({ end, ...part }: Handed): readonly ToldPayment[] {
  if (end.end === 'REFUSED') {
    const { code, reason } = end;
    return [{ ...part, facts: { outcome: 'ERROR', ...(code !== undefined && { code }), reason } }];
  }
  if (end.end === 'UNKNOWN' || end.facts.outcome === 'TAKEN') return [];
  return [{ ...part, facts: end.facts }];
}

/** A payment that became final meanwhile stays what it is. */
async function commitOpen(context: BankContext, id: string, events: readonly ToldPayment[]): Promise<void> {
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
