import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { beginSweep } from '#shared/scheduled-payments/begin-sweep.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import { moveSubscription } from '#shared/subscriptions/transition.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import { readSubscription } from '#shared/subscriptions/store.ts';
import { simulatedRecurrenceFacts } from '#shared/sandbox/order-events.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { ForceSubscriptionStatus } from './contract.ts';

/**
 * Moves a subscription as the payer's bank would (4.10).
 * @throws Refusal when the company has no such subscription or section 3 does not allow the move.
 */
export async function forceSubscriptionStatus(
  { caller, requestId, body }: RequestOf<typeof ForceSubscriptionStatus>,
  { store, ids, now, realNow, settings }: Dependencies,
): Promise<AnswerOf<typeof ForceSubscriptionStatus>> {
  const { companyId } = caller;
  const { id } = body;
  return untilCommitted(async () => {
    const current = await readSubscription(store, companyId, id, 'LATEST');
    if (current === undefined) throw notFound('Subscription');
    const context = { store, ids, at: now(), realNow, companyId, requestId };
    const facts = simulatedRecurrenceFacts(body.status, current.subscription, { ...context, ispb: settings.ispb });
    const { committed, moved, notifications } = await moveSubscription(context, current, facts);
    if (!committed.ok) return undefined;
    if (moved.subscription.status === 'CANCELED') await beginSweep({ ...context, now }, id);
    const change = `status ${current.subscription.status} → ${moved.subscription.status}`;
    const preview = await previewDeliveries(context, notifications);
    const description = `Subscription ${id}: ${body.status} applied; ${change}. ${preview}`;
    return { status: 200, body: { id, description } };
  });
}

export const handler = endpoint(ForceSubscriptionStatus, forceSubscriptionStatus, dependencies);
