import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { notFound } from '../../../shared/domain/refusal.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { movePayIn } from '../../../shared/operations/move-pay-in.ts';
import { untilCommitted } from '../../../shared/persistence/commit.ts';
import { readOrder } from '../../../shared/persistence/orders.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { ForceOrderStatus } from './contract.ts';

/**
 * Moves an order as the bank would (4.11).
 * @throws Refusal when the company has no such order, section 3 does not allow the move, or the account cannot pay a refund.
 */
export async function forceOrderStatus(
  { caller, requestId, body }: RequestOf<typeof ForceOrderStatus>,
  { store, ids, now, settings }: Dependencies,
): Promise<AnswerOf<typeof ForceOrderStatus>> {
  const { companyId } = caller;
  return untilCommitted(async () => {
    const order = await readOrder(store, companyId, body.id);
    if (order === undefined) throw notFound('Order');
    const context = { store, ids, at: now(), ispb: settings.ispb, companyId, requestId };
    const { committed, moved } = await movePayIn(context, order, body.status);
    if (!committed.ok && committed.because === 'BALANCE') throw committed.refusal;
    if (!committed.ok) return undefined;
    const description = `Pay-in ${order.payIn.id}: status ${order.payIn.status} → ${moved.payIn.status}.`;
    return { status: 200, body: { id: body.id, description } };
  });
}

export const handler = endpoint(ForceOrderStatus, forceOrderStatus, dependencies);
