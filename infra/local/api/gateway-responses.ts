import * as z from 'zod';
import type { Resolve } from '../template/intrinsics.ts';
import { readProperties } from '../template/intrinsics.ts';
import type { LocalTemplate } from '../template/local-template.ts';
import { resourcesOf } from '../template/local-template.ts';

/**
 * What the gateway answers by itself, without or instead of a function. Source: "Gateway response types for API
 * Gateway".
 */
const defaults = {
  ACCESS_DENIED: [403, 'User is not authorized to access this resource'],
  API_CONFIGURATION_ERROR: [500, 'Internal server error'],
  AUTHORIZER_CONFIGURATION_ERROR: [500, 'Internal server error'],
  AUTHORIZER_FAILURE: [500, 'Internal server error'],
  BAD_REQUEST_PARAMETERS: [400, 'Bad Request'],
  INTEGRATION_FAILURE: [504, 'Internal server error'],
  INTEGRATION_TIMEOUT: [504, 'Endpoint request timed out'],
  MISSING_AUTHENTICATION_TOKEN: [403, 'Missing Authentication Token'],
  REQUEST_TOO_LARGE: [413, 'Request Too Long'],
  THROTTLED: [429, 'Too Many Requests'],
  UNAUTHORIZED: [401, 'Unauthorized'],
  /** A function that failed, or whose answer is no proxy answer: 502, without a type of its own. */
  DEFAULT_5XX: [502, 'Internal server error'],
} as const satisfies Record<string, readonly [number, string]>;

export type GatewayResponseType = keyof typeof defaults;

type Customization = {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly template: string | undefined;
};

export type GatewayResponses = ReadonlyMap<string, Customization>;

/**
 * Values of a template beside the error itself: `requestId`, `path`, `identity.sourceIp`, `authorizer.companyId`, … as
 * in `$context`.
 */
export type GatewayContext = Readonly<Record<string, string | undefined>>;

/** Name of a request's header among the values of a template. */
export const requestHeader = (name: string): string => `method.request.header.${name.toLowerCase()}`;

type GatewayAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const shape = z.object({
  ResponseType: z.string(),
  StatusCode: z.coerce.number().int().optional(),
  ResponseParameters: z.record(z.string(), z.string()).default({}),
  ResponseTemplates: z.record(z.string(), z.string()).default({}),
});

/** Reads the `AWS::ApiGateway::GatewayResponse` resources, by type. */
export function readGatewayResponses(template: LocalTemplate, resolve: Resolve): GatewayResponses {
  const responses = new Map<string, Customization>();
  for (const resource of resourcesOf(template, 'AWS::ApiGateway::GatewayResponse')) {
    const response = readProperties(shape, resource, resolve);
    responses.set(response.ResponseType, {
      status: response.StatusCode,
      headers: headersOf(response.ResponseParameters),
      template: response.ResponseTemplates['application/json'],
    });
  }
  return responses;
}

/** `gatewayresponse.header.Name` → `'literal'` or `context.…`. */
function headersOf(parameters: Readonly<Record<string, string>>): Record<string, string> {
  const prefix = 'gatewayresponse.header.';
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value]),
  );
}

/**
 * Renders the answer of a type: its own customization, else that of `DEFAULT_4XX` or `DEFAULT_5XX`, else the gateway's
 * own.
 *
 * @param failure Replaces the type's status or message, for what has no type of its own (malformed HTTP, an explicit
 *   deny).
 */
export function renderGatewayResponse(
  responses: GatewayResponses,
  type: GatewayResponseType,
  context: GatewayContext,
  failure: { readonly status?: number; readonly message?: string } = {},
): GatewayAnswer {
  const [ownStatus, ownMessage] = defaults[type];
  const status = failure.status ?? ownStatus;
  const own = responses.get(type);
  const custom = own ?? responses.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const message = failure.message ?? ownMessage;
  const values: GatewayContext = {
    ...context,
    'error.message': message,
    'error.messageString': JSON.stringify(message),
    'error.responseType': type,
  };
  const headers = Object.entries(custom?.headers ?? {}).flatMap(([name, expression]): [string, string][] => {
    const value = headerValue(expression, values);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    // A failure with a status of its own keeps it: the customized status of a default stands for the usual case.
    status: failure.status ?? custom?.status ?? status,
    headers: {
      'Content-Type': 'application/json',
      'x-amzn-ErrorType': errorType(type),
      ...Object.fromEntries(headers),
    },
    body: substitute(custom?.template ?? '{"message":$context.error.messageString}', values),
  };
}

/**
 * A literal, a value of the context, or a header of the request; undefined for a header that the request does not have.
 */
function headerValue(value: string, values: GatewayContext): string | undefined {
  if (value.startsWith("'") && value.endsWith("'")) return value.slice(1, -1);
  if (value.startsWith('context.')) return values[value.slice('context.'.length)] ?? '';
  const [, name] = /^method\.request\.header\.(.+)$/.exec(value) ?? [];
  return name && values[requestHeader(name)];
}

/** Plain variables only: gateway responses have no loops and no conditions. */
function substitute(template: string, values: GatewayContext): string {
  return template.replaceAll(
    /\$context\.([A-Za-z]+(?:\.[A-Za-z0-9_-]+)*)|\$\{context\.([^}]+)\}/g,
    (_match, plain?: string, braced?: string) => values[plain ?? braced ?? ''] ?? '',
  );
}

/** `INTEGRATION_TIMEOUT` → `IntegrationTimeoutException`, as the header `x-amzn-ErrorType` has it. */
function errorType(type: string): string {
  const words = type.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase());
  return `${words.join('')}Exception`;
}
