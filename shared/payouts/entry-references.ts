import { pick } from '../core/pick.ts';
import type { EntryReferences } from '../platform/ledger/balance.ts';
import { counterpartyOf } from '../platform/ledger/balance.ts';
import type { BatchPayment, Payout } from './model.ts';

/**
 * Returns what an entry of a payout names.
 * @param moved the payments of its batch whose money the entry moves; none for a payout that is one payment
 */
export function entryReferences(payout: Payout, moved: readonly BatchPayment[]): EntryReferences {
  return {
    orderId: payout.id,
    ...pick(moved[0] ?? payout, 'endToEndId'),
    ...pick(payout, 'controlNumber'),
    counterparty: counterpartyOf(payout.receiver),
  };
}
