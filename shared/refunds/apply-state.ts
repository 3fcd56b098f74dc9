import type { RefundState } from '../bank/ports/refunds.ts';
import { returnEventOf } from '../bank/ports/refunds.ts';
import { report } from '../bank/report.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { readReceived } from '../credits/received.ts';
import type { Refund } from './model.ts';
import { decideRefund } from './states.ts';
import { readPayInWithRefunds } from './store.ts';
import { refundTransition } from './transition.ts';

/** Applies the bank's state of a refund, once. A final status stays: a state that contradicts it is reported. */
export async function applyRefundState(
  context: TransitionContext,
  { id, orderId }: Pick<Refund, 'id' | 'orderId'>,
  state: RefundState,
): Promise<void> {
  const event = returnEventOf(state);
  if (event === undefined) return;
  const { store, companyId } = context;
  const read = async () => {
    const order = await readPayInWithRefunds(store, companyId, orderId);
    const mayBeReceived = event.outcome === 'SETTLED' && order?.payIn.payerAccountId !== undefined;
    const received = mayBeReceived ? await readReceived(store, companyId, event.endToEndId) : undefined;
    return { order, isReceived: received !== undefined };
  };
  type Found = Awaited<ReturnType<typeof read>>;
  const before = await commitTransition<Found, Refund | undefined>(context, read, ({ order, isReceived }) => {
    const refund = order?.refunds.find((candidate) => candidate.id === id);
    if (order === undefined || refund === undefined) throw new Error('Cannot find a requested refund.');
    if (refund.status !== 'PENDING') return { unchanged: refund };
    const decided = decideRefund(order, refund, event, context.at);
    return { ...refundTransition(context, order.payIn, decided, isReceived), result: undefined };
  });
  const number = event.outcome === 'SETTLED' ? event.endToEndId : before?.endToEndId;
  if (before !== undefined && (before.status !== state.status || before.endToEndId !== number))
    report('BankContradictions', { companyId, orderId, refundId: id, said: state.status });
}
