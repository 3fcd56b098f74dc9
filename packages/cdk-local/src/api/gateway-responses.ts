import * as z from 'zod';
import { LocalStartError } from '../template/local-template.ts';
import type { ReadResources } from '../template/resources.ts';
import type { AuthorizerContext, GatewayRequest, HttpResponse } from './request.ts';
import { headerOf } from './request.ts';

/**
 * Responses of the gateway itself, with the status that each has unless the template sets another ("Gateway response
 * types for API Gateway"). A failed function has no type of its own.
 */
const statuses = {
  ACCESS_DENIED: 403,
  AUTHORIZER_CONFIGURATION_ERROR: 500,
  AUTHORIZER_FAILURE: 500,
  BAD_REQUEST_PARAMETERS: 400,
  DEFAULT_5XX: 502,
  INTEGRATION_TIMEOUT: 504,
  MISSING_AUTHENTICATION_TOKEN: 403,
  REQUEST_TOO_LARGE: 413,
  THROTTLED: 429,
  UNAUTHORIZED: 401,
} as const;

export type GatewayResponseType = keyof typeof statuses;

const headerPrefix = 'gatewayresponse.header.';
const requestHeader = 'method.request.header.';

/** A variable in a body: a value of the authorizer's context. */
const variable = /\$context\.authorizer\.([A-Za-z]+)/gu;

const shape = z.object({
  ResponseType: z.string(),
  StatusCode: z.coerce.number().int().optional(),
  ResponseParameters: z
    .record(
      z.templateLiteral([headerPrefix, z.string()]),
      z.union([
        z.templateLiteral(["'", z.string(), "'"]),
        z.literal('context.requestId'),
        z.templateLiteral([requestHeader, z.string()]),
      ]),
    )
    .default({}),
  ResponseTemplates: z.object({
    'application/json': z.string().refine((template) => !template.replaceAll(variable, '').includes('$'), {
      error: 'variables in a body are not supported locally, except those of the authorizer',
    }),
  }),
});

/** The `AWS::ApiGateway::GatewayResponse` resources, by type. */
type GatewayResponses = ReadonlyMap<string, z.infer<typeof shape>>;

/**
 * Reads the gateway responses of the template.
 *
 * @throws LocalStartError for an unsupported value, or if `DEFAULT_4XX` or `DEFAULT_5XX` is missing.
 */
export function readGatewayResponses(read: ReadResources): GatewayResponses {
  const all = read('AWS::ApiGateway::GatewayResponse', shape).map(({ properties }) => properties);
  const responses = new Map(all.map((response) => [response.ResponseType, response]));
  for (const type of ['DEFAULT_4XX', 'DEFAULT_5XX'])
    if (!responses.has(type)) throw new LocalStartError(`The API has no gateway response ${type}.`);
  return responses;
}

/** The parts of a request that a gateway response depends on. `authorizer`: context of a denied caller. */
export type RefusedRequest = Pick<GatewayRequest, 'id' | 'headers'> & { readonly authorizer?: AuthorizerContext };

/**
 * Renders the response of a type. If the template does not define it, `DEFAULT_4XX` or `DEFAULT_5XX` is rendered.
 * Variables are inserted without escapes, as API Gateway does.
 *
 * @param status For a failure without a type of its own (malformed HTTP): replaces the type's status.
 */
export function renderGatewayResponse(
  responses: GatewayResponses,
  type: GatewayResponseType,
  request: RefusedRequest,
  status?: number,
): HttpResponse {
  const usual = status ?? statuses[type];
  const custom = responses.get(type) ?? responses.get(usual < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const headers = Object.entries(custom?.ResponseParameters ?? {}).flatMap(([name, value]): [string, string][] => {
    const sent = value === 'context.requestId' ? request.id : headerValue(value, request);
    return sent === undefined ? [] : [[name.slice(headerPrefix.length), sent]];
  });
  return {
    status: status ?? custom?.StatusCode ?? usual,
    headers: {
      'Content-Type': 'application/json',
      'x-amzn-ErrorType': errorType(type),
      ...Object.fromEntries(headers),
    },
    body: Buffer.from(
      (custom?.ResponseTemplates['application/json'] ?? '').replaceAll(
        variable,
        (_, name: string) => request.authorizer?.[name] ?? '',
      ),
    ),
  };
}

/** Returns the text of a quoted literal, or the value of a header of the request. */
function headerValue(value: string, request: Pick<GatewayRequest, 'headers'>): string | undefined {
  return value.startsWith(requestHeader) ? headerOf(request, value.slice(requestHeader.length)) : value.slice(1, -1);
}

/** `INTEGRATION_TIMEOUT` → `IntegrationTimeoutException`, for the header `x-amzn-ErrorType`. */
function errorType(type: string): string {
  const parts = type.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase());
  return `${parts.join('')}Exception`;
}
