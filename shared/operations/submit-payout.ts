import type { PayoutWithPayments } from '../domain/payout.ts';
import type { BatchPayment } from '../domain/payout-batch.ts';
import { untilCommitted } from '../persistence/commit.ts';
import { readOrder } from '../persistence/orders.ts';
import type { Bank, Instruction, PaymentReference, Submission } from '../provider/bank.ts';
import { BankUnavailable } from '../provider/bank.ts';
import type { MoveContext } from './move-pay-in.ts';
import { movePayout } from './move-payout.ts';

export type BankContext = MoveContext & { readonly bank: Bank };

/** Calls that are under way to the bank at the same time. */
const AT_ONCE = 10;

type Part = { readonly sequence?: number; readonly instruction: Instruction };
type Answer = { readonly sequence?: number; readonly submission: Submission | 'UNAVAILABLE' };

/**
 * Hands everything of a payout that is still open to the bank, again if it was handed over before: the bank knows each
 * payment by its reference. What the bank refuses for good becomes `ERROR`. False when some of it could not be handed over
 * because the bank cannot be asked now.
 */
export async function submitPayout(context: BankContext, order: PayoutWithPayments): Promise<boolean> {
  const answers: Answer[] = [];
  const parts = partsOf(order);
  for (let start = 0; start < parts.length; start += AT_ONCE)
    answers.push(
      ...(await Promise.all(parts.slice(start, start + AT_ONCE).map((part) => handOver(part, context.bank)))),
    );
  const refused = answers.flatMap(({ sequence, submission }) =>
    submission === 'UNAVAILABLE' || submission.accepted ? [] : [{ sequence, reason: submission.reason }],
  );
  const [first] = refused;
  if (first !== undefined) {
    const sequences = refused.flatMap(({ sequence }) => sequence ?? []);
    await refuse(context, order.payout.id, { sequences, reason: first.reason });
  }
  return !answers.some(({ submission }) => submission === 'UNAVAILABLE');
}

/** The references under which the bank knows what is still open; none for a TED that was not sent yet. */
export function openReferences({ payout, payments }: PayoutWithPayments): readonly PaymentReference[] {
  if (payments.length > 0) return payments.filter(isOpen).map(({ endToEndId }) => ({ endToEndId }));
  const { endToEndId, controlNumber, status } = payout;
  if (status !== 'PENDING') return [];
  if (endToEndId !== undefined) return [{ endToEndId }];
  return controlNumber === undefined ? [] : [{ controlNumber }];
}

function partsOf(order: PayoutWithPayments): readonly Part[] {
  const { payout, payments } = order;
  const { initiation, amount, receiver, description, txid, ownerBank: payer } = payout;
  const common = { initiation, payer, receiver, description, ...(txid !== undefined && { txid }) };
  if (payments.length === 0)
    return openReferences(order).map((reference) => ({ instruction: { ...common, reference, amount } }));
  return payments.filter(isOpen).map(({ sequence, endToEndId, amount: part }) => {
    return { sequence, instruction: { ...common, reference: { endToEndId }, amount: part } };
  });
}

function isOpen({ status }: BatchPayment): boolean {
  return status === 'PENDING';
}

async function handOver({ instruction, ...part }: Part, bank: Bank): Promise<Answer> {
  try {
    return { ...part, submission: await bank.submit(instruction) };
  } catch (error) {
    if (error instanceof BankUnavailable) return { ...part, submission: 'UNAVAILABLE' };
    throw error;
  }
}

/** A payment that became final meanwhile stays what it is. */
async function refuse(
  context: BankContext,
  id: string,
  { sequences, reason }: { readonly sequences: readonly number[]; readonly reason: string },
): Promise<void> {
  await untilCommitted(async () => {
    const order = await readOrder(context.store, context.companyId, id);
    if (order?.kind !== 'PAYOUT') throw new Error('A payout that was created is not there.');
    const { payout, payments } = order;
    const open = payments.filter((payment) => isOpen(payment) && sequences.includes(payment.sequence));
    const split = payments.length > 0;
    if (payout.status !== 'PENDING' || (split && open.length === 0)) return true;
    const which = split ? { sequences: open.map(({ sequence }) => sequence) } : {};
    const { committed } = await movePayout(context, order, { trigger: 'ERROR', reason, ...which });
    return committed.ok || undefined;
  });
}
