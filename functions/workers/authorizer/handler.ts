import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { readApiClient } from '#shared/access/api-clients.ts';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import { nowMs } from '#shared/platform/clock.ts';
import { env } from '#shared/platform/env.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import { emit } from '#shared/platform/metrics.ts';
import { settings } from '#shared/platform/settings.ts';
import type { AuthorizerDependencies, AuthorizerEvent } from '#shared/access/authorize.ts';
import { authorize } from '#shared/access/authorize.ts';
import { issuerKeys } from '#shared/access/issuer-keys.ts';
import { tokenVerifier } from '#shared/access/verify-token.ts';

type Authorizer = (event: AuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

/**
 * Returns the authorizer that API Gateway calls. It throws when it cannot check a token: the partner gets 503 and
 * repeats the request, instead of a 401 for a valid token. Logs hold reasons, never tokens or claims.
 */
export function authorizer(build: () => AuthorizerDependencies): Authorizer {
  let deps: AuthorizerDependencies | undefined;
  return async (event) => {
    try {
      deps ??= build();
      const { response, outcome, ...why } = await authorize(event, deps);
      if (outcome === 'DENIED') log('warn', 'Authorizer denied access to a valid token', why);
      if (outcome === 'UNAUTHORIZED') log('info', 'Authorizer rejected a token', why);
      count(outcome);
      return response;
    } catch (error) {
      log('error', 'Cannot check a token', errorFields(error));
      count('FAILED');
      throw error;
    }
  };
}

export const handler = authorizer(() => {
  const store = connectStore(env('TABLE_NAME'));
  const { issuers, jwksUri, audiences, scope } = settings().tokens;
  const keys = issuerKeys({ jwksUri, store, nowMs });
  return {
    verify: tokenVerifier({ issuers, keys, nowMs }),
    service: { audiences, scope },
    findClient: (clientId) => readApiClient(store, clientId),
  };
});

function count(outcome: 'ALLOWED' | 'DENIED' | 'UNAUTHORIZED' | 'FAILED'): void {
  emit(nowMs(), 'outcome', { outcome }, [{ name: 'Authorizations', unit: 'Count', value: 1 }]);
}
