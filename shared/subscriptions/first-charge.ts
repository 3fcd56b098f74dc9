import type { Bank } from '../bank/bank.ts';
import { requireOutcome } from '../bank/bank.ts';
import { notFound } from '../core/errors.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { endsUnpaid, removeCharge } from '../pay-ins/remove.ts';
import { readPayIn } from '../pay-ins/store.ts';
import { payInTransition } from '../pay-ins/transition.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import type { Store } from '../platform/table/store.ts';
import type { SubscriptionWithCancellations } from './model.ts';
import { readSubscription } from './store.ts';

export type CancelableSubscription = {
  readonly current: SubscriptionWithCancellations;
  readonly firstCharge?: PayIn;
};

/**
 * The subscription with its latest requests; before authorization also with the first charge. @throws RequestError 404
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
 * Cancels a pending first charge with its subscription, after the bank removed it. One that was paid meanwhile is moved
 * by that, and one that is being paid is left alone. @throws BankUnavailable
 */
export async function cancelFirstCharge(
  context: TransitionContext & { readonly bank: Pick<Bank, 'charges' | 'capabilities'> },
  firstCharge: PayIn | undefined,
): Promise<Transition<PayIn> | undefined> {
  if (firstCharge?.status !== 'PENDING') return undefined;
  const { bank, companyId, at } = context;
  const removed = requireOutcome(await removeCharge(bank, firstCharge, { companyId, at }));
  if (removed.outcome === 'REFUSED') return undefined;
  return (await endsUnpaid(context, firstCharge.id, removed.state))
    ? payInTransition(context, firstCharge, { outcome: 'CANCELED' }, 'service')
    : undefined;
}
