import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { replaceSecret, newWebhookSettings } from '#shared/webhooks/settings.ts';
import { newWebhookSecret } from '#shared/webhooks/signature.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import type { Company } from '#shared/platform/company.ts';
import { companyIds, companyItem, parseCompany, registryItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item } from '#shared/platform/table/store.ts';
import {
  parseWebhookSecret,
  webhookSecretItem,
  webhookSettingsItem,
  writeWebhookSecret,
} from '#shared/webhooks/settings-store.ts';
import type { OnboardingDependencies } from './dependencies.ts';

type NewCompany = { readonly name: string; readonly companyId?: string | undefined };
/** The secret is shown here and never again. */
type CreatedCompany = Omit<Company, 'cursorKey'> & { readonly webhookSecret: string };

/**
 * Creates a company with all that it has from the beginning, in one transaction: its line in the registry, empty
 * webhook settings and its first webhook secret. Before the first one the service gets its secret of keyed hashes.
 *
 * @throws Refusal when there is a company of this id.
 */
export async function createCompany(
  { store, ids, now, sandbox }: OnboardingDependencies,
  wanted: NewCompany,
): Promise<CreatedCompany> {
  const at = now();
  const { name, companyId = ids.uuid() } = wanted;
  const company = { companyId, organizationId: ids.uuid(), name, createdAt: at };
  const settings = newWebhookSettings({ id: ids.uuid(), companyId, organizationId: company.organizationId, at });
  const webhookSecret = newWebhookSecret();
  const items: readonly Item[] = [
    companyItem({ ...company, cursorKey: newCursorKey() }),
    registryItem(companyId),
    webhookSettingsItem(settings),
    webhookSecretItem({ companyId, current: webhookSecret, createdAt: at, version: 1 }),
  ];
  const writes = items.map((put) => ({ put, when: { is: 'absent' as const } }));
  await readOrMakeHash(store);
  const outcome = await store.write(writes, ids.uuid());
  if (!outcome.ok) throw forbiddenByState('company', 'ALREADY_EXISTS', `There is a company ${companyId} already.`);
  sandbox?.addCompany({ companyId, name, webhookSecret, accounts: [] });
  return { ...company, webhookSecret };
}

/** Every company, oldest first. */
export async function listCompanies({ store }: OnboardingDependencies): Promise<readonly Omit<Company, 'cursorKey'>[]> {
  const found: Omit<Company, 'cursorKey'>[] = [];
  const waiting: string[] = [];
  for await (const companyId of companyIds(store)) waiting.push(companyId);
  while (waiting.length > 0) {
    const items = await store.read(waiting.splice(0, 100).map((companyId) => keys.company(companyId)));
    for (const item of items) if (item !== undefined) found.push(withoutKey(parseCompany(item)));
  }
  return found.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/**
 * Makes a new webhook secret; the present one stays valid for the overlap. For a partner who lost theirs before the
 * first call: afterwards they rotate it themselves. Where another rotation came in between, this one follows it.
 *
 * @throws Refusal when there is no such company.
 */
export async function rotateSecret(
  { store, now, sandbox }: OnboardingDependencies,
  wanted: { readonly companyId: string; readonly overlapSeconds: number },
): Promise<{
  readonly companyId: string;
  readonly webhookSecret: string;
  readonly previousSecretExpiresAt: string | null;
}> {
  const { companyId, overlapSeconds } = wanted;
  return untilCommitted(async () => {
    const [item] = await store.read([keys.webhookSecret(companyId)]);
    if (item === undefined) throw notFound('Company');
    const next = replaceSecret(parseWebhookSecret(item), { current: newWebhookSecret() }, now(), overlapSeconds);
    if (!(await writeWebhookSecret(store, next))) return undefined;
    const webhookSecret = next.current;
    sandbox?.changeCompany(companyId, (known) => ({ ...known, webhookSecret }));
    return { companyId, webhookSecret, previousSecretExpiresAt: next.previousExpiresAt ?? null };
  });
}

function withoutKey({ cursorKey: _cursorKey, ...company }: Company): Omit<Company, 'cursorKey'> {
  return company;
}
