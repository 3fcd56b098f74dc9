import type { Caller, Operation } from '#shared/contract/contract.ts';
import type { Detail } from '#shared/core/errors.ts';
import { RequestError } from '#shared/core/errors.ts';
import type { WantedEndpoint } from '#shared/webhooks/settings.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { checkTarget } from '#shared/platform/target-guard.ts';
import type { Endpoints } from '#shared/webhooks/health/operations.ts';
import { readEndpoints, setEndpoints, writeEndpoints } from '#shared/webhooks/health/operations.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { webhookSettingsView } from '#shared/webhooks/view.ts';
import { ReplaceWebhookSettings } from './contract.ts';

type Deps = Pick<Dependencies, 'store' | 'realNow' | 'ids' | 'settings'>;

/**
 * Replaces the endpoints of a company. Deliveries that wait for a type go to its new address: the write of the settings
 * also requests a drain, which runs after this call.
 * @throws RequestError for endpoints that may not be called: one error with all of them
 */
export const replaceWebhookSettings: Operation<typeof ReplaceWebhookSettings, Deps> = async (
  { caller, body },
  deps,
) => {
  const wanted = body.events.map(({ type, endpoint, status = 'ACTIVE' }) => ({ type, endpoint, status }));
  await requireCallable(wanted, deps);
  const replaced = await untilCommitted(() => replace(caller, wanted, deps));
  return { status: 200, body: webhookSettingsView(replaced) };
};

/** Writes the new settings. Returns undefined when the settings changed between reading and writing. */
async function replace(
  { companyId, clientId: updatedBy }: Caller,
  wanted: readonly WantedEndpoint[],
  { store, realNow: now, ids }: Deps,
): Promise<Endpoints | undefined> {
  const current = await readEndpoints(store, companyId);
  const { settings, health } = setEndpoints(current, wanted, now());
  const next = { settings: { ...settings, updatedBy }, health };
  return (await writeEndpoints({ store, now, newId: () => ids.uuid() }, current, next)) ? next : undefined;
}

async function requireCallable(wanted: readonly WantedEndpoint[], deps: Deps): Promise<void> {
  const rules = { allowLocal: deps.settings.allowLocalTargets };
  const reasons = await Promise.all(wanted.map(({ endpoint }) => checkTarget(endpoint, rules)));
  const details = reasons.flatMap((description, place): Detail[] => {
    return description === undefined
      ? []
      : [{ field: `events.${place}.endpoint`, issue: 'INVALID_VALUE', description }];
  });
  if (details.length > 0) throw new RequestError('badRequest', 'An endpoint may not be called.', details);
}

export const handler = endpoint(ReplaceWebhookSettings, replaceWebhookSettings, realTimeDependencies);
