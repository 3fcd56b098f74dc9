import type { Operation } from '#shared/contract/contract.ts';
import type { Detail } from '#shared/core/errors.ts';
import { RequestError } from '#shared/core/errors.ts';
import { typeBacklog } from '#shared/platform/outbox/delivery.ts';
import type { WantedEndpoint } from '#shared/webhooks/settings.ts';
import { replaceEndpoints } from '#shared/webhooks/settings.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { checkTarget } from '#shared/webhooks/dispatch/target-guard.ts';
import { beginReleases, releasesOf } from '#shared/webhooks/backlog/advance.ts';
import { readBacklogs, endpointBacklog, backlogPut } from '#shared/webhooks/backlog/store.ts';
import { reportBacklog } from '#shared/webhooks/dispatch/report.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import { readWebhookSettings, writeWebhookSettings } from '#shared/webhooks/settings-store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { webhookSettingsView } from '#shared/webhooks/view.ts';
import { ReplaceWebhookSettings } from './contract.ts';

type Deps = Pick<Dependencies, 'store' | 'realNow' | 'ids' | 'settings'>;
type Replaced = ReturnType<typeof releasesOf>;

/**
 * Replaces the endpoints of a company. The release of what is held for a new type is written with them, and outlives
 * this call. @throws RequestError for endpoints that may not be called, all of them at once.
 */
export const replaceWebhookSettings: Operation<typeof ReplaceWebhookSettings, Deps> = async (
  { caller, body },
  deps,
) => {
  const { companyId } = caller;
  const wanted = body.events.map(({ type, endpoint, status = 'ACTIVE' }) => ({ type, endpoint, status }));
  await requireCallable(wanted, deps);
  const replaced = await untilCommitted(() => replace(companyId, wanted, deps));
  const { store, realNow, ids } = deps;
  await beginReleases({ store, now: realNow, newId: () => ids.uuid(), onBacklog: reportBacklog }, replaced);
  return { status: 200, body: webhookSettingsView(replaced.settings) };
};

/** Undefined when the settings changed between reading and writing. */
async function replace(
  companyId: string,
  wanted: readonly WantedEndpoint[],
  { store, realNow, ids }: Deps,
): Promise<Replaced | undefined> {
  const at = realNow();
  const names = wanted.flatMap(({ type, endpoint }) => [typeBacklog(type), endpointBacklog(endpoint)]);
  const [present, backlogs] = await Promise.all([
    readWebhookSettings(store, companyId),
    readBacklogs(store, companyId, names),
  ]);
  const { settings, activated } = replaceEndpoints(present, wanted, at);
  const replaced = releasesOf(settings, activated, backlogs, at);
  const puts = replaced.released.map((backlog) => backlogPut(backlog, at));
  return (await writeWebhookSettings(store, replaced.settings, puts, ids.uuid())) ? replaced : undefined;
}

async function requireCallable(wanted: readonly WantedEndpoint[], deps: Deps): Promise<void> {
  const rules = { allowLocal: deps.settings.allowLocalTargets };
  const faults = await Promise.all(wanted.map(({ endpoint }) => checkTarget(endpoint, rules)));
  const details = faults.flatMap((description, place): Detail[] => {
    return description === undefined
      ? []
      : [{ field: `events.${place}.endpoint`, issue: 'INVALID_VALUE', description }];
  });
  if (details.length > 0) throw new RequestError('badRequest', 'An endpoint may not be called.', details);
}

export const handler = endpoint(ReplaceWebhookSettings, replaceWebhookSettings, realTimeDependencies);
