import { notFound } from '#shared/core/errors.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Backlog } from '#shared/webhooks/backlog/model.ts';
import { holdBacklog, newBacklog, releaseBacklog } from '#shared/webhooks/backlog/model.ts';
import { markFailing, setHold } from '#shared/webhooks/settings.ts';
import { beginRelease } from '#shared/webhooks/backlog/advance.ts';
import { settledSeconds } from '#shared/webhooks/backlog/deferred.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { endpointBacklog, backlogPut, parseBacklog } from '#shared/webhooks/backlog/store.ts';
import type { Write } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { parseWebhookSettings, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import type { OnboardingDependencies } from './target.ts';

type NotificationScope = { readonly companyId: string; readonly endpoint?: string | undefined };
/** `notifications`: their state from now on. */
type HoldFacts = {
  readonly companyId: string;
  readonly endpoint: string | null;
  readonly notifications: 'HELD' | 'SENT';
  readonly since: string;
};

/**
 * Holds a company's notifications, or those to one endpoint, as if no endpoint were active. A repetition keeps `since`.
 * @throws RequestError when there is no such company.
 */
export async function holdNotifications(
  { store, ids, now }: OnboardingDependencies,
  of: NotificationScope,
): Promise<HoldFacts> {
  const { companyId, endpoint } = of;
  return untilCommitted(async () => {
    const { settings, backlog } = await read({ store }, of);
    const at = now();
    const since =
      endpoint === undefined ? settings.heldSince : backlog.held?.by === 'OPERATOR' ? backlog.held.at : undefined;
    const facts = { companyId, endpoint: endpoint ?? null, notifications: 'HELD' as const, since: since ?? at };
    if (since !== undefined) return facts;
    const held = setHold(settings, at);
    const whenSettings = { equals: { version: settings.version } };
    const write: Write =
      endpoint === undefined
        ? { put: webhookSettingsItem(held), when: whenSettings }
        : backlogPut(holdBacklog(backlog, 'OPERATOR', at, plusSeconds(at, settledSeconds)), at);
    return (await store.write([write], ids.uuid())).ok ? facts : undefined;
  });
}

/**
 * Releases a company's notifications, or those to one endpoint: the held ones of the last 7 days, oldest first. Forgets
 * the endpoint's failures. An `INACTIVE` type stays so, and its notifications stay held.
 * @throws RequestError when there is no such company.
 */
export async function releaseNotifications(
  dependencies: OnboardingDependencies,
  of: NotificationScope,
): Promise<HoldFacts> {
  const { store, ids, now } = dependencies;
  const { companyId, endpoint } = of;
  const released = await untilCommitted(async () => {
    const { settings, backlog } = await read({ store }, of);
    const at = now();
    const next = releaseBacklog(backlog, at);
    const freed = endpoint === undefined ? setHold(settings, undefined) : markFailing(settings, endpoint, undefined);
    const whenSettings = { equals: { version: settings.version } };
    const puts = freed === undefined ? [] : [{ put: webhookSettingsItem(freed), when: whenSettings }];
    return (await store.write([backlogPut(next, at), ...puts], ids.uuid())).ok ? next : undefined;
  });
  try {
    await beginRelease({ store, now, newId: () => ids.uuid(), onBacklog: () => undefined }, released);
  } catch (error) {
    // The release is in the table: the sweep starts it.
    if (!(error instanceof StoreUnavailable)) throw error;
  }
  const since = released.releasedAt ?? now();
  return { companyId, endpoint: endpoint ?? null, notifications: 'SENT', since };
}

/** Settings and backlog, in one read. */
async function read({ store }: Pick<OnboardingDependencies, 'store'>, { companyId, endpoint }: NotificationScope) {
  const name = endpoint === undefined ? 'company' : endpointBacklog(endpoint);
  const [settingsItem, backlogItem] = await store.read([
    keys.webhookSettings(companyId),
    keys.backlog(companyId, name),
  ]);
  if (settingsItem === undefined) throw notFound('Company');
  const backlog: Backlog =
    backlogItem === undefined ? newBacklog(companyId, name, endpoint) : parseBacklog(backlogItem);
  return { settings: parseWebhookSettings(settingsItem), backlog };
}
