import * as z from 'zod';
import type { FunctionDefinition } from '../functions/function-definitions.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { notRunLocally, readProperties } from '../template/intrinsics.ts';
import type { LocalTemplate, TemplateResource } from '../template/local-template.ts';
import { describeResource, LocalStartError, resourcesOf, theOne } from '../template/local-template.ts';
import { functionNameOf, physicalName } from '../template/local-values.ts';
import type { GatewayResponses } from './gateway-responses.ts';
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

/** Limits of the stage: requests a second, and how many may come at once. */
export type ThrottleLimits = { readonly rate: number; readonly burst: number };

export type ApiModel = {
  readonly id: string;
  readonly stage: string;
  readonly routes: readonly RouteModel[];
  readonly gatewayResponses: GatewayResponses;
  readonly throttle: ThrottleLimits | undefined;
};

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
  RequestValidatorId: notRunLocally('request validators: contracts validate in the function'),
  Integration: z.object({ Type: z.literal('AWS_PROXY'), Uri: z.string(), TimeoutInMillis: z.number().default(29_000) }),
});

/** A name, or one parameter: `{path+}` would take the rest of the path. */
const pathPart = z.string().regex(/^(?:[^{}]+|\{\w+\})$/u);
const resourceShape = z.object({ ParentId: z.string(), PathPart: pathPart });
const restApiShape = z.object({ BinaryMediaTypes: notRunLocally('binary media types') });
const stageShape = z.object({
  StageName: z.string(),
  Variables: notRunLocally('variables of a stage'),
  MethodSettings: z
    .tuple([
      z.object({
        HttpMethod: z.literal('*', { error: 'method settings of one method are not run locally' }),
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
export function readApi(
  template: LocalTemplate,
  resolve: Resolve,
  functionNamed: (name: string) => FunctionDefinition,
): ApiModel {
  const api = theOne(template, 'AWS::ApiGateway::RestApi');
  readProperties(restApiShape, api, resolve);
  const stage = readProperties(stageShape, theOne(template, 'AWS::ApiGateway::Stage'), resolve);
  const authorizers = new Map(
    resourcesOf(template, 'AWS::ApiGateway::Authorizer').map((one) => [
      physicalName(one),
      readAuthorizer(one, resolve, functionNamed),
    ]),
  );
  const pathOf = resourcePaths(template, resolve);
  const routes = resourcesOf(template, 'AWS::ApiGateway::Method').map((resource): RouteModel => {
    const method = readProperties(methodShape, resource, resolve);
    const authorizer = method.AuthorizerId === undefined ? undefined : authorizers.get(method.AuthorizerId);
    if (method.AuthorizationType === 'CUSTOM' && authorizer === undefined) {
      throw new LocalStartError(`${describeResource(resource)} names no authorizer of the template.`);
    }
    return {
      method: method.HttpMethod,
      resourcePath: pathOf(method.ResourceId),
      resourceId: method.ResourceId,
      target: target(resource, method.Integration.Uri, functionNamed),
      timeoutMs: method.Integration.TimeoutInMillis,
      authorizer,
    };
  });
  const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = stage.MethodSettings?.[0] ?? {};
  return {
    id: physicalName(api),
    stage: stage.StageName,
    routes,
    gatewayResponses: readGatewayResponses(template, resolve),
    throttle: rate === undefined || burst === undefined ? undefined : { rate, burst },
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
    target: target(resource, shape.AuthorizerUri, functionNamed),
    header: shape.IdentitySource.slice('method.request.header.'.length),
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
