import { pick } from '../core/pick.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { creditOwnAccount } from './credit-own-account.ts';
import { entryReferences } from './entry-references.ts';
import type { PayoutWithPayments } from './model.ts';
import { isFinal } from './model.ts';
import { payoutNotification } from './notification.ts';
import type { PaymentEvent, PayoutDecision } from './states.ts';
import { decidePayout } from './states.ts';
import { payoutUpdates } from './store.ts';

/**
 * Returns the transition of a payout or of payments of its batch: states and ledger entry, with the last payment the
 * notification, and the credit to another account of the company with the charge that it pays. At most 100 writes for a
 * batch of 90.
 * @throws RequestError when section 3 does not allow it.
 */
export async function payoutTransition(
  context: TransitionContext,
  order: PayoutWithPayments,
  events: readonly PaymentEvent[],
): Promise<Transition<PayoutDecision>> {
  const { at, companyId, ids } = context;
  const decision = decidePayout(order, events, at);
  const { payout } = decision.after;
  const own = await creditOwnAccount(context, decision);
  return {
    ledger: [
      {
        ...decision.balance,
        ...pick(payout, 'accountId', 'shard'),
        ...entryReferences(payout, decision.changed),
        at,
        entryId: ids.uuid(),
      },
      ...own.ledger,
    ],
    writes: [...payoutUpdates(companyId, order, decision, at), ...own.writes],
    notifications: [...(isFinal(payout) ? [notificationOf(decision, context)] : []), ...own.notifications],
    reached: [
      ...(isFinal(payout) ? [['PAYOUT', payout.status] as const] : []),
      ...(own.isCharge ? [['PAY_IN', 'PAID'] as const] : []),
    ],
    result: decision,
  };
}

function notificationOf({ after }: PayoutDecision, { ids, requestId }: TransitionContext): OutboxEntry {
  const resource = { type: 'PAYOUT', id: after.payout.id } as const;
  return {
    id: ids.uuid(),
    requestId,
    resource,
    target: { type: 'PAYOUT' },
    ...payoutNotification(after),
  };
}
