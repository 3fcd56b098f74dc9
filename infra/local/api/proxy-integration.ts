import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { account } from '../template/local-values.ts';
import type { ApiModel } from './api-model.ts';
import type { GatewayRequest, Match } from './request.ts';
import { decode, headerOf } from './request.ts';

/** What an authorizer said of the caller: `principalId` and its context, all texts. */
export type AuthorizerContext = Readonly<Record<string, string>>;

type Dictionary<T> = Record<string, T>;

/**
 * Event of a Lambda proxy integration ("Input format of a Lambda function for proxy integration"): every absent map is
 * null.
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
    headers: lastValues(request.headers) ?? {},
    multiValueHeaders: allValues(request.headers) ?? {},
    queryStringParameters: lastValues(request.query),
    multiValueQueryStringParameters: allValues(request.query),
    pathParameters: parameters.length === 0 ? null : Object.fromEntries(parameters),
    stageVariables: null,
    requestContext: requestContext(api, request, match, authorizer),
    // Bytes that are not UTF-8 become the replacement character, as they do on AWS.
    body: request.body.length === 0 ? null : request.body.toString('utf8'),
    isBase64Encoded: false,
  };
}

function requestContext(
  api: ApiModel,
  request: GatewayRequest,
  match: Match,
  authorizer: AuthorizerContext | undefined,
): APIGatewayProxyEvent['requestContext'] {
  // Without an authorizer the key is absent, which the type of the package does not foresee.
  return {
    accountId: account,
    apiId: api.id,
    ...(authorizer && { authorizer }),
    domainName: request.host,
    domainPrefix: api.id,
    extendedRequestId: request.id.replaceAll('-', '').slice(0, 16),
    httpMethod: request.method,
    identity: {
      accessKey: null,
      accountId: null,
      apiKey: null,
      apiKeyId: null,
      caller: null,
      clientCert: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: request.sourceIp,
      user: null,
      userAgent: headerOf(request, 'user-agent') ?? null,
      userArn: null,
    },
    path: `/${api.stage}${request.path}`,
    protocol: request.protocol,
    requestId: request.id,
    requestTime: commonLogTime(request.at),
    requestTimeEpoch: request.at.getTime(),
    resourceId: match.route.resourceId,
    resourcePath: match.route.resourcePath,
    stage: api.stage,
  } as APIGatewayProxyEvent['requestContext'];
}

function lastValues(values: Readonly<Record<string, readonly string[]>>): Dictionary<string> | null {
  const entries = Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? ''] as const);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

function allValues(values: Readonly<Record<string, readonly string[]>>): Dictionary<string[]> | null {
  const entries = Object.entries(values).map(([name, all]): [string, string[]] => [name, [...all]]);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** `21/Nov/2026:00:12:34 +0000`. */
function commonLogTime(at: Date): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(at.toUTCString()) ?? [];
  return `${day ?? ''}/${month ?? ''}/${year ?? ''}:${time ?? ''} +0000`;
}

/** An HTTP answer, ready to be written. */
export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
};

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** "Output format of a Lambda function for proxy integration". */
const shape = z.object({
  statusCode: z
    .union([
      z.number().int(),
      z
        .string()
        .regex(/^\d{3}$/)
        .transform(Number),
    ])
    .pipe(z.number().min(200).max(599)),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/**
 * Headers of the connection belong to the gateway; it renames those of a function ("Important notes" of the API Gateway
 * guide).
 */
const remapped = [
  'connection',
  'content-length',
  'date',
  'host',
  'keep-alive',
  'server',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
];

/** @returns undefined when a function's answer is no proxy answer, which the gateway turns into 502. */
export function readProxyResponse(payload: unknown): HttpResponse | undefined {
  const parsed = shape.safeParse(payload);
  if (!parsed.success) return undefined;
  const { statusCode: status, headers, multiValueHeaders, body, isBase64Encoded } = parsed.data;
  const merged = new Map<string, [string, string[]]>();
  const add = (name: string, values: string[]): void => {
    const sent = remapped.includes(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name;
    merged.set(sent.toLowerCase(), [sent, values]);
  };
  for (const [name, value] of Object.entries(headers ?? {})) add(name, [value]);
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) add(name, values);
  if (!merged.has('content-type')) add('Content-Type', ['application/json']);
  if ([...merged.values()].some(([name, values]) => !isHeader(name, values))) return undefined;
  return {
    status,
    headers: Object.fromEntries(
      [...merged.values()].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
    ),
    body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

/** RFC 9110 5.1 and 5.5: a token, and no control characters. */
function isHeader(name: string, values: readonly string[]): boolean {
  return (
    /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) &&
    values.every((value) => !/[^\t\u0020-\u007E\u0080-\u00FF]/.test(value))
  );
}
