import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { ApiClient } from './api-clients.ts';
import { allowPolicy, denyPolicy } from './policy.ts';
import type { ServiceIdentity } from './token-claims.ts';
import { clientIdOf, isForService } from './token-claims.ts';
import type { TokenVerifier } from './verify-token.ts';
import { InvalidToken } from './verify-token.ts';

/** The parts of an authorizer event that are used; API Gateway sends a TOKEN authorizer's value or all headers. */
export type AuthorizerEvent = {
  readonly methodArn: string;
  readonly authorizationToken?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
};

export type AuthorizerDependencies = {
  readonly verify: TokenVerifier;
  readonly service: ServiceIdentity;
  readonly findClient: (clientId: string) => Promise<ApiClient | undefined>;
};

/** `reason` says why a token was refused, as a code for logs and metrics. */
type Authorization = { readonly answer: APIGatewayAuthorizerResult; readonly reason?: string };

const bearer = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/iu;

/**
 * Checks the bearer token of a request (RFC 6750): whether the issuer signed it, whether it is for this service, and
 * which company its client belongs to. An authentic token that gives no access is a denial (403).
 *
 * @throws InvalidToken when there is no authentic token: 401.
 * @throws IssuerUnavailable, StoreUnavailable when it could not be checked: 500.
 */
export async function authorize(event: AuthorizerEvent, deps: AuthorizerDependencies): Promise<Authorization> {
  const { methodArn } = event;
  const refuse = (reason: string): Authorization => ({ answer: denyPolicy(methodArn), reason });
  const { claims, expiresAt } = await deps.verify(bearerToken(event));
  if (!isForService(claims, deps.service)) return refuse('OTHER_AUDIENCE');
  const clientId = clientIdOf(claims);
  if (clientId === undefined) return refuse('NO_CLIENT_ID');
  const client = await deps.findClient(clientId);
  if (client === undefined) return refuse('UNKNOWN_CLIENT');
  if (client.status !== 'ACTIVE') return refuse('DISABLED_CLIENT');
  return { answer: allowPolicy(client, expiresAt, methodArn) };
}

function bearerToken({ authorizationToken, headers }: AuthorizerEvent): string {
  const header = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const token = bearer.exec((authorizationToken ?? header ?? '').trim())?.[1];
  if (token === undefined) throw new InvalidToken('NO_BEARER_TOKEN');
  return token;
}
