import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { dependencies } from '#shared/platform/dependencies.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { requireCallableUrl } from '#shared/platform/target-guard.ts';
import { readSubscription } from '#shared/subscriptions/store.ts';
import { subscriptionView } from '#shared/subscriptions/view.ts';
import { readdress } from '#shared/webhooks/readdress.ts';
import { UpdateSubscription } from './contract.ts';

type Deps = Pick<Dependencies, 'store' | 'now' | 'realNow' | 'ids' | 'settings'>;

/**
 * Gives a subscription another `webhookUrl`, in any status. Every attempt of a notification reads the current address,
 * and a drain searches for deliveries that wait for the former address. The same address again changes nothing.
 * @throws RequestError 404; 400 for an address that may not be called
 */
export const updateSubscription: Operation<typeof UpdateSubscription, Deps> = async (
  { caller, params, body },
  deps,
) => {
  const { companyId, clientId: updatedBy } = caller;
  const { webhookUrl } = body;
  await requireCallableUrl('webhookUrl', webhookUrl, deps.settings);
  const updated = await untilCommitted(async () => {
    const found = await readSubscription(deps.store, companyId, params.id, 'ALL');
    if (found === undefined) throw notFound('Subscription');
    const subscription = await readdress(deps, companyId, found.subscription, { webhookUrl, updatedBy });
    return subscription && { ...found, subscription };
  });
  return { status: 200, body: subscriptionView(updated) };
};

export const handler = endpoint(UpdateSubscription, updateSubscription, dependencies);
