import { keys } from '#shared/platform/table/keys.ts';
import type { Check } from '#shared/platform/table/store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import type { Subscription } from '#shared/subscriptions/model.ts';
import { subscriptionUpdate } from '#shared/subscriptions/store.ts';
import type { CompanyHealth } from './health/health.ts';
import { askForSearch } from './health/health.ts';
import { healthWrites, readHealth } from './health/store.ts';

/**
 * Changes the address of a subscription and, in the same transaction, requests a drain of the deliveries that wait for
 * the former address. The transaction requires the health that was read: no drain would search a new backlog.
 * @returns the changed subscription; undefined when the subscription or the health changed meanwhile
 */
export async function readdress(
  { store, now, realNow, ids }: Pick<Dependencies, 'store' | 'now' | 'realNow' | 'ids'>,
  companyId: string,
  current: Subscription,
  { webhookUrl, updatedBy }: { readonly webhookUrl: string; readonly updatedBy: string },
): Promise<Subscription | undefined> {
  if (current.webhookUrl === webhookUrl) return current;
  const health = await readHealth(store, companyId);
  const at = realNow();
  const searched = askForSearch(health, current.webhookUrl, at);
  const next = { ...current, webhookUrl, updatedBy, updatedAt: now(), version: current.version + 1 };
  const { ok } = await store.write(
    [
      subscriptionUpdate(companyId, current, next),
      ...(searched === health ? [unchanged(health)] : healthWrites(health, searched, at)),
    ],
    ids.uuid(),
  );
  return ok ? next : undefined;
}

function unchanged({ companyId, version }: CompanyHealth): Check {
  const when = version === 0 ? ({ is: 'absent' } as const) : { equals: { version } };
  return { check: keys.webhookHealth(companyId), when };
}
