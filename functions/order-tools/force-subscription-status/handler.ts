import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { moveSubscriptionAtBank } from '#shared/sandbox/bank-tools.ts';
import { requireMovable } from '#shared/sandbox/simulated-bank.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { beginSweep } from '#shared/scheduled-payments/cancel.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import { subscriptionTransition } from '#shared/subscriptions/transition.ts';
import { readSubscription } from '#shared/subscriptions/store.ts';
import { simulatedRecurrenceEvent } from '#shared/sandbox/order-events.ts';
import type { ToolDependencies } from '#functions/banks.ts';
import { toolDependencies } from '#functions/banks.ts';
import { ForceSubscriptionStatus } from './contract.ts';

/** A transition of a subscription by its payer's bank (4.10). @throws RequestError 404; by section 3. */
export const forceSubscriptionStatus: Operation<typeof ForceSubscriptionStatus, ToolDependencies> = async (
  { caller, requestId, body },
  { store, ids, now, realNow, settings, bank },
) => {
  const { companyId } = caller;
  const { id } = body;
  if ((await requireMovable(bank, companyId, 'id')) === 'tools')
    return { status: 200, body: { id, description: await moveSubscriptionAtBank({ store, companyId }, body) } };
  const context = { store, ids, realNow, companyId, requestId };
  const read = () => readSubscription(store, companyId, id, 'LATEST');
  const { before, after, notifications } = await commitTransition(context, read, (current) => {
    if (current === undefined) throw notFound('Subscription');
    const source = { ...context, at: now(), ispb: settings.ispb };
    const event = simulatedRecurrenceEvent(body.status, current.subscription, source);
    const transition = subscriptionTransition(source, current, event);
    const statuses = { before: current.subscription.status, after: transition.result.subscription.status };
    return { ...transition, result: { ...statuses, notifications: transition.notifications ?? [] } };
  });
  if (after === 'CANCELED') await beginSweep({ ...context, now }, id);
  const preview = await previewDeliveries(context, notifications);
  const description = `Subscription ${id}: ${body.status} applied; status ${before} → ${after}. ${preview}`;
  return { status: 200, body: { id, description } };
};

export const handler = endpoint(ForceSubscriptionStatus, forceSubscriptionStatus, toolDependencies);
