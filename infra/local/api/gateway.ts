import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '#infra/console/server/requests.ts';
import type { FunctionRuntime } from '../functions/function-runtime.ts';
import type { ApiModel } from './api-model.ts';
import type { Verdict } from './authorizer.ts';
import { createAuthorizer } from './authorizer.ts';
import type { GatewayContext, GatewayResponseType } from './gateway-responses.ts';
import { renderGatewayResponse, requestHeader } from './gateway-responses.ts';
import type { AuthorizerContext, HttpAnswer } from './proxy-integration.ts';
import { proxyEvent, readProxyResponse } from './proxy-integration.ts';
import type { GatewayRequest, Match } from './request.ts';
import { BadRequest, headerOf, createRouter } from './request.ts';

export type Gateway = {
  readonly handle: (request: GatewayRequest) => Promise<HttpAnswer>;
  /** An answer of the gateway itself, for a request that could not even be read. */
  readonly refuse: (
    type: GatewayResponseType,
    context: GatewayContext,
    failure?: { status?: number; message?: string },
  ) => HttpAnswer;
};

/** API Gateway in order: route, throttle, authorizer, integration, and its own answers where one of them says no. */
export function createGateway(api: ApiModel, runtime: FunctionRuntime, region: string): Gateway {
  const route = createRouter(api.routes);
  const authorize = createAuthorizer(api, runtime, region);
  const refuse: Gateway['refuse'] = (type, context, failure) => {
    const answer = renderGatewayResponse(api.gatewayResponses, type, context, failure);
    return { ...answer, body: Buffer.from(answer.body) };
  };

  const handle = async (request: GatewayRequest): Promise<HttpAnswer> => {
    const match = route(request.method, request.path);
    const context = contextOf(api, request, match);
    if (match === undefined) return refuse('MISSING_AUTHENTICATION_TOKEN', context);
    if (!api.throttle(request.method, match.route.resourcePath)) return refuse('THROTTLED', context);
    let caller: AuthorizerContext | undefined;
    if (match.route.authorizer !== undefined) {
      const verdict = await authorize(request, match, match.route.authorizer);
      if (verdict.kind !== 'allowed') return refuse(...refusalOf(verdict, context));
      caller = verdict.context;
    }
    return integrate(request, match, caller, context);
  };

  const integrate = async (
    request: GatewayRequest,
    match: Match,
    caller: AuthorizerContext | undefined,
    context: GatewayContext,
  ): Promise<HttpAnswer> => {
    const event = proxyEvent(api, request, match, caller);
    const enough = new AbortController();
    const timeout = sleep(match.route.timeoutMs, undefined, { signal: enough.signal }).catch(() => undefined);
    const outcome = await Promise.race([runtime.invoke(match.route.target, event), timeout]);
    enough.abort();
    if (outcome === undefined) return refuse('INTEGRATION_TIMEOUT', context);
    if (!outcome.ok) return refuse(outcome.reason === 'too-large' ? 'REQUEST_TOO_LARGE' : 'DEFAULT_5XX', context);
    return readProxyResponse(outcome.payload) ?? refuse('DEFAULT_5XX', context);
  };

  return {
    refuse,
    handle: async (request) => {
      const answer = await handle(request).catch((error: unknown) => {
        // A path parameter may be encoded so that only its route shows it to be wrong.
        if (error instanceof BadRequest) return refuse('BAD_REQUEST_PARAMETERS', contextOf(api, request, undefined));
        throw error;
      });
      return { ...answer, headers: { 'x-amzn-RequestId': request.id, ...answer.headers } };
    },
  };
}

function refusalOf(
  verdict: Exclude<Verdict, { kind: 'allowed' }>,
  context: GatewayContext,
): [GatewayResponseType, GatewayContext, { message?: string }] {
  switch (verdict.kind) {
    case 'unauthorized':
      return ['UNAUTHORIZED', context, {}];
    case 'denied':
      return [
        'ACCESS_DENIED',
        context,
        verdict.explicit ? { message: 'User is not authorized to access this resource with an explicit deny' } : {},
      ];
    case 'misconfigured':
      return ['AUTHORIZER_CONFIGURATION_ERROR', context, {}];
    case 'failed':
      return ['AUTHORIZER_FAILURE', context, {}];
  }
}

function contextOf(api: ApiModel, request: GatewayRequest, match: Match | undefined): GatewayContext {
  return {
    requestId: request.id,
    extendedRequestId: request.id,
    httpMethod: request.method,
    path: `/${api.stage.name}${request.path}`,
    resourcePath: match?.route.resourcePath,
    stage: api.stage.name,
    requestTimeEpoch: `${request.at.getTime()}`,
    'identity.sourceIp': request.sourceIp,
    'identity.userAgent': headerOf(request, 'user-agent'),
    ...Object.fromEntries(Object.entries(request.headers).map(([name, all]) => [requestHeader(name), all.at(-1)])),
  };
}

/** A gateway whose exchanges somebody gets to see, once each is answered. */
export function watchGateway(gateway: Gateway, see: (exchange: Exchange) => void): Gateway {
  return {
    ...gateway,
    handle: async (request) => {
      const answer = await gateway.handle(request);
      const { at, method, path, query, body } = request;
      const search = new URLSearchParams(
        Object.entries(query).flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
      ).toString();
      const id = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === 'x-request-id')?.[1];
      see({
        at: at.getTime(),
        durationMs: Date.now() - at.getTime(),
        method,
        path: search === '' ? path : `${path}?${search}`,
        userAgent: headerOf(request, 'user-agent'),
        status: answer.status,
        requestId: [id].flat().at(0),
        sent: body.toString('utf8'),
        answered: answer.body.toString('utf8'),
      });
      return answer;
    },
  };
}
