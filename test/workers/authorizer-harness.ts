import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { answering } from '../../functions/workers/authorizer/answering.ts';
import type { AuthorizerEvent } from '../../functions/workers/authorizer/authorize.ts';
import { tokenVerifier } from '../../functions/workers/authorizer/verify-token.ts';
import { apiClientPut, apiClientStatus, readApiClient } from '../../shared/persistence/api-clients.ts';
import { memoryStore } from '../../shared/persistence/memory-store.ts';
import type { Store } from '../../shared/persistence/store.ts';

export const TENANT = '5e0f4a1c-8f3e-4a53-9d0e-6b7f1c2d3e4f';
export const V1 = `https://sts.windows.net/${TENANT}/`;
export const V2 = `https://login.microsoftonline.com/${TENANT}/v2.0`;
export const SCOPE = 'api://app-order-hml';
export const APPLICATION = '0b9cf5a5-2f0d-4a0c-9f39-3f6ad0a8a111';
export const STAGE = 'arn:aws:execute-api:sa-east-1:123456789012:abc123/hml';
const AT = '2026-01-15T12:00:00.000Z';

export type Ask = (event: Omit<AuthorizerEvent, 'methodArn'>) => Promise<APIGatewayAuthorizerResult>;

/** An authorizer as it is after a cold start, on the keys at this address. */
export function authorizer(jwksUri: string, store: Store): Ask {
  const answer = answering(() => ({
    verify: tokenVerifier({ issuers: [V1, V2], jwksUri, nowMs: Date.now }),
    service: { audiences: [SCOPE, APPLICATION], scope: SCOPE },
    findClient: (clientId) => readApiClient(store, clientId),
  }));
  return (event) => answer({ methodArn: `${STAGE}/GET/order/v1/webhook`, ...event });
}

/** One company with three clients: `client-a`, `client-shut` and `client-metered`. */
export async function storeWithClients(): Promise<Store> {
  const store = memoryStore();
  const client = { companyId: 'company-a', createdAt: AT } as const;
  await store.writeOne(apiClientPut({ ...client, clientId: 'client-a', status: 'ACTIVE' }));
  await store.writeOne(apiClientPut({ ...client, clientId: 'client-shut', status: 'ACTIVE' }));
  await store.writeOne(apiClientStatus('client-shut', 'DISABLED', AT));
  const metered = { ...client, clientId: 'client-metered', usageIdentifierKey: 'usage-key-1' };
  await store.writeOne(apiClientPut({ ...metered, status: 'ACTIVE' }));
  return store;
}

/** Claims of a good token, some of them replaced; `undefined` leaves one out. */
export function good(claims: Record<string, unknown> = {}): Record<string, unknown> {
  return { iss: V1, aud: SCOPE, azp: 'client-a', ...claims };
}
