import type { RequestOf } from '#shared/contract/contract.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import { decidePayIn } from '#shared/pay-ins/states.ts';
import { notFound } from '#shared/core/errors.ts';
import type { SubscriptionWithCancellations } from '#shared/subscriptions/model.ts';
import { requestCancellation } from '#shared/subscriptions/states.ts';
import { removeCharge } from '#shared/pay-ins/cancel.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { readSubscription } from '#shared/subscriptions/store.ts';
import type { Bank } from '#shared/bank/bank.ts';
import type { CancelSubscription } from './contract.ts';

export type Cancelable = { readonly current: SubscriptionWithCancellations; readonly firstCharge?: PayIn };
export type PreparedCancellation = {
  readonly move: ReturnType<typeof requestCancellation>;
  /** The first charge, if it is canceled with its subscription. */
  readonly firstCharge?: PayIn;
};

/**
 * The subscription with its latest requests, and for one that may be withdrawn its first charge: its id stands in the
 * subscription, hence a second read, of journey 3 alone and until the recurrence is authorized.
 * @throws Refusal when the company has no such subscription.
 */
export async function readCancelable(store: Store, companyId: string, id: string): Promise<Cancelable> {
  const current = await readSubscription(store, companyId, id, 'LATEST');
  if (current === undefined) throw notFound('Subscription');
  const { status, initialCharge } = current.subscription;
  const orderId = status === 'PENDING_AUTHORIZATION' ? initialCharge?.orderId : undefined;
  const firstCharge = orderId === undefined ? undefined : await readPayIn(store, companyId, orderId);
  return firstCharge === undefined ? { current } : { current, firstCharge };
}

/**
 * The request, and with a withdrawal the end of a first charge that is still pending, unless the bank says that it is
 * being paid: then it goes its own way, as every first charge does.
 */
export async function prepareCancellation(
  { caller: { companyId }, body, idempotencyKey }: RequestOf<typeof CancelSubscription>,
  { current, firstCharge }: Cancelable,
  { at, ids, bank }: { readonly at: Instant; readonly ids: Ids; readonly bank: Pick<Bank, 'charges'> },
): Promise<PreparedCancellation> {
  const { reason, customer } = body;
  const request = { id: ids.uuid(), idempotencyKey, reason, at, ...(customer && { customer }) };
  const move = requestCancellation(current, request);
  if (firstCharge?.status !== 'PENDING') return { move };
  const removed = await removeCharge(bank, firstCharge, { companyId, at });
  return removed
    ? { move, firstCharge: decidePayIn(firstCharge, { outcome: 'CANCELED' }, at, 'service').payIn }
    : { move };
}
