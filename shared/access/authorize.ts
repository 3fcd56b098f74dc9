import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { ApiClient } from './api-clients.ts';
import type { CallerContext, TokenErrorContext, TokenError } from '#shared/platform/http/refused-tokens.ts';
import { tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import type { ServiceIdentity, TokenVerifier, VerifiedToken } from './verify-token.ts';
import { clientIdOf, InvalidToken, isForService } from './verify-token.ts';

/**
 * The parts of an authorizer event that are read. API Gateway sends the token in `authorizationToken` or all headers.
 */
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

/**
 * Outcome of the check: `UNAUTHORIZED` leads to 401, `DENIED` to 403. `tokenError` and `reason` are codes for the log.
 */
type Authorization = { readonly response: APIGatewayAuthorizerResult } & (
  | { readonly outcome: 'ALLOWED' }
  | { readonly outcome: 'DENIED'; readonly reason: string }
  | { readonly outcome: 'UNAUTHORIZED'; readonly tokenError: TokenError; readonly reason: string }
);

const bearer = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/iu;

/**
 * Checks the bearer token of a request (RFC 6750): the issuer's signature, this service as its audience, and its
 * client's company. For an invalid token the policy denies, and API Gateway responds 401 with the error. For an
 * authentic token without access the policy allows, and the endpoints respond 403: API Gateway has only one response to
 * a denial, which is the 401.
 * @throws IssuerUnavailable, StoreUnavailable when the token could not be checked: 503.
 */
export async function authorize(event: AuthorizerEvent, deps: AuthorizerDependencies): Promise<Authorization> {
  const { methodArn } = event;
  try {
    const { claims, expiresAt } = await deps.verify(bearerToken(event));
    const client = await clientOf(claims, deps);
    if (typeof client !== 'string') return { response: callerPolicy(client, expiresAt, methodArn), outcome: 'ALLOWED' };
    const context: CallerContext = { refusal: client, expiresAt: String(expiresAt) };
    return { response: { ...policy('denied', 'Allow', methodArn), context }, outcome: 'DENIED', reason: client };
  } catch (error) {
    if (!(error instanceof InvalidToken)) throw error;
    const { tokenError, reason } = error;
    const context: TokenErrorContext = { refusal: tokenError, message: tokenErrors[tokenError] };
    return {
      response: { ...policy('denied', 'Deny', methodArn), context },
      outcome: 'UNAUTHORIZED',
      tokenError,
      reason,
    };
  }
}

function bearerToken({ authorizationToken, headers }: AuthorizerEvent): string {
  const header = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const value = (authorizationToken ?? header ?? '').trim();
  if (value === '') throw new InvalidToken('MISSING', 'NO_HEADER');
  const token = bearer.exec(value)?.[1];
  if (token === undefined) throw new InvalidToken('MALFORMED', 'NO_BEARER_TOKEN');
  return token;
}

/** Returns the client of an authentic token, or the reason why the token gives no access. */
async function clientOf(
  claims: VerifiedToken['claims'],
  { service, findClient }: AuthorizerDependencies,
): Promise<ApiClient | 'OTHER_AUDIENCE' | 'NO_CLIENT_ID' | 'UNKNOWN_CLIENT' | 'DISABLED_CLIENT'> {
  if (!isForService(claims, service)) return 'OTHER_AUDIENCE';
  const clientId = clientIdOf(claims);
  if (clientId === undefined) return 'NO_CLIENT_ID';
  const client = await findClient(clientId);
  if (client === undefined) return 'UNKNOWN_CLIENT';
  return client.status === 'ACTIVE' ? client : 'DISABLED_CLIENT';
}

/**
 * A policy for every method of the stage (`arn:…:<api>/<stage>/*`): API Gateway caches it, by token, for all routes.
 */
function policy(principalId: string, Effect: 'Allow' | 'Deny', methodArn: string): APIGatewayAuthorizerResult {
  const [api = '', stage = ''] = methodArn.split('/');
  const statement = { Action: 'execute-api:Invoke', Effect, Resource: `${api}/${stage}/*` };
  return { principalId, policyDocument: { Version: '2012-10-17', Statement: [statement] } };
}

/**
 * Returns the policy of a client. `expiresAt` (epoch seconds) is in the context because the cached policy may outlive
 * the token; context values are text. Requests count on the usage plan's key, by default the company's id. Without a
 * usage plan API Gateway ignores the key.
 */
function callerPolicy(client: ApiClient, expiresAt: number, methodArn: string): APIGatewayAuthorizerResult {
  const { clientId, companyId, usageIdentifierKey = companyId } = client;
  const context: CallerContext = { companyId, clientId, expiresAt: String(expiresAt) };
  return { ...policy(clientId, 'Allow', methodArn), context, usageIdentifierKey };
}
