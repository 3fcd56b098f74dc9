import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { notFound } from '../../../shared/domain/refusal.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import type { MoveContext } from '../../../shared/operations/move-pay-in.ts';
import { movePayIn } from '../../../shared/operations/move-pay-in.ts';
import { untilCommitted } from '../../../shared/persistence/commit.ts';
import type { PayInOrder } from '../../../shared/persistence/orders.ts';
import { readOrder } from '../../../shared/persistence/orders.ts';
import type { BankDependencies } from '../../../shared/runtime/bank-dependencies.ts';
import { bankDependencies } from '../../../shared/runtime/bank-dependencies.ts';
import { ForceOrderStatus } from './contract.ts';
import { forcePayout } from './force-payout.ts';

type Body = RequestOf<typeof ForceOrderStatus>['body'];

/**
 * Moves an order as the bank would (4.11).
 * @throws Refusal when the company has no such order, section 3 does not allow the move, the account cannot pay a refund or
 * the bank cannot stop a payment any more.
 */
export async function forceOrderStatus(
  { caller, requestId, body }: RequestOf<typeof ForceOrderStatus>,
  { store, ids, now, settings, bank }: BankDependencies,
): Promise<AnswerOf<typeof ForceOrderStatus>> {
  const { companyId } = caller;
  return untilCommitted(async () => {
    const order = await readOrder(store, companyId, body.id);
    if (order === undefined) throw notFound('Order');
    const context = { store, ids, at: now(), ispb: settings.ispb, companyId, requestId };
    const description =
      order.kind === 'PAY_IN'
        ? await forcePayIn(context, order, body)
        : await forcePayout({ ...context, bank }, order, body);
    return description === undefined ? undefined : { status: 200, body: { id: body.id, description } };
  });
}

/** Undefined when another change came in between. */
async function forcePayIn(context: MoveContext, order: PayInOrder, body: Body): Promise<string | undefined> {
  const { id, status } = order.payIn;
  // The id of a payment in a batch leads to its order; a pay-in has no such payments.
  if (body.id.toLowerCase() !== id) throw notFound('Order');
  const { committed, moved } = await movePayIn(context, order, body.status);
  if (!committed.ok && committed.because === 'BALANCE' && !committed.stale) throw committed.refusal;
  return committed.ok ? `Pay-in ${id}: status ${status} → ${moved.payIn.status}.` : undefined;
}

export const handler = endpoint(ForceOrderStatus, forceOrderStatus, bankDependencies);
