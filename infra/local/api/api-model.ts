import * as z from 'zod';
import type { FunctionDefinition } from '../functions/function-definitions.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readProperties } from '../template/intrinsics.ts';
import type { LocalTemplate, TemplateResource } from '../template/local-template.ts';
import { describeResource, LocalStartError, resourcesOf } from '../template/local-template.ts';
import { functionNameOf, physicalName } from '../template/local-values.ts';
import type { GatewayResponses } from './gateway-responses.ts';
import { readGatewayResponses } from './gateway-responses.ts';
import type { Throttle } from './throttle.ts';
import { readThrottle } from './throttle.ts';

/** A Lambda authorizer as the template says it. */
export type AuthorizerModel = {
  readonly id: string;
  readonly type: 'TOKEN' | 'REQUEST';
  readonly target: FunctionDefinition;
  /** `method.request.header.Authorization`, `context.path`, …; all must be present. */
  readonly identitySources: readonly string[];
  /** Of a TOKEN authorizer: the whole token must match. */
  readonly validation: RegExp | undefined;
  readonly cacheSeconds: number;
};

/** A method of a resource, with its Lambda proxy integration. */
export type RouteModel = {
  readonly method: string;
  /** `/orders/{id}`. */
  readonly resourcePath: string;
  readonly resourceId: string;
  readonly target: FunctionDefinition;
  readonly timeoutMs: number;
  readonly authorizer: AuthorizerModel | undefined;
};

export type ApiModel = {
  readonly id: string;
  readonly stage: { readonly name: string; readonly variables: Readonly<Record<string, string>> };
  readonly binaryMediaTypes: readonly string[];
  readonly routes: readonly RouteModel[];
  readonly gatewayResponses: GatewayResponses;
  readonly throttle: Throttle;
};

const authorizerShape = z.object({
  Type: z.enum(['TOKEN', 'REQUEST']),
  AuthorizerUri: z.string(),
  AuthorizerResultTtlInSeconds: z.number().default(300),
  IdentitySource: z.string().default(''),
  IdentityValidationExpression: z.string().optional(),
});

const methodShape = z.object({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  AuthorizationType: z.enum(['NONE', 'CUSTOM']),
  AuthorizerId: z.string().optional(),
  ApiKeyRequired: z.literal(false).optional(),
  RequestValidatorId: z
    .undefined({ error: 'request validators are not run locally; contracts validate in the function' })
    .optional(),
  Integration: z.object({ Type: z.literal('AWS_PROXY'), Uri: z.string(), TimeoutInMillis: z.number().default(29_000) }),
});

const resourceShape = z.object({ ParentId: z.string(), PathPart: z.string() });
const restApiShape = z.object({ BinaryMediaTypes: z.array(z.string()).default([]) });
const stageShape = z.object({
  StageName: z.string(),
  Variables: z.record(z.string(), z.string()).default({}),
  MethodSettings: z.unknown().optional(),
});

/**
 * Reads the REST API of the template.
 *
 * @param functionNamed Finds a function by its physical name.
 * @returns undefined when the template has no API.
 * @throws LocalStartError for more than one API or stage, and for what the runner cannot serve (other integrations,
 *   authorizers, API keys).
 */
export function readApi(
  template: LocalTemplate,
  resolve: Resolve,
  functionNamed: (name: string) => FunctionDefinition,
): ApiModel | undefined {
  const api = atMostOne(template, 'AWS::ApiGateway::RestApi');
  if (api === undefined) return undefined;
  const stage = atMostOne(template, 'AWS::ApiGateway::Stage');
  const settings = stage
    ? readProperties(stageShape, stage, resolve)
    : { StageName: 'local', Variables: {}, MethodSettings: undefined };
  const authorizers = new Map(
    resourcesOf(template, 'AWS::ApiGateway::Authorizer').map((one) => [
      physicalName(one),
      readAuthorizer(one, resolve, functionNamed),
    ]),
  );
  const paths = resourcePaths(template, resolve);
  const routes = resourcesOf(template, 'AWS::ApiGateway::Method').map((resource): RouteModel => {
    const method = readProperties(methodShape, resource, resolve);
    const authorizer = method.AuthorizerId === undefined ? undefined : authorizers.get(method.AuthorizerId);
    if (method.AuthorizationType === 'CUSTOM' && authorizer === undefined) {
      throw new LocalStartError(`${describeResource(resource)} names no authorizer of the template.`);
    }
    return {
      method: method.HttpMethod,
      resourcePath: paths(method.ResourceId),
      resourceId: method.ResourceId,
      target: target(resource, method.Integration.Uri, functionNamed),
      timeoutMs: method.Integration.TimeoutInMillis,
      authorizer,
    };
  });
  return {
    id: physicalName(api),
    stage: { name: settings.StageName, variables: settings.Variables },
    binaryMediaTypes: readProperties(restApiShape, api, resolve).BinaryMediaTypes,
    routes,
    gatewayResponses: readGatewayResponses(template, resolve),
    throttle: readThrottle(settings.MethodSettings),
  };
}

function readAuthorizer(
  resource: TemplateResource,
  resolve: Resolve,
  functionNamed: (name: string) => FunctionDefinition,
): AuthorizerModel {
  const shape = readProperties(authorizerShape, resource, resolve);
  const expression = shape.IdentityValidationExpression;
  return {
    id: physicalName(resource),
    type: shape.Type,
    target: target(resource, shape.AuthorizerUri, functionNamed),
    identitySources: shape.IdentitySource.split(',')
      .map((source) => source.trim())
      .filter((source) => source !== ''),
    validation: expression === undefined ? undefined : new RegExp(`^(?:${expression})$`),
    cacheSeconds: shape.AuthorizerResultTtlInSeconds,
  };
}

/** Path of a resource by its id: each resource names its parent, the first one the API's root. */
function resourcePaths(template: LocalTemplate, resolve: Resolve): (id: string) => string {
  const resources = new Map(
    resourcesOf(template, 'AWS::ApiGateway::Resource').map((one) => [
      physicalName(one),
      readProperties(resourceShape, one, resolve),
    ]),
  );
  const path = (id: string): string => {
    const resource = resources.get(id);
    return resource === undefined ? '' : `${path(resource.ParentId)}/${resource.PathPart}`;
  };
  return (id) => path(id) || '/';
}

function target(
  resource: TemplateResource,
  uri: string,
  functionNamed: (name: string) => FunctionDefinition,
): FunctionDefinition {
  const name = functionNameOf(uri);
  if (name === undefined)
    throw new LocalStartError(`${describeResource(resource)} does not call a Lambda function: ${uri}.`);
  return functionNamed(name);
}

function atMostOne(template: LocalTemplate, type: string): TemplateResource | undefined {
  const all = resourcesOf(template, type);
  if (all.length > 1)
    throw new LocalStartError(
      `The local runner serves one ${type}, the template has ${all.map(describeResource).join(', ')}.`,
    );
  return all[0];
}
