import type { Operation, RequestOf } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { moveOrderAtBank } from '#shared/sandbox/bank-tools.ts';
import { requireMovable } from '#shared/sandbox/simulated-bank.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import type { Transition } from '#shared/platform/commit-transition.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import { payInTransition } from '#shared/pay-ins/transition.ts';
import { refundTransition } from '#shared/refunds/transition.ts';
import { simulatedPayInEvent, simulatedRefundEvent } from '#shared/sandbox/order-events.ts';
import type { PayInWithRefunds } from '#shared/refunds/model.ts';
import { parsePayInWithRefunds } from '#shared/refunds/store.ts';
import { parsePayoutWithPayments } from '#shared/payouts/store.ts';
import { readOrderItems } from '#shared/platform/order-items.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { payoutBank } from '#functions/banks.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { ForceOrderStatus } from './contract.ts';
import type { ForceContext } from './force-payout.ts';
import { forcedPayout } from './force-payout.ts';

type Body = RequestOf<typeof ForceOrderStatus>['body'];
type ForceDependencies = Dependencies & { readonly bank: Pick<Bank, 'payouts' | 'capabilities'> };

/**
 * Changes the status of an order as the bank would (4.11).
 * @throws RequestError 404; for a transition that section 3 does not allow; when the account cannot pay a refund or the
 * bank cannot stop a payment.
 */
export const forceOrderStatus: Operation<typeof ForceOrderStatus, ForceDependencies> = async (
  { caller, requestId, body },
  { store, ids, now, realNow, settings, bank },
) => {
  const { companyId } = caller;
  const at = { store, companyId };
  const given = (await readOrderItems(store, companyId, body.id))?.order['connection'];
  const connection = typeof given === 'string' ? given : undefined;
  if ((await requireMovable(bank, companyId, connection)) === 'tools' && connection !== undefined)
    return { status: 200, body: { id: body.id, description: await moveOrderAtBank({ ...at, connection }, body) } };
  const base = { store, ids, realNow, bank, ispb: settings.ispb, companyId, requestId };
  const { summary, notifications = [] } = await commitTransition(
    base,
    () => readOrderItems(store, companyId, body.id),
    async (items) => {
      const context = { ...base, at: now() };
      const payIn = items && parsePayInWithRefunds(items);
      if (payIn) return described(forcedPayIn(context, payIn, body));
      const payout = items && parsePayoutWithPayments(items);
      if (payout) return described(await forcedPayout(context, payout, body));
      throw notFound('Order');
    },
  );
  const description = `${summary}. ${await previewDeliveries(base, notifications)}`;
  return { status: 200, body: { id: body.id, description } };
};

/** The transition with its summary and its notifications as the result. */
function described({ result: summary, ...transition }: Transition<string>) {
  return { ...transition, result: { summary, notifications: transition.notifications } };
}

/** Builds the transition of a pay-in. `REFUNDED` settles the open refund; without one, a return by the bank itself. */
function forcedPayIn(context: ForceContext, order: PayInWithRefunds, body: Body): Transition<string> {
  const { id, status } = order.payIn;
  // An order is also found by the id of a payment in its batch, but a pay-in has no such payments.
  if (body.id !== id) throw notFound('Order');
  const summary = (after: string): string => `Pay-in ${id}: status ${status} → ${after}`;
  if (body.status === 'REFUNDED') {
    const refund = refundTransition(context, order, simulatedRefundEvent(context));
    return { ...refund, result: summary(refund.result.payIn.status) };
  }
  const transition = payInTransition(context, order.payIn, simulatedPayInEvent(body.status, order.payIn, context));
  return { ...transition, result: summary(transition.result.status) };
}

export const handler = endpoint(ForceOrderStatus, forceOrderStatus, () => {
  const base = dependencies();
  return { ...base, bank: payoutBank(base.store, base.settings, base.ids) };
});
