import { pick } from '../core/pick.ts';
import type { PayInWithRefunds, Refund } from './model.ts';
import { openRefund } from './model.ts';
import { askAgainAt } from '../core/resubmission.ts';
import { readPayInWithRefunds, refundDueAgain, refundNoLongerDue } from './store.ts';
import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import type { SubmittedCommand } from '../platform/submit-in-time.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { refundTransition } from './transition.ts';

/**
 * Submits the open refund of a pay-in; `again` where the bank may have it. A refund that the bank refuses has failed.
 * The bank knows it by its id, so two runs at once request it once.
 */
export async function submitRefund(
  context: TransitionContext & { readonly bank: Pick<Bank, 'refunds'> },
  { payIn, refunds }: PayInWithRefunds,
  { again }: { readonly again: boolean },
): Promise<SubmittedCommand> {
  const { store, bank, companyId, at } = context;
  const refund = openRefund(refunds);
  if (refund === undefined) return 'NOTHING_TO_DO';
  const { endToEndId } = payIn;
  if (endToEndId === undefined) throw new Error('A pay-in that was paid has no end-to-end id.');
  const { id: reference } = refund;
  const order = { reference, endToEndId, ...pick(refund, 'amount', 'description') };
  const request = { companyId, at };
  const submit = () => bank.refunds.request(order, request);
  const find = () => bank.refunds.find(reference, request);
  const response = await submitOnce({ submit, find }, { again, whenUnknown: 'ASK' });
  switch (response.outcome) {
    case 'DONE':
      await store.writeOne(refundNoLongerDue(companyId, refund));
      return 'ACCEPTED';
    case 'REFUSED':
      await fail(context, refund, response);
      return 'REFUSED';
    case 'UNKNOWN':
      await store.writeOne(refundDueAgain(companyId, refund, askAgainAt(at)));
      return 'UNKNOWN';
  }
}

/** A refund that ended meanwhile stays what it is. */
async function fail(
  context: TransitionContext,
  { id, orderId }: Refund,
  refused: { readonly code?: string; readonly reason: string },
): Promise<void> {
  const read = () => readPayInWithRefunds(context.store, context.companyId, orderId);
  await commitTransition<PayInWithRefunds | undefined, unknown>(context, read, (order) => {
    if (order === undefined) throw new Error('A pay-in that was refunded is not there.');
    if (openRefund(order.refunds)?.id !== id) return { unchanged: undefined };
    return refundTransition(context, order, { outcome: 'FAILED', ...pick(refused, 'code', 'reason') });
  });
}
