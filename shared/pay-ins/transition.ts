import { pick } from '../core/pick.ts';
import type { Actor } from '../core/transition.ts';
import type { PayIn } from './model.ts';
import type { BalanceEffect, PayInEvent } from './states.ts';
import { decidePayIn } from './states.ts';
import { payInNotification } from './notification.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import type { LedgerPosting } from '../platform/ledger/ledger.ts';
import type { EntryReferences } from '../platform/ledger/balance.ts';
import { counterpartyOf } from '../platform/ledger/balance.ts';
import { receivedBy } from '../credits/received.ts';
import { payInUpdate } from './store.ts';

/** Writes, notifications and counts in the transaction of a pay-in that ends unpaid. */
type Beside = Pick<Transition<unknown>, 'writes' | 'notifications' | 'reached'>;
export type AlsoEnding = {
  /** Ends the subscription that waits for a pay-in, when time, the bank or the partner ended the pay-in unpaid. */
  readonly alsoEnds: (context: TransitionContext, closed: PayIn) => Promise<Beside | undefined>;
};

/**
 * Returns the transition that ends a pay-in unpaid, together with `alsoEnds`. The simulation tools do without
 * `alsoEnds` and end only the pay-in.
 * @throws RequestError by section 3
 */
export async function unpaidTransition(
  context: TransitionContext & AlsoEnding,
  before: PayIn,
  event: Exclude<PayInEvent, { readonly outcome: 'PAID' }>,
  by: Actor = 'bank',
): Promise<Transition<PayIn>> {
  const closed = payInTransition(context, before, event, by);
  const also = await context.alsoEnds(context, closed.result);
  return also === undefined ? closed : besides(closed, also);
}

/** Adds writes, notifications and counts to a transition, after its own. The result stays the same. */
export function besides<Result>(
  first: Transition<Result>,
  { writes, notifications = [], reached = [] }: Beside,
): Transition<Result> {
  return {
    ...first,
    writes: [...first.writes, ...writes],
    notifications: [...(first.notifications ?? []), ...notifications],
    reached: [...(first.reached ?? []), ...reached],
  };
}

/** The transition of a pay-in, with its ledger entry and its notification. @throws RequestError by section 3 */
export function payInTransition(
  context: Pick<TransitionContext, 'ids' | 'at' | 'companyId' | 'requestId'>,
  before: PayIn,
  event: PayInEvent,
  by: Actor = 'bank',
): Transition<PayIn> {
  const { payIn, balance } = decidePayIn(before, event, context.at, by);
  return {
    ledger: balance
      ? [{ ...postingOf(payIn, balance, context, pick(payIn, 'endToEndId')), ...pick(payIn, 'shard') }]
      : [],
    writes: [
      payInUpdate(context.companyId, before, payIn),
      ...(event.outcome === 'PAID' ? receivedBy(context.companyId, payIn) : []),
    ],
    notifications: [payInTransitionNotification(payIn, context)],
    reached: [['PAY_IN', payIn.status]],
    result: payIn,
  };
}

/** The posting of a pay-in or of its refund. `moved`: of the payment or return that moves the money. */
export function postingOf(
  { id: orderId, accountId, payer }: PayIn,
  { kind, available, reserved }: BalanceEffect,
  { ids, at }: Pick<TransitionContext, 'ids' | 'at'>,
  moved: Pick<EntryReferences, 'refundId' | 'endToEndId'>,
): LedgerPosting {
  const references = { orderId, ...moved, counterparty: counterpartyOf(payer) };
  return { accountId, kind, ...references, available, reserved, at, entryId: ids.uuid() };
}

export function payInTransitionNotification(
  payIn: PayIn,
  { ids, requestId }: Pick<TransitionContext, 'ids' | 'requestId'>,
): OutboxEntry {
  const { id, status } = payIn;
  if (status === 'PENDING' || status === 'REFUNDED')
    throw new Error(`A pay-in has no notification of the status ${status}.`);
  const body = payInNotification({ ...payIn, status });
  return {
    id: ids.uuid(),
    requestId,
    resource: { type: 'PAY_IN', id },
    target: { type: 'PAYIN' },
    ...body,
  };
}
