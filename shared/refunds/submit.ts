import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import { repeating } from '../bank/repeat.ts';
import { nextPoll } from '../bank/polling.ts';
import type { RefundOrder } from '../bank/ports/refunds.ts';
import { pick } from '../core/pick.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { applyRefundState } from './apply-state.ts';
import type { PayInWithRefunds, Refund } from './model.ts';
import { openRefund } from './model.ts';
import { readPayInWithRefunds, refundTaken, refundNoLongerDue, refundPolledAt } from './store.ts';

type RefundContext = TransitionContext & {
  readonly bank: Pick<Bank, 'refunds' | 'capabilities'>;
  readonly remainingMs?: () => number;
};

/**
 * Submits the open refund of a pay-in to its bank. With `again` the bank may have the refund already: a lookup comes
 * first, and of two concurrent runs only one continues. A refund that the bank refuses gets the status `FAILED`.
 */
export async function submitRefund(
  context: RefundContext,
  order: PayInWithRefunds,
  { again }: { readonly again: boolean },
): Promise<SubmittedCommand> {
  const { store, bank, companyId, at, remainingMs = () => Infinity } = context;
  const refund = openRefund(order.refunds);
  if (refund === undefined) return 'NOTHING_TO_DO';
  // Postpones the submission by 2 minutes before the bank is called. After a crash the next lookup then comes later
  // than the lag of the bank's reads.
  if (again && !(await store.writeOne(refundTaken(companyId, refund, at))).ok) return 'NOTHING_TO_DO';
  const { connection } = order.payIn;
  const repeated = again && (await repeating(context, 'refund', { reference: refund.id, connection }));
  const options = { again: repeated, whenUnknown: 'ASK', remainingMs } as const;
  const response = await submitOnce(bank.refunds, orderOf(order, refund), { companyId, connection, at }, options);
  switch (response.outcome) {
    case 'DONE':
      await awaitOutcome(context, order, refund);
      await applyRefundState(context, refund, response.state);
      return 'ACCEPTED';
    case 'REFUSED':
      await applyRefundState(context, refund, { status: 'FAILED', ...pick(response, 'code', 'reason') });
      return 'REFUSED';
    case 'UNKNOWN':
    case 'NOT_NOW':
      return 'UNKNOWN';
  }
}

function orderOf({ payIn: { endToEndId } }: PayInWithRefunds, refund: Refund): RefundOrder {
  if (endToEndId === undefined) throw new Error('A paid pay-in has no end-to-end id.');
  return { reference: refund.id, endToEndId, ...pick(refund, 'amount', 'description') };
}

/** Sets the next poll time of a refund that the bank accepted; removes its due time where the bank is not polled. */
async function awaitOutcome(
  { store, bank, companyId, realNow }: RefundContext,
  { payIn }: PayInWithRefunds,
  refund: Refund,
): Promise<void> {
  const { isPolled } = await bank.capabilities(companyId, payIn.connection);
  await store.writeOne(
    isPolled
      ? refundPolledAt(companyId, refund, nextPoll('REFUND_POLL', refund.createdAt, realNow()))
      : refundNoLongerDue(companyId, refund),
  );
}

/**
 * Looks up the open refund of a pay-in at its bank, and applies its state. Sets the next poll time before the lookup.
 * Returns false when the lookup gives no state: no valid response, call not carried out, or refund not found.
 */
export async function pollRefund(context: RefundContext, orderId: string): Promise<boolean> {
  const { store, bank, companyId, at } = context;
  const order = await readPayInWithRefunds(store, companyId, orderId);
  const refund = order && openRefund(order.refunds);
  if (order === undefined || refund === undefined) return true;
  await awaitOutcome(context, order, refund);
  const { connection } = order.payIn;
  const found = await bank.refunds.find(orderOf(order, refund), { companyId, connection, at });
  if (found.outcome === 'DONE') await applyRefundState(context, refund, found.state);
  else if (found.outcome === 'REFUSED')
    await applyRefundState(context, refund, { status: 'FAILED', ...pick(found, 'code', 'reason') });
  return found.outcome === 'DONE' || found.outcome === 'REFUSED';
}
