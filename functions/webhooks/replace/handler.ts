import type { AnswerOf, RequestOf } from '../../../shared/contracts/contract.ts';
import type { Detail } from '../../../shared/domain/refusal.ts';
import { Refusal } from '../../../shared/domain/refusal.ts';
import type { WantedEndpoint } from '../../../shared/domain/webhook-settings.ts';
import { replaceEndpoints } from '../../../shared/domain/webhook-settings.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { checkTarget } from '../../../shared/notifications/target-guard.ts';
import { untilCommitted } from '../../../shared/persistence/commit.ts';
import { releaseHeld, releaseJobPut } from '../../../shared/persistence/held-deliveries.ts';
import { StoreUnavailable } from '../../../shared/persistence/store.ts';
import { readWebhookSettings, writeWebhookSettings } from '../../../shared/persistence/webhook-settings.ts';
import type { Dependencies } from '../../../shared/runtime/dependencies.ts';
import { dependencies } from '../../../shared/runtime/dependencies.ts';
import { errorFields, log } from '../../../shared/runtime/log.ts';
import { webhookSettingsView } from '../../../shared/views/webhook-settings.ts';
import { ReplaceWebhookSettings } from './contract.ts';

type Deps = Pick<Dependencies, 'store' | 'now' | 'ids' | 'settings'>;
type Replaced = ReturnType<typeof replaceEndpoints>;

/** Held deliveries that are sent before the answer; the sweep sends the rest. */
const releasedAtOnce = 25;

/**
 * Replaces the endpoints of a company. The obligation to release what is held for a type that becomes active is written
 * together with them, so that it outlives this call.
 * @throws Refusal for endpoints that may not be called, all of them at once.
 */
export async function replaceWebhookSettings(
  { caller, body }: RequestOf<typeof ReplaceWebhookSettings>,
  deps: Deps,
): Promise<AnswerOf<typeof ReplaceWebhookSettings>> {
  const { companyId } = caller;
  const wanted = body.events.map(({ type, endpoint, status = 'ACTIVE' }) => ({ type, endpoint, status }));
  await requireCallable(wanted, deps);
  const { settings, activated } = await untilCommitted(() => replace(companyId, wanted, deps));
  for (const type of activated) await releaseOldest(companyId, type, deps);
  return { status: 200, body: webhookSettingsView(settings) };
}

/** Undefined when the settings changed between reading and writing. */
async function replace(
  companyId: string,
  wanted: readonly WantedEndpoint[],
  { store, now, ids }: Deps,
): Promise<Replaced | undefined> {
  const present = await readWebhookSettings(store, companyId);
  const at = now();
  const replaced = replaceEndpoints(present, wanted, at);
  const jobs = replaced.activated.map((type) => releaseJobPut({ companyId, type, createdAt: at }));
  const written = await writeWebhookSettings(store, replaced.settings, jobs, ids.uuid());
  return written ? replaced : undefined;
}

async function requireCallable(wanted: readonly WantedEndpoint[], deps: Deps): Promise<void> {
  const rules = { allowLocal: deps.settings.allowLocalTargets };
  const faults = await Promise.all(wanted.map(({ endpoint }) => checkTarget(endpoint, rules)));
  const details = faults.flatMap((description, place): Detail[] => {
    return description === undefined
      ? []
      : [{ field: `events.${place}.endpoint`, issue: 'INVALID_VALUE', description }];
  });
  if (details.length > 0) throw new Refusal('wrong', 'An endpoint may not be called.', details);
}

/** The settings hold by now: what cannot be released here is released by the sweep. */
async function releaseOldest(
  companyId: string,
  type: Replaced['activated'][number],
  { store, now, ids }: Deps,
): Promise<void> {
  try {
    await releaseHeld({ store, now, newId: () => ids.uuid() }, { companyId, type, limit: releasedAtOnce });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    log('warn', 'held deliveries are left to the sweep', { companyId, type, ...errorFields(error) });
  }
}

export const handler = endpoint(ReplaceWebhookSettings, replaceWebhookSettings, dependencies);
