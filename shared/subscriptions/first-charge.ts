import type { Bank } from '../bank/bank.ts';
import { requireOutcome } from '../bank/bank.ts';
import { notFound } from '../core/errors.ts';
import { droppedEvent } from '../pay-ins/apply-state.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { endsUnpaid, removeCharge } from '../pay-ins/remove.ts';
import { readPayIn } from '../pay-ins/store.ts';
import { payInTransition } from '../pay-ins/transition.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import type { Store } from '../platform/table/store.ts';
import type { SubscriptionWithCancellations } from './model.ts';
import { readSubscription } from './store.ts';
import { subscriptionTransition } from './transition.ts';

export type CancelableSubscription = {
  readonly current: SubscriptionWithCancellations;
  readonly firstCharge?: PayIn;
};

/**
 * Reads a subscription with its latest cancellation requests; before authorization also its first charge. @throws
 * RequestError 404
 */
export async function readCancelable(store: Store, companyId: string, id: string): Promise<CancelableSubscription> {
  const current = await readSubscription(store, companyId, id, 'LATEST');
  if (current === undefined) throw notFound('Subscription');
  const { status, initialCharge } = current.subscription;
  const orderId = status === 'PENDING_AUTHORIZATION' ? initialCharge?.orderId : undefined;
  const firstCharge = orderId === undefined ? undefined : await readPayIn(store, companyId, orderId);
  return firstCharge === undefined ? { current } : { current, firstCharge };
}

/**
 * Cancels a pending first charge with its subscription, after the bank removed it. If it was paid meanwhile, the
 * payment is applied instead. A charge that is being paid stays as it is. @throws BankUnavailable
 */
export async function cancelFirstCharge(
  context: TransitionContext & { readonly bank: Pick<Bank, 'charges' | 'capabilities'> },
  firstCharge: PayIn | undefined,
): Promise<Transition<PayIn> | undefined> {
  if (firstCharge?.status !== 'PENDING') return undefined;
  const { bank, companyId, at } = context;
  const removed = requireOutcome(await removeCharge(bank, firstCharge, { companyId, at }));
  if (removed.outcome === 'REFUSED') return undefined;
  const { status, payments } = removed.state;
  // Belongs in the transaction of the withdrawal: in its own it would reject the subscription.
  if (status === 'DROPPED' && payments.length === 0) return payInTransition(context, firstCharge, droppedEvent);
  const ending = { ...context, alsoEnds: endWaitingSubscription };
  return (await endsUnpaid(ending, firstCharge.id, removed.state))
    ? payInTransition(context, firstCharge, { outcome: 'CANCELED' }, 'service')
    : undefined;
}

/**
 * Ends the subscription of a first charge that ended unpaid. It can no longer be authorized, because one QR code both
 * pays and authorizes. It becomes `CANCELED` if the partner canceled the charge, else `REJECTED`. A subscription that
 * no longer waits for authorization stays as it is.
 */
export async function endWaitingSubscription(
  context: TransitionContext,
  { status, subscription }: PayIn,
): Promise<Transition<unknown> | undefined> {
  if (subscription === undefined || subscription.scheduledPayment !== undefined) return undefined;
  const current = await readSubscription(context.store, context.companyId, subscription.id, 'LATEST');
  if (current?.subscription.status !== 'PENDING_AUTHORIZATION') return undefined;
  const event =
    status === 'CANCELED' ? ({ outcome: 'CANCELED', end: {} } as const) : ({ outcome: 'REJECTED' } as const);
  return subscriptionTransition(context, current, event, 'service');
}
