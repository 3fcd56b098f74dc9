import { isUuid, parentOrderId } from '../domain/identifiers.ts';
import type { PayIn } from '../domain/pay-in.ts';
import type { PayoutWithPayments } from '../domain/payout.ts';
import type { Refund } from '../domain/refund.ts';
import { keys, prefixes } from './keys.ts';
import { payInOf, refundOf } from './pay-ins.ts';
import { paymentOf, payoutOf } from './payouts.ts';
import type { Store } from './store.ts';
import { CorruptItem } from './store.ts';

export type PayInOrder = { readonly kind: 'PAY_IN'; readonly payIn: PayIn; readonly refunds: readonly Refund[] };
export type PayoutOrder = PayoutWithPayments & { readonly kind: 'PAYOUT' };
export type Order = PayInOrder | PayoutOrder;

/**
 * An order with everything that belongs to it, in one query of its partition. `id` may be that of a batch's payment, which
 * leads to its order. Undefined if the company has no such order.
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
      payIn: payInOf(order),
      refunds: items.filter((item) => item.SK.startsWith(prefixes.refund)).map(refundOf),
    };
  if (order['entity'] === 'PAYOUT')
    return {
      kind: 'PAYOUT',
      payout: payoutOf(order),
      payments: items.filter((item) => item.SK.startsWith(prefixes.payoutChild)).map(paymentOf),
    };
  throw new CorruptItem('An order item is of no known kind.');
}
