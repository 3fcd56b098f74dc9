import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { ApiClient } from './api-clients.ts';
import type { ServiceIdentity, TokenVerifier } from './verify-token.ts';
import { clientIdOf, InvalidToken, isForService } from './verify-token.ts';

/** The used parts of an authorizer event; API Gateway sends a TOKEN authorizer's value or all headers. */
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

/** `reason` of a denial: a code for logs and metrics. */
type Authorization = { readonly answer: APIGatewayAuthorizerResult; readonly reason?: string };

const bearer = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/iu;

/**
 * Checks the bearer token of a request (RFC 6750): the issuer's signature, this service as its audience, and its
 * client's company. An authentic token without access is a denial (403).
 * @throws InvalidToken without an authentic token: 401. @throws IssuerUnavailable, StoreUnavailable when it could not
 * be checked: 500.
 */
export async function authorize(event: AuthorizerEvent, deps: AuthorizerDependencies): Promise<Authorization> {
  const { methodArn } = event;
  const refuse = (reason: string): Authorization => ({ answer: policy('denied', 'Deny', methodArn), reason });
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

/**
 * A policy for every method of the stage (`arn:…:<api>/<stage>/*`): API Gateway caches it, by token, for all routes.
 */
function policy(principalId: string, Effect: 'Allow' | 'Deny', methodArn: string): APIGatewayAuthorizerResult {
  const [api = '', stage = ''] = methodArn.split('/');
  const statement = { Action: 'execute-api:Invoke', Effect, Resource: `${api}/${stage}/*` };
  return { principalId, policyDocument: { Version: '2012-10-17', Statement: [statement] } };
}

/**
 * `expiresAt` (epoch seconds) is in the context because the cached policy may outlive the token; values are text.
 * Requests count on the usage plan's key, by default the company's id; without a plan API Gateway ignores it.
 */
function allowPolicy(client: ApiClient, expiresAt: number, methodArn: string): APIGatewayAuthorizerResult {
  const { clientId, companyId, usageIdentifierKey = companyId } = client;
  return {
    ...policy(clientId, 'Allow', methodArn),
    context: { companyId, clientId, expiresAt: String(expiresAt) },
    usageIdentifierKey,
  };
}
