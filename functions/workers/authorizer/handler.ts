import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { readApiClient } from '../../../shared/persistence/api-clients.ts';
import { connectStore } from '../../../shared/persistence/connect.ts';
import { nowMs } from '../../../shared/runtime/clock.ts';
import { env } from '../../../shared/runtime/env.ts';
import type { AuthorizerDependencies, AuthorizerEvent } from './authorize.ts';
import { answering } from './answering.ts';
import { tokenVerifier } from './verify-token.ts';

function dependencies(): AuthorizerDependencies {
  const store = connectStore(env('TABLE_NAME'));
  return {
    verify: tokenVerifier({ issuers: env('TOKEN_ISSUERS'), jwksUri: env('TOKEN_JWKS_URI'), nowMs }),
    service: { audiences: env('TOKEN_AUDIENCES'), scope: env('TOKEN_SCOPE') },
    findClient: (clientId) => readApiClient(store, clientId),
  };
}

const answer = answering(dependencies);

export async function handler(event: AuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  return answer(event);
}
