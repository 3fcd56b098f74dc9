import { randomBytes } from 'node:crypto';
import type { ApiClient } from '#shared/access/api-clients.ts';
import { apiClientInsert, apiClientStatusUpdate, readApiClient } from '#shared/access/api-clients.ts';
import { forbiddenByState, notFound, badRequest } from '#shared/core/errors.ts';
import { newWebhookSettings, overlapSeconds, replaceSecret } from '#shared/webhooks/settings.ts';
import { newWebhookSecret } from '#shared/webhooks/dispatch/signature.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import type { Company } from '#shared/platform/company.ts';
import { companyIds, companyItem, parseCompany, registryItem } from '#shared/platform/company.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item } from '#shared/platform/table/store.ts';
import {
  parseWebhookSecret,
  webhookSecretItem,
  webhookSettingsItem,
  writeWebhookSecret,
} from '#shared/webhooks/settings-store.ts';
import type { OnboardingDependencies } from './target.ts';

type NewCompany = { readonly name: string; readonly companyId?: string | undefined };
type ShownCompany = Omit<Company, 'cursorKey'>;

/**
 * Creates a company in one transaction, with its registry item, empty webhook settings and its first webhook secret.
 * Before the first company it creates the service's secret for keyed hashes.
 * @throws RequestError when a company has this id already.
 */
export async function createCompany(
  { store, ids, now, sandbox }: OnboardingDependencies,
  wanted: NewCompany,
): Promise<ShownCompany & { readonly webhookSecret: string }> {
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
  if (!outcome.ok) throw forbiddenByState('company', 'ALREADY_EXISTS', `The company ${companyId} already exists.`);
  sandbox?.addCompany({ companyId, name, webhookSecret, accounts: [] });
  return { ...company, webhookSecret };
}

/** Lists all companies, oldest first. */
export async function listCompanies({ store }: OnboardingDependencies): Promise<readonly ShownCompany[]> {
  const found: ShownCompany[] = [];
  const waiting: string[] = [];
  for await (const companyId of companyIds(store)) waiting.push(companyId);
  while (waiting.length > 0) {
    const items = await store.read(waiting.splice(0, 100).map((companyId) => keys.company(companyId)));
    found.push(...items.flatMap((item) => (item === undefined ? [] : [withoutKey(parseCompany(item))])));
  }
  return found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

type RotatedSecret = {
  readonly companyId: string;
  readonly webhookSecret: string;
  readonly previousSecretExpiresAt: string | null;
};

/**
 * Creates a new webhook secret. The current one stays valid for the overlap. This is for a partner who lost the first
 * secret before the first call; later partners rotate it themselves. After a concurrent rotation it tries again.
 * @throws RequestError when there is no such company.
 */
export async function rotateSecret(
  { store, now, sandbox }: OnboardingDependencies,
  wanted: { readonly companyId: string; readonly overlapSeconds?: number | undefined },
): Promise<RotatedSecret> {
  const { companyId } = wanted;
  const overlap = wanted.overlapSeconds ?? overlapSeconds.usual;
  return untilCommitted(async () => {
    const [item] = await store.read([keys.webhookSecret(companyId)]);
    if (item === undefined) throw notFound('Company');
    const next = replaceSecret(parseWebhookSecret(item), { current: newWebhookSecret() }, now(), overlap);
    if (!(await writeWebhookSecret(store, next))) return undefined;
    const webhookSecret = next.current;
    sandbox?.changeCompany(companyId, (known) => ({ ...known, webhookSecret }));
    return { companyId, webhookSecret, previousSecretExpiresAt: next.previousExpiresAt ?? null };
  });
}

function withoutKey({ cursorKey: _cursorKey, ...company }: Company): ShownCompany {
  return company;
}

type NewClient = {
  readonly companyId: string;
  /** Id of the client at the identity provider. Required without an own issuer. */
  readonly clientId?: string | undefined;
  /** API key in the company's usage plan. Default: the company's id. */
  readonly usageIdentifierKey?: string | undefined;
};
/** `clientSecret`: only with an own issuer, and shown only when it is created. */
type CreatedClient = Pick<ApiClient, 'clientId' | 'companyId' | 'status'> & { readonly clientSecret?: string };

/**
 * Allows an OAuth client to act for a company. A repetition changes only the API key and, with an own issuer, the
 * client's secret.
 * @throws RequestError when the company is unknown, the client belongs to another one or its id is missing.
 */
export async function createClient(dependencies: OnboardingDependencies, wanted: NewClient): Promise<CreatedClient> {
  const { store, ids, now, registry, sandbox } = dependencies;
  const { companyId, usageIdentifierKey } = wanted;
  if (wanted.clientId === undefined && registry === undefined)
    throw badRequest(
      'client-id',
      'REQUIRED',
      'The client id is required: the identity provider creates the client and its secret.',
    );
  const clientId = wanted.clientId ?? ids.uuid();
  const client: ApiClient = {
    clientId,
    companyId,
    status: 'ACTIVE',
    createdAt: now(),
    ...(usageIdentifierKey !== undefined && { usageIdentifierKey }),
  };
  const known = { check: keys.company(companyId), when: { is: 'present' as const } };
  const outcome = await store.write([known, apiClientInsert(client)], ids.uuid());
  if (!outcome.ok && outcome.failed.some(({ index }) => index === 0)) throw notFound('Company');
  const { status } = outcome.ok ? client : await keepClient(dependencies, client);
  if (registry === undefined) return { clientId, companyId, status };
  const clientSecret = randomBytes(32).toString('base64url');
  await registry.register(clientId, clientSecret);
  sandbox?.changeCompany(companyId, (known) => ({ ...known, clientId, clientSecret }));
  return { clientId, companyId, status, clientSecret };
}

/** Disables or enables a client. API Gateway caches the authorizer's decision for up to a minute. */
export async function setClientStatus(
  { store, now }: OnboardingDependencies,
  clientId: string,
  status: ApiClient['status'],
): Promise<CreatedClient> {
  const outcome = await store.writeOne(apiClientStatusUpdate(clientId, status, now()));
  const client = outcome.ok ? await readApiClient(store, clientId) : undefined;
  if (client === undefined) throw notFound('Client');
  return { clientId, companyId: client.companyId, status };
}

async function keepClient({ store }: OnboardingDependencies, wanted: ApiClient): Promise<ApiClient> {
  const { clientId, companyId, usageIdentifierKey } = wanted;
  const current = await readApiClient(store, clientId);
  if (current?.companyId !== companyId)
    throw forbiddenByState('client-id', 'ALREADY_EXISTS', 'The client belongs to another company.');
  if (usageIdentifierKey !== undefined && usageIdentifierKey !== current.usageIdentifierKey)
    await store.writeOne({
      update: keys.apiClient(clientId),
      set: { usageIdentifierKey },
      add: { version: 1 },
      when: { equals: { companyId } },
    });
  return current;
}
