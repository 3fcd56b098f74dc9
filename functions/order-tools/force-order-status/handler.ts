import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import type { MoveContext } from '#shared/pay-ins/transition.ts';
import { movePayIn } from '#shared/pay-ins/transition.ts';
import { moveRefund } from '#shared/refunds/transition.ts';
import { simulatedPayInFacts, simulatedRefundFacts } from '#shared/sandbox/order-events.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import type { PayInOrder } from '#shared/refunds/orders.ts';
import { readOrder } from '#shared/refunds/orders.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { payoutsPort } from '#shared/bank-wiring/bank-ports.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { ForceOrderStatus } from './contract.ts';
import { forcePayout } from './force-payout.ts';

type Body = RequestOf<typeof ForceOrderStatus>['body'];

type ForcingDependencies = Dependencies & { readonly bank: Pick<Bank, 'payouts'> };

/**
 * Moves an order as the bank would (4.11).
 * @throws Refusal when the company has no such order, section 3 does not allow the move, the account cannot pay a
 * refund or the bank cannot stop a payment any more.
 */
export async function forceOrderStatus(
  { caller, requestId, body }: RequestOf<typeof ForceOrderStatus>,
  { store, ids, now, realNow, settings, bank }: ForcingDependencies,
): Promise<AnswerOf<typeof ForceOrderStatus>> {
  const { companyId } = caller;
  return untilCommitted(async () => {
    const order = await readOrder(store, companyId, body.id);
    if (order === undefined) throw notFound('Order');
    const context = { store, ids, at: now(), realNow, ispb: settings.ispb, companyId, requestId };
    const description =
      order.kind === 'PAY_IN'
        ? await forcePayIn(context, order, body)
        : await forcePayout({ ...context, bank }, order, body);
    return description === undefined ? undefined : { status: 200, body: { id: body.id, description } };
  });
}

/** Undefined when another change came in between. */
async function forcePayIn(
  context: MoveContext & { readonly ispb: string },
  order: PayInOrder,
  body: Body,
): Promise<string | undefined> {
  const { id, status } = order.payIn;
  // The id of a payment in a batch leads to its order; a pay-in has no such payments.
  if (body.id !== id) throw notFound('Order');
  const { committed, payIn, notifications } =
    body.status === 'REFUNDED'
      ? await forceRefund(context, order)
      : await movePayIn(context, order.payIn, simulatedPayInFacts(body.status, order.payIn, context));
  if (!committed.ok && committed.because === 'BALANCE') throw committed.refusal;
  if (!committed.ok) return undefined;
  return `Pay-in ${id}: status ${status} → ${payIn.status}. ${await previewDeliveries(context, notifications)}`;
}

/** Settles the open refund, or one that the bank makes by itself. */
async function forceRefund(
  context: MoveContext & { readonly ispb: string },
  order: PayInOrder,
): ReturnType<typeof movePayIn> {
  const { moved, ...rest } = await moveRefund(context, order, simulatedRefundFacts(context));
  return { ...rest, payIn: moved.payIn };
}

export const handler = endpoint(ForceOrderStatus, forceOrderStatus, () => ({
  ...dependencies(),
  bank: { payouts: payoutsPort() },
}));
