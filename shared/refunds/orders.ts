import { isUuid, parentOrderId } from '../core/identifiers.ts';
import type { PayIn } from '../pay-ins/model.ts';
import type { PayoutWithPayments } from '../payouts/model.ts';
import type { Refund } from './model.ts';
import { notFound } from '../core/errors.ts';
import { keys, prefixes } from '../platform/table/keys.ts';
import { parsePayIn, parseRefund } from '../pay-ins/store.ts';
import { parsePayment, parsePayout } from '../payouts/store.ts';
import type { Store } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

export type PayInOrder = { readonly kind: 'PAY_IN'; readonly payIn: PayIn; readonly refunds: readonly Refund[] };
export type PayoutOrder = PayoutWithPayments & { readonly kind: 'PAYOUT' };
type Order = PayInOrder | PayoutOrder;

/**
 * An order with everything that belongs to it, in one query of its partition. `id` may be that of a batch's payment,
 * which leads to its order. Undefined if the company has no such order.
 */
export async function readOrder(store: Store, companyId: string, id: string): Promise<Order | undefined> {
  if (!isUuid(id)) return undefined;
  const { PK, SK } = keys.order(companyId, parentOrderId(id.toLowerCase()));
  const { items, next } = await store.query({ partition: PK });
  if (next !== undefined) throw new CorruptItem('An order has more than one page of items.');
  const order = items.find((item) => item.SK === SK);
  if (order === undefined) return undefined;
  if (order['entity'] === 'PAY_IN')
    return {
      kind: 'PAY_IN',
      payIn: parsePayIn(order),
      refunds: items.filter((item) => item.SK.startsWith(prefixes.refund)).map(parseRefund),
    };
  if (order['entity'] === 'PAYOUT')
    return {
      kind: 'PAYOUT',
      payout: parsePayout(order),
      payments: items.filter((item) => item.SK.startsWith(prefixes.payoutChild)).map(parsePayment),
    };
  throw new CorruptItem('An order item is of no known kind.');
}

/** A pay-in with its refunds. @throws Refusal when the company has none of that id, also where it has another order. */
export async function requirePayInOrder(store: Store, companyId: string, id: string): Promise<PayInOrder> {
  const order = await readOrder(store, companyId, id);
  // The id of a batch's payment leads to its order; a pay-in has no such payments.
  if (order?.kind !== 'PAY_IN' || order.payIn.id !== id.toLowerCase()) throw notFound('Pay-in');
  return order;
}
