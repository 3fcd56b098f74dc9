import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { account } from '../template/local-values.ts';
import type { ApiModel } from './api-model.ts';
import type { AuthorizerContext, GatewayRequest, HttpResponse } from './request.ts';
import { decode, headerOf } from './request.ts';
import type { Match } from './router.ts';

/**
 * Returns the event of a Lambda proxy integration ("Input format of a Lambda function for proxy integration"). Without
 * query or path parameters their maps are null.
 */
export function proxyEvent(
  api: ApiModel,
  request: GatewayRequest,
  match: Match,
  authorizer: AuthorizerContext | undefined,
): APIGatewayProxyEvent {
  const parameters = Object.entries(match.parameters).map(([name, value]) => [name, decode(value)] as const);
  return {
    resource: match.route.resourcePath,
    path: request.path,
    httpMethod: request.method,
    headers: mapOrNull(request.headers, last) ?? {},
    multiValueHeaders: mapOrNull(request.headers, copy) ?? {},
    queryStringParameters: mapOrNull(request.query, last),
    multiValueQueryStringParameters: mapOrNull(request.query, copy),
    pathParameters: parameters.length === 0 ? null : Object.fromEntries(parameters),
    stageVariables: null,
    // Only the parts that functions of this service can use. Without an authorizer the key `authorizer` is absent.
    requestContext: {
      accountId: account,
      apiId: api.id,
      ...(authorizer && { authorizer }),
      domainName: request.host,
      httpMethod: request.method,
      identity: { sourceIp: request.sourceIp, userAgent: headerOf(request, 'user-agent') ?? null },
      path: `/${api.stage}${request.path}`,
      protocol: request.protocol,
      requestId: request.id,
      requestTimeEpoch: request.at.getTime(),
      resourceId: match.route.resourceId,
      resourcePath: match.route.resourcePath,
      stage: api.stage,
    } as APIGatewayProxyEvent['requestContext'],
    // Bytes that are not UTF-8 become the replacement character, as they do on AWS.
    body: request.body.length === 0 ? null : request.body.toString('utf8'),
    isBase64Encoded: false,
  };
}

function mapOrNull<T>(
  values: GatewayRequest['headers'],
  pick: (all: readonly string[]) => T,
): Record<string, T> | null {
  const entries = Object.entries(values).map(([name, all]) => [name, pick(all)] as const);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

const last = (all: readonly string[]): string => all.at(-1) ?? '';
const copy = (all: readonly string[]): string[] => [...all];

/**
 * Shape of a function result in this service ("Output format of a Lambda function for proxy integration"); names and
 * values of headers by RFC 9110 5.1 and 5.5.
 */
const shape = z.strictObject({
  statusCode: z.int().min(200).max(599),
  headers: z.record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
    z.string().regex(/^[\t\u0020-\u007E\u0080-\u00FF]*$/),
  ),
  body: z.string(),
});

/** Headers that the gateway sets itself. It renames them in a function's result ("Important notes" of its guide). */
const remapped =
  /^(?:connection|content-length|date|host|keep-alive|server|trailer|transfer-encoding|upgrade|www-authenticate)$/iu;

/** Reads a function's result. @returns undefined for a result that is no proxy response; the gateway then sends 502. */
export function readProxyResponse(payload: unknown): HttpResponse | undefined {
  const { data } = shape.safeParse(payload);
  if (data === undefined) return undefined;
  const sent = Object.entries(data.headers).map(([name, value]) => [
    remapped.test(name) ? `x-amzn-Remapped-${name}` : name,
    value,
  ]);
  return {
    status: data.statusCode,
    headers: Object.fromEntries(sent) as Record<string, string>,
    body: Buffer.from(data.body),
  };
}
