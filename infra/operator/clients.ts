import { randomBytes } from 'node:crypto';
import { forbiddenByState, notFound, wrong } from '#shared/core/errors.ts';
import type { ApiClient } from '#shared/access/api-clients.ts';
import { apiClientInsert, apiClientStatusUpdate, readApiClient } from '#shared/access/api-clients.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { OnboardingDependencies } from './target.ts';

type NewClient = {
  readonly companyId: string;
  /** As the identity provider calls it; made up only where the service brings its own issuer. */
  readonly clientId?: string | undefined;
  /** Value of the API key of the company's usage plan, where that is not the company's id. */
  readonly usageIdentifierKey?: string | undefined;
};
/** `clientSecret` is there where the service brings its own issuer. It is shown here and never again. */
type CreatedClient = Pick<ApiClient, 'clientId' | 'companyId' | 'status'> & { readonly clientSecret?: string };

/**
 * Lets an OAuth client act for a company. Asked again for the same client and company it changes nothing but the API
 * key, and with an issuer of our own gives the client a new secret.
 *
 * @throws Refusal when the company is unknown, or the client belongs to another one.
 */
export async function createClient(dependencies: OnboardingDependencies, wanted: NewClient): Promise<CreatedClient> {
  const { store, ids, now, registry, sandbox } = dependencies;
  const { companyId, usageIdentifierKey } = wanted;
  if (wanted.clientId === undefined && registry === undefined)
    throw wrong('client-id', 'REQUIRED', 'The client id is required: the identity provider makes client and secret.');
  const clientId = wanted.clientId ?? ids.uuid();
  const metered = usageIdentifierKey === undefined ? {} : { usageIdentifierKey };
  const client: ApiClient = { clientId, companyId, status: 'ACTIVE', createdAt: now(), ...metered };
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

/** Shuts a client out, or lets it in again. Answers that the authorizer has given are kept for up to a minute. */
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
  const present = await readApiClient(store, clientId);
  if (present?.companyId !== companyId)
    throw forbiddenByState('client-id', 'ALREADY_EXISTS', 'The client belongs to another company.');
  if (usageIdentifierKey !== undefined && usageIdentifierKey !== present.usageIdentifierKey)
    await store.writeOne({
      update: keys.apiClient(clientId),
      set: { usageIdentifierKey },
      add: { version: 1 },
      when: { equals: { companyId } },
    });
  return present;
}
