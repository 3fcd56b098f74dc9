import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import { isUuid } from '../../../shared/domain/identifiers.ts';
import { notFound } from '../../../shared/domain/refusal.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { moveSubscription } from '../../../shared/operations/move-subscription.ts';
import { untilCommitted } from '../../../shared/persistence/commit.ts';
import { readSubscription } from '../../../shared/persistence/subscriptions.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { ForceSubscriptionStatus } from './contract.ts';

/**
 * Moves a subscription as the payer's bank would (4.10).
 * @throws Refusal when the company has no such subscription or section 3 does not allow the move.
 */
export async function forceSubscriptionStatus(
  { caller, requestId, body }: RequestOf<typeof ForceSubscriptionStatus>,
  { store, ids, now, settings }: Dependencies,
): Promise<AnswerOf<typeof ForceSubscriptionStatus>> {
  const { companyId } = caller;
  const id = body.id.toLowerCase();
  return untilCommitted(async () => {
    const current = isUuid(id) ? await readSubscription(store, companyId, id) : undefined;
    if (current === undefined) throw notFound('Subscription');
    const context = { store, ids, at: now(), ispb: settings.ispb, companyId, requestId };
    const { committed, moved } = await moveSubscription(context, current, body.status);
    if (!committed.ok) return undefined;
    const description = `Subscription ${id}: ${body.status} applied; status ${current.subscription.status} → ${moved.subscription.status}; event ${moved.event}.`;
    return { status: 200, body: { id, description } };
  });
}

export const handler = endpoint(ForceSubscriptionStatus, forceSubscriptionStatus, dependencies);
