import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { authorizer as authorizerWith } from '#functions/workers/authorizer/handler.ts';
import type { AuthorizerEvent } from '#shared/access/authorize.ts';
import { issuerKeys } from '#shared/access/issuer-keys.ts';
import { tokenVerifier } from '#shared/access/verify-token.ts';
import { apiClientInsert, apiClientStatusUpdate, readApiClient } from '#shared/access/api-clients.ts';
import { memoryStore } from '../support/memory-store.ts';
import type { Store } from '#shared/platform/table/store.ts';

export const tenant = '5e0f4a1c-8f3e-4a53-9d0e-6b7f1c2d3e4f';
export const issuerV1 = `https://sts.windows.net/${tenant}/`;
export const issuerV2 = `https://login.microsoftonline.com/${tenant}/v2.0`;
export const scope = 'api://app-order-hml';
export const application = '0b9cf5a5-2f0d-4a0c-9f39-3f6ad0a8a111';
export const stage = 'arn:aws:execute-api:sa-east-1:123456789012:abc123/hml';
const at = '2026-01-15T12:00:00.000Z';

export type Ask = (event: Omit<AuthorizerEvent, 'methodArn'>) => Promise<APIGatewayAuthorizerResult>;

/**
 * Where an authorizer keeps the issuer's keys, and its clock in epoch milliseconds. Default: nowhere yet, and the real
 * time.
 */
type Surroundings = { readonly kept?: Store; readonly nowMs?: () => number };

/** An authorizer as it is after a cold start, on the keys at this address. */
export function authorizer(jwksUri: string, store: Store, surroundings: Surroundings = {}): Ask {
  const { kept = memoryStore(), nowMs = Date.now } = surroundings;
  const response = authorizerWith(() => ({
    verify: tokenVerifier({ issuers: [issuerV1, issuerV2], keys: issuerKeys({ jwksUri, store: kept, nowMs }), nowMs }),
    service: { audiences: [scope, application], scope: scope },
    findClient: (clientId) => readApiClient(store, clientId),
  }));
  return (event) => response({ methodArn: `${stage}/GET/order/v1/webhook`, ...event });
}

/** One company with three clients: `client-a`, `client-shut` and `client-metered`. */
export async function storeWithClients(): Promise<Store> {
  const store = memoryStore();
  const client = { companyId: 'company-a', createdAt: at } as const;
  await store.writeOne(apiClientInsert({ ...client, clientId: 'client-a', status: 'ACTIVE' }));
  await store.writeOne(apiClientInsert({ ...client, clientId: 'client-shut', status: 'ACTIVE' }));
  await store.writeOne(apiClientStatusUpdate('client-shut', 'DISABLED', at));
  const metered = { ...client, clientId: 'client-metered', usageIdentifierKey: 'usage-key-1' };
  await store.writeOne(apiClientInsert({ ...metered, status: 'ACTIVE' }));
  return store;
}

/** Claims of a good token, some of them replaced; `undefined` leaves one out. */
export function good(claims: Record<string, unknown> = {}): Record<string, unknown> {
  return { iss: issuerV1, aud: scope, azp: 'client-a', ...claims };
}

/** The outcome for a token: the effect, the cause of a refusal, or the name of the error. */
export async function outcome(ask: Ask, bearer: string): Promise<string> {
  return ask({ authorizationToken: `Bearer ${bearer}` }).then(
    ({ policyDocument, context }) => String(context?.['refusal'] ?? policyDocument.Statement[0]?.Effect),
    (error: unknown) => (error as Error).name,
  );
}
