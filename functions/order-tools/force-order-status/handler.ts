import type { Operation, RequestOf } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { isUuid } from '#shared/core/identifiers.ts';
import type { WantedOrder } from '#shared/sandbox/bank-tools.ts';
import { moveOrderAtBank } from '#shared/sandbox/bank-tools.ts';
import { requireMovable } from '#shared/sandbox/simulated-bank.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import type { OutboxEntry } from '#shared/platform/commit.ts';
import type { Transition } from '#shared/platform/commit-transition.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import { payInTransition } from '#shared/pay-ins/transition.ts';
import { simulatedPayInEvent } from '#shared/sandbox/order-events.ts';
import type { PayInWithRefunds } from '#shared/refunds/model.ts';
import { readReturnedCreditId } from '#shared/credits/store.ts';
import { parsePayInWithRefunds, readRefundOrder } from '#shared/refunds/store.ts';
import { parsePayoutWithPayments } from '#shared/payouts/store.ts';
import { readOrderItems } from '#shared/platform/order-items.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { payoutBank } from '#functions/banks.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { ForceOrderStatus } from './contract.ts';
import type { ForceContext } from './force-payout.ts';
import { forcedPayout } from './force-payout.ts';
import { forcedRefund } from './force-refund.ts';
import { forceReturn } from './force-return.ts';

type Body = RequestOf<typeof ForceOrderStatus>['body'];
type Wanted = WantedOrder & Pick<Body, 'status'>;
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
  const creditId = isUuid(body.id) ? undefined : await readReturnedCreditId(store, companyId, body.id);
  if (creditId !== undefined) {
    const context = { store, ids, now, realNow, bank, ispb: settings.ispb, companyId, requestId };
    return { status: 200, body: { id: body.id, description: await forceReturn(context, { ...body, creditId }) } };
  }
  const wanted = await wantedOf(store, companyId, body);
  const { id } = wanted;
  const given = (await readOrderItems(store, companyId, id))?.order['connection'];
  const connection = typeof given === 'string' ? given : undefined;
  if ((await requireMovable(bank, companyId, connection)) === 'tools' && connection !== undefined) {
    const description = await moveOrderAtBank({ store, companyId, connection }, wanted);
    return { status: 200, body: { id: body.id, description } };
  }
  const base = { store, ids, realNow, bank, ispb: settings.ispb, companyId, requestId };
  const step = () =>
    commitTransition(
      base,
      () => readOrderItems(store, companyId, id),
      async (items) => {
        const context = { ...base, at: now() };
        const payIn = items && parsePayInWithRefunds(items);
        if (payIn) return described(forcedPayIn(context, payIn, wanted));
        const payout = items && parsePayoutWithPayments(items);
        if (payout === undefined) throw notFound('Order');
        const forced = await forcedPayout(context, payout, wanted);
        return described({ ...forced, result: { summary: forced.result, isDone: true } });
      },
    );
  const { summary, notifications } = await untilDone(step);
  const description = `${summary}. ${await previewDeliveries(base, notifications)}`;
  return { status: 200, body: { id: body.id, description } };
};

/** The order to move; for the id of a refund its pay-in, and the refund. @throws RequestError 404 */
async function wantedOf(store: Store, companyId: string, { id, status }: Body): Promise<Wanted> {
  if (isUuid(id)) return { id, status };
  const { orderId } = (await readRefundOrder(store, companyId, id)) ?? {};
  if (orderId === undefined) throw notFound('Refund');
  return { id: orderId, status, refundId: id.toLowerCase() };
}

type Forced = { readonly summary: string; readonly isDone: boolean };

/** The transition with its summary and its notifications as the result. */
function described({ result, ...transition }: Transition<Forced>) {
  return { ...transition, result: { ...result, notifications: transition.notifications ?? [] } };
}

/** Repeats a step until it says that it was the last, and collects the notifications. */
async function untilDone(step: () => Promise<Forced & { readonly notifications: readonly OutboxEntry[] }>) {
  const notifications: OutboxEntry[] = [];
  for (;;) {
    const { summary, isDone, notifications: more } = await step();
    notifications.push(...more);
    if (isDone) return { summary, notifications };
  }
}

/** Builds the transition of a pay-in; for `REFUNDED` of one that has several refunds, the next one. */
function forcedPayIn(context: ForceContext, order: PayInWithRefunds, wanted: Wanted): Transition<Forced> {
  const { id, status } = order.payIn;
  // An order is also found by the id of a payment in its batch, but a pay-in has no such payments.
  if (wanted.id !== id) throw notFound('Order');
  if (wanted.status === 'REFUNDED' || wanted.refundId !== undefined) return forcedRefund(context, order, wanted);
  const transition = payInTransition(context, order.payIn, simulatedPayInEvent(wanted.status, order.payIn, context));
  const summary = `Pay-in ${id}: status ${status} → ${transition.result.status}`;
  return { ...transition, result: { summary, isDone: true } };
}

export const handler = endpoint(ForceOrderStatus, forceOrderStatus, () => {
  const base = dependencies();
  return { ...base, bank: payoutBank(base.store, base.settings, base.ids) };
});
