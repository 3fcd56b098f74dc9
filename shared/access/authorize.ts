import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { ApiClient } from './api-clients.ts';
import type { ServiceIdentity, TokenVerifier } from './verify-token.ts';
import { clientIdOf, InvalidToken, isForService } from './verify-token.ts';

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

/**
 * Every method of the stage (`arn:…:<api>/<stage>/*`), because API Gateway keeps the answer for a token and asks it
 * about other routes too.
 */
function wholeStage(methodArn: string): string {
  const [api = '', stage = ''] = methodArn.split('/');
  return `${api}/${stage}/*`;
}

function policy(principalId: string, effect: 'Allow' | 'Deny', methodArn: string): APIGatewayAuthorizerResult {
  const statement = { Action: 'execute-api:Invoke', Effect: effect, Resource: wholeStage(methodArn) };
  return { principalId, policyDocument: { Version: '2012-10-17', Statement: [statement] } };
}

/** API Gateway answers 403. */
function denyPolicy(methodArn: string): APIGatewayAuthorizerResult {
  return policy('denied', 'Deny', methodArn);
}

/**
 * `expiresAt` (epoch seconds) goes along because the answer may be kept longer than the token lives. Context values are
 * text. Requests are counted by the company's key of the usage plan, whose value is the company's id unless the client
 * names another; where there is no plan, API Gateway does not look at it.
 */
function allowPolicy(client: ApiClient, expiresAt: number, methodArn: string): APIGatewayAuthorizerResult {
  const { clientId, companyId, usageIdentifierKey = companyId } = client;
  return {
    ...policy(clientId, 'Allow', methodArn),
    context: { companyId, clientId, expiresAt: String(expiresAt) },
    usageIdentifierKey,
  };
}
