import { endToEndAttributes } from '../platform/table/keys.ts';
import { parentOrderId } from '../core/identifiers.ts';
import type { Store } from '../platform/table/store.ts';
import { readPayout } from './store.ts';

/**
 * Whether a received payment is one that a payout of the company made, and that it credits by itself once the bank
 * reports it as paid. The index may lag: a payment that is taken for a stranger's is still credited once.
 */
export async function isOwnTransfer(store: Store, companyId: string, endToEndId: string): Promise<boolean> {
  const { GSI3PK: partition } = endToEndAttributes(companyId, endToEndId);
  const { items } = await store.query({ index: 'GSI3', partition });
  for (const { GSI2SK } of items) {
    const id = typeof GSI2SK === 'string' ? GSI2SK.split('#')[1] : undefined;
    const order = id === undefined ? undefined : await readPayout(store, companyId, parentOrderId(id));
    const parts = order === undefined ? [] : [order.payout, ...order.payments];
    const paying = parts.find((part) => part.endToEndId === endToEndId);
    if (
      paying !== undefined &&
      order?.payout.internal !== undefined &&
      paying.status !== 'ERROR' &&
      paying.status !== 'CANCELED'
    )
      return true;
  }
  return false;
}
