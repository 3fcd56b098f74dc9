import type { APIGatewayAuthorizerResult, APIGatewayProxyEvent } from 'aws-lambda';
import type { Contract } from '#shared/contract/contract.ts';
import type { HttpResponse } from '#shared/platform/http/responses.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Received, Sent } from '../crowd/world-types.ts';
import type { Actor, Actors, Weather } from './actors.ts';
import type { Functions } from './functions.ts';

/** API Gateway keeps an authorizer's answer so long. */
const cachedMs = 60_000;
/** It waits so long for a function. */
const integrationMs = 29_000;

type Caller = { readonly companyId: string; readonly token: () => string; readonly renew: () => void };
export type Exchange = {
  readonly companyId: string;
  readonly contract: Contract;
  readonly sent: Sent;
  readonly response: HttpResponse;
  readonly actor: Actor;
};

/** API Gateway before the functions: it asks the authorizer, and answers for a function that does not. */
export function gatewayOf(
  time: VirtualTime,
  draws: Draws,
  over: {
    readonly actors: Actors;
    readonly functions: Functions;
    readonly faultSchedule: () => Weather;
    readonly answered: (exchange: Exchange) => void;
    readonly counted: (kind: string, text: string) => void;
  },
) {
  const { actors, functions, faultSchedule, answered, counted } = over;
  const kept = new Map<string, { readonly untilMs: number; readonly response: APIGatewayAuthorizerResult }>();
  const authorizer = functions.workers.get('authorizer')!;

  const authorize = async (token: string): Promise<APIGatewayAuthorizerResult | 'LOST'> => {
    const known = kept.get(token);
    if (known !== undefined && known.untilMs > time.now()) return known.response;
    kept.delete(token);
    const event = { methodArn: 'arn:aws:execute-api:world:1:api/stage/GET/x', authorizationToken: `Bearer ${token}` };
    const result = await actors.invoke({ name: 'authorizer', timeoutMs: authorizer.timeoutMs }, () =>
      authorizer.handle(event, { getRemainingTimeInMillis: () => authorizer.timeoutMs }),
    );
    counted('authorizer', '');
    if (result === undefined || 'error' in result) return 'LOST';
    const response = result.ended as APIGatewayAuthorizerResult;
    kept.set(token, { untilMs: time.now() + cachedMs, response });
    return response;
  };

  /** A request, from the caller's socket to its answer. */
  return async ({ companyId, token, renew }: Caller, sent: Sent): Promise<Received | 'LOST'> => {
    const { contract } = sent;
    await time.sleep(draws.between(1, 60));
    const access = await authorize(token());
    if (access === 'LOST') return access;
    if (access.policyDocument.Statement[0]?.Effect !== 'Allow') {
      renew();
      // As the template of ACCESS_DENIED has it.
      return buildResponse(401, { error: 'UNAUTHORIZED', message: access.context?.['message'], details: [] });
    }
    const endpoint = functions.endpoints.get(contract.operationId)!;
    const timeoutMs = Math.min(integrationMs, endpoint.timeoutMs);
    const endsMs = time.now() + timeoutMs;
    const event = eventOf(sent, access);
    const result = await actors.invoke({ name: contract.operationId, timeoutMs, companyId }, () =>
      endpoint.handle(event, { getRemainingTimeInMillis: () => endsMs - time.now() }),
    );
    counted(contract.operationId, result === undefined || 'error' in result ? 'gone' : result.ended.body);
    if (result === undefined) return 'LOST';
    if ('error' in result) throw result.error;
    const { ended: response, actor } = result;
    answered({ companyId, contract, sent, response, actor });
    await time.sleep(draws.between(1, 60));
    if (draws.chance(faultSchedule().lostAnswer)) return 'LOST';
    const { statusCode: status, body: text, headers } = response;
    if (status === 401) renew();
    return { status, text, headers, body: JSON.parse(text) as unknown };
  };
}

function buildResponse(status: number, body: object): Received {
  return { status, body, text: JSON.stringify(body), headers: {} };
}

function eventOf(
  { contract, params, query, body, key, headers = {} }: Sent,
  { context }: APIGatewayAuthorizerResult,
): APIGatewayProxyEvent {
  const sent = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }), ...headers };
  const queries = Object.entries(query ?? {}).map(([name, value]) => [name, [value].flat()] as const);
  const event = {
    httpMethod: contract.method,
    headers: sent,
    multiValueHeaders: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]])),
    pathParameters: params ?? null,
    multiValueQueryStringParameters: queries.length === 0 ? null : Object.fromEntries(queries),
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { authorizer: context },
  };
  // What the functions read of an event.
  return event as unknown as APIGatewayProxyEvent;
}
