import type { Instant } from '../core/brasilia-time.ts';
import { centavos, subtractCentavos } from '../core/money.ts';
import type { PayInWithRefunds, Refund } from './model.ts';
import { askAgainAt } from '../core/resubmission.ts';
import type { Change } from '../platform/commit.ts';
import { payInUpdate } from '../pay-ins/store.ts';
import { refundPut } from './store.ts';

/**
 * A new refund, due to be submitted, with its amount reserved in an active account. It raises the version of the
 * pay-in: of two requests at once one finds the other's refund open.
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
