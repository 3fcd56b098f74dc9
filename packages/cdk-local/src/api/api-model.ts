import * as z from 'zod';
import type { FunctionDefinition } from '../functions/function-definitions.ts';
import { LocalStartError } from '../template/local-template.ts';
import type { ReadResources } from '../template/resources.ts';
import { notRunLocally, readTheOne, targetOf } from '../template/resources.ts';
import { readGatewayResponses } from './gateway-responses.ts';

/** A TOKEN authorizer as the template says it. */
export type AuthorizerModel = {
  readonly id: string;
  readonly target: FunctionDefinition;
  /** Name of the header that holds the token. */
  readonly header: string;
  /** The whole token must match. */
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

/** Limits of the stage: requests a second, and the size of a burst. */
export type ThrottleLimits = { readonly rate: number; readonly burst: number };

export type ApiModel = ReturnType<typeof readApi>;

const authorizerShape = z.object({
  Type: z.literal('TOKEN'),
  AuthorizerUri: z.string(),
  AuthorizerResultTtlInSeconds: z.number().default(300),
  IdentitySource: z.templateLiteral(['method.request.header.', z.string()]),
  IdentityValidationExpression: z.string().optional(),
});

const methodShape = z.object({
  HttpMethod: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  ResourceId: z.string(),
  AuthorizationType: z.enum(['NONE', 'CUSTOM']),
  AuthorizerId: z.string().optional(),
  ApiKeyRequired: z.literal(false).optional(),
  RequestValidatorId: notRunLocally('request validators (the contract validates in the function)'),
  Integration: z.object({ Type: z.literal('AWS_PROXY'), Uri: z.string(), TimeoutInMillis: z.number().default(29_000) }),
});

/** A fixed segment or one parameter. `{path+}`, which matches the rest of the path, is not supported. */
const pathPart = z.string().regex(/^(?:[^{}]+|\{\w+\})$/u);
const resourceShape = z.object({ ParentId: z.string(), PathPart: pathPart });
const restApiShape = z.object({ BinaryMediaTypes: notRunLocally('binary media types') });
const stageShape = z.object({
  StageName: z.string(),
  Variables: notRunLocally('variables of a stage'),
  MethodSettings: z
    .tuple([
      z.object({
        HttpMethod: z.literal('*', { error: 'the local environment does not support method settings of one method' }),
        ResourcePath: z.literal('/*'),
        ThrottlingRateLimit: z.number().optional(),
        ThrottlingBurstLimit: z.number().optional(),
      }),
    ])
    .optional(),
});

/**
 * Reads the REST API of the template.
 *
 * @param functionNamed Finds a function by its physical name.
 * @throws LocalStartError for none or several APIs or stages, and for what the local environment cannot serve (other
 *   integrations and authorizers, API keys, `ANY`, `{path+}`).
 */
export function readApi(read: ReadResources, functionNamed: (name: string) => FunctionDefinition) {
  const api = readTheOne(read, 'AWS::ApiGateway::RestApi', restApiShape);
  const stage = readTheOne(read, 'AWS::ApiGateway::Stage', stageShape).properties;
  const authorizers = read('AWS::ApiGateway::Authorizer', authorizerShape).map((resource): AuthorizerModel => {
    const { AuthorizerUri, IdentitySource, IdentityValidationExpression: expression } = resource.properties;
    return {
      id: resource.name,
      target: functionNamed(targetOf(resource, AuthorizerUri)),
      header: IdentitySource.slice('method.request.header.'.length),
      validation: expression === undefined ? undefined : new RegExp(`^(?:${expression})$`),
      cacheSeconds: resource.properties.AuthorizerResultTtlInSeconds,
    };
  });
  const pathOf = resourcePaths(read);
  const routes = read('AWS::ApiGateway::Method', methodShape).map((resource): RouteModel => {
    const { HttpMethod, ResourceId, AuthorizationType, AuthorizerId, Integration } = resource.properties;
    const authorizer = authorizers.find(({ id }) => id === AuthorizerId);
    if (AuthorizationType === 'CUSTOM' && authorizer === undefined)
      throw new LocalStartError(`${resource.title} names no authorizer of the template.`);
    return {
      method: HttpMethod,
      resourcePath: pathOf(ResourceId),
      resourceId: ResourceId,
      target: functionNamed(targetOf(resource, Integration.Uri)),
      timeoutMs: Integration.TimeoutInMillis,
      authorizer,
    };
  });
  const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = stage.MethodSettings?.[0] ?? {};
  return {
    id: api.name,
    stage: stage.StageName,
    routes,
    gatewayResponses: readGatewayResponses(read),
    throttle: rate === undefined || burst === undefined ? undefined : { rate, burst },
  };
}

/** Returns the path of a resource by its id. Each resource names its parent; a first segment names the API's root. */
function resourcePaths(read: ReadResources): (id: string) => string {
  const resources = new Map(
    read('AWS::ApiGateway::Resource', resourceShape).map(({ name, properties }) => [name, properties]),
  );
  const path = (id: string): string => {
    const resource = resources.get(id);
    return resource === undefined ? '' : `${path(resource.ParentId)}/${resource.PathPart}`;
  };
  return (id) => path(id) || '/';
}
