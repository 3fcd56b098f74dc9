import type { Instant } from '#shared/core/brasilia-time.ts';
import { centavos, subtractCentavos } from '#shared/core/money.ts';
import type { PayInWithRefunds, Refund } from '#shared/refunds/model.ts';
import { askAgainAt } from '#shared/core/resubmission.ts';
import type { Change } from '#shared/platform/commit.ts';
import { payInUpdate } from '#shared/pay-ins/store.ts';
import { refundPut } from '#shared/refunds/store.ts';

/**
 * What a new refund writes: itself, due to be handed to the bank, and its amount reserved in an active account. The
 * version of the pay-in is raised, so that of two requests at once one finds the other's refund open.
 */
export function refundChange(
  companyId: string,
  { payIn }: PayInWithRefunds,
  refund: Refund,
  { at, entryId }: { readonly at: Instant; readonly entryId: string },
): Pick<Change, 'ledger' | 'writes'> {
  const { id: orderId, accountId, amount, version } = payIn;
  const available = subtractCentavos(centavos(0), amount);
  return {
    ledger: [
      { accountId, kind: 'REFUND_RESERVED', orderId, available, reserved: amount, at, entryId, requireActive: true },
    ],
    writes: [
      payInUpdate(companyId, payIn, { ...payIn, version: version + 1 }),
      refundPut(companyId, refund, askAgainAt(at)),
    ],
  };
}
