import type { RequestOf } from '#shared/contract/contract.ts';
import { centavos, subtractCentavos } from '#shared/core/money.ts';
import type { PayoutWithPayments } from '#shared/payouts/model.ts';
import type { Change } from '#shared/platform/commit.ts';
import { payoutInserts } from '#shared/payouts/store.ts';
import type { PayingDependencies } from '#functions/banks.ts';
import type { CreatePayout } from './contract.ts';

/** What a new payout writes: itself with its payments, and its amount reserved in an active account. */
export function payoutChange(
  { caller }: RequestOf<typeof CreatePayout>,
  order: PayoutWithPayments,
  { ids }: Pick<PayingDependencies, 'ids'>,
): Pick<Change, 'ledger' | 'writes'> {
  const { id: orderId, accountId, amount, createdAt: at } = order.payout;
  const available = subtractCentavos(centavos(0), amount);
  const reservation = { accountId, orderId, available, reserved: amount, at, entryId: ids.uuid() };
  return {
    ledger: [{ ...reservation, kind: 'PAYOUT_RESERVED', requireActive: true }],
    writes: payoutInserts(caller.companyId, order),
  };
}
