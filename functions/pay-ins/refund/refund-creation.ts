import type { RequestOf } from '../../../shared/contracts/contract.ts';
import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import { centavos, subtractCentavos } from '../../../shared/domain/money.ts';
import type { Refund } from '../../../shared/domain/refund.ts';
import type { Change } from '../../../shared/persistence/commit.ts';
import type { PayInOrder } from '../../../shared/persistence/orders.ts';
import { payInMoved, refundWritten } from '../../../shared/persistence/pay-ins.ts';
import { RefundPayIn } from './contract.ts';

/**
 * Everything that a new refund writes. The version of the pay-in is raised, so that of two requests at once one finds the
 * other's refund open. The key has no end, because it must never pay twice.
 */
export function creationOf(
  { caller, idempotencyKey: key, fingerprint }: RequestOf<typeof RefundPayIn>,
  { payIn }: PayInOrder,
  refund: Refund,
  { at, entryId }: { readonly at: Instant; readonly entryId: string },
): Change {
  const { companyId } = caller;
  const { id: orderId, accountId, amount, version } = payIn;
  const move = {
    accountId,
    kind: 'REFUND_RESERVED',
    orderId,
    available: subtractCentavos(centavos(0), amount),
    reserved: amount,
  } as const;
  return {
    companyId,
    at,
    idempotency: { operation: RefundPayIn.operationId, key, fingerprint, resourceId: refund.id },
    ledger: [{ ...move, at, entryId }],
    writes: [payInMoved(companyId, payIn, { ...payIn, version: version + 1 }), refundWritten(companyId, refund)],
  };
}
