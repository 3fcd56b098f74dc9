import type { Operation } from '#shared/contract/contract.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { moveSubscriptionAtBank } from '#shared/sandbox/bank-tools.ts';
import { requireMovable } from '#shared/sandbox/simulated-bank.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { beginSweep } from '#shared/scheduled-payments/cancel.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import { besides, payInTransition } from '#shared/pay-ins/transition.ts';
import type { Transition, TransitionContext } from '#shared/platform/commit-transition.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import type { Subscription } from '#shared/subscriptions/model.ts';
import { subscriptionTransition } from '#shared/subscriptions/transition.ts';
import { readSubscription } from '#shared/subscriptions/store.ts';
import { simulatedPayInEvent, simulatedRecurrenceEvent } from '#shared/sandbox/order-events.ts';
import type { CapabilityDependencies } from '#functions/banks.ts';
import { capabilityDependencies } from '#functions/banks.ts';
import { ForceSubscriptionStatus } from './contract.ts';

/**
 * Changes the status of a subscription as the payer's bank would (4.10). `withFirstCharge` also pays its first charge.
 * @throws RequestError 404; 409 for a transition that `subscriptionTransitions` does not have
 */
export const forceSubscriptionStatus: Operation<typeof ForceSubscriptionStatus, CapabilityDependencies> = async (
  { caller, requestId, body },
  { store, ids, now, realNow, settings, bank },
) => {
  const { companyId } = caller;
  const { id } = body;
  const read = () => readSubscription(store, companyId, id, 'LATEST');
  const { connection } = (await read())?.subscription ?? {};
  if ((await requireMovable(bank, companyId, connection)) === 'tools' && connection !== undefined) {
    const description = await moveSubscriptionAtBank({ store, companyId, connection }, body);
    return { status: 200, body: { id, description } };
  }
  const context = { store, ids, realNow, companyId, requestId };
  const { before, after, notifications } = await commitTransition(context, read, async (current) => {
    if (current === undefined) throw notFound('Subscription');
    const source = { ...context, at: now(), ispb: settings.ispb };
    const event = simulatedRecurrenceEvent(body.status, current.subscription, source);
    const alone = subscriptionTransition(source, current, event);
    const paid = body.withFirstCharge === true ? await payFirstCharge(source, current.subscription) : undefined;
    // In journey 3 the payment of the first charge authorizes the recurrence.
    const transition = paid === undefined ? alone : { ...besides(paid, alone), result: alone.result };
    const statuses = { before: current.subscription.status, after: alone.result.subscription.status };
    return { ...transition, result: { ...statuses, notifications: transition.notifications ?? [] } };
  });
  if (after === 'CANCELED') await beginSweep({ ...context, now }, id);
  const preview = await previewDeliveries(context, notifications);
  const first = body.withFirstCharge === true ? 'first charge PENDING → PAID; ' : '';
  const description = `Subscription ${id}: ${body.status} applied; ${first}status ${before} → ${after}. ${preview}`;
  return { status: 200, body: { id, description } };
};

/** Builds the payment of journey 3's first charge. @throws RequestError 409 without one, or if it is not payable now */
async function payFirstCharge(
  source: TransitionContext & { readonly ispb: string },
  { initialCharge }: Subscription,
): Promise<Transition<unknown>> {
  const { orderId } = initialCharge ?? {};
  const payIn = orderId === undefined ? undefined : await readPayIn(source.store, source.companyId, orderId);
  if (payIn === undefined)
    throw forbiddenByState('withFirstCharge', 'INVALID_VALUE', 'The subscription has no first charge.');
  return payInTransition(source, payIn, simulatedPayInEvent('PAID', payIn, source));
}

export const handler = endpoint(ForceSubscriptionStatus, forceSubscriptionStatus, capabilityDependencies);
