import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import { repeating } from '../bank/repeat.ts';
import { nextPoll } from '../bank/polling.ts';
import type { RefundOrder } from '../bank/ports/refunds.ts';
import { pick } from '../core/pick.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import type { PayIn } from '../pay-ins/model.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { applyRefundState } from './apply-state.ts';
import type { Refund } from './model.ts';
import { readOpenRefund, refundSubmitted, refundNoLongerDue, refundPolledAt } from './store.ts';

type RefundContext = TransitionContext & {
  readonly bank: Pick<Bank, 'refunds' | 'capabilities'>;
  readonly remainingMs?: () => number;
};

/** A refund that waits for the bank, with its pay-in. */
type OpenRefund = { readonly payIn: PayIn; readonly refund: Refund };

/**
 * Submits an open refund to the bank of its pay-in. With `again` the bank may have the refund already: a lookup comes
 * first, and of two concurrent runs only one continues. A refund that the bank refuses gets the status `FAILED`.
 */
export async function submitRefund(
  context: RefundContext,
  { payIn, refund }: OpenRefund,
  { again }: { readonly again: boolean },
): Promise<SubmittedCommand> {
  const { store, bank, companyId, at, remainingMs = () => Infinity } = context;
  // Postpones the submission by 2 minutes before the bank is called. After a crash the next lookup then comes later
  // than the lag of the bank's reads.
  if (again && !(await store.writeOne(refundSubmitted(companyId, refund, at))).ok) return 'NOTHING_TO_DO';
  const { connection } = payIn;
  const repeated = again && (await repeating(context, 'refund', { reference: refund.id, connection }));
  const options = { again: repeated, whenUnknown: 'ASK', remainingMs } as const;
  const response = await submitOnce(bank.refunds, orderOf(payIn, refund), { companyId, connection, at }, options);
  switch (response.outcome) {
    case 'DONE':
      await awaitOutcome(context, payIn, again ? { ...refund, acceptedAt: at } : refund);
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

function orderOf({ endToEndId }: PayIn, refund: Refund): RefundOrder {
  if (endToEndId === undefined) throw new Error('A paid pay-in has no end-to-end id.');
  return { reference: refund.id, endToEndId, ...pick(refund, 'amount', 'description') };
}

/** Sets the next poll time of a refund that the bank accepted; removes its due time where the bank is not polled. */
async function awaitOutcome(
  { store, bank, companyId, realNow }: RefundContext,
  payIn: PayIn,
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
 * Looks up an open refund at the bank, by the id of its job, and applies its state. Sets the next poll time before the
 * lookup. Returns false when the lookup gives no state: no valid response, call not carried out, or refund not found.
 */
export async function pollRefund(context: RefundContext, jobId: string): Promise<boolean> {
  const { store, bank, companyId, at } = context;
  const open = await readOpenRefund(store, companyId, jobId);
  if (open === undefined) return true;
  const { payIn, refund } = open;
  await awaitOutcome(context, payIn, refund);
  const { connection } = payIn;
  const found = await bank.refunds.find(orderOf(payIn, refund), { companyId, connection, at });
  if (found.outcome === 'DONE') await applyRefundState(context, refund, found.state);
  else if (found.outcome === 'REFUSED')
    await applyRefundState(context, refund, { status: 'FAILED', ...pick(found, 'code', 'reason') });
  return found.outcome === 'DONE' || found.outcome === 'REFUSED';
}
