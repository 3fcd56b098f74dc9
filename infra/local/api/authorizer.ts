import * as z from 'zod';
import type { FunctionRuntime, InvokeOutcome } from '../functions/function-runtime.ts';
import { arn } from '../template/local-values.ts';
import type { ApiModel, AuthorizerModel } from './api-model.ts';
import type { AuthorizerContext } from './proxy-integration.ts';
import { requestContext, requestMaps } from './proxy-integration.ts';
import type { GatewayRequest, Match } from './request.ts';
import { headerOf } from './request.ts';

/** The gateway's decision about a caller. */
export type Verdict =
  | { readonly kind: 'allowed'; readonly context: AuthorizerContext }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'denied'; readonly explicit: boolean }
  | { readonly kind: 'misconfigured' }
  | { readonly kind: 'failed' };

const policyStatement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.union([z.string(), z.array(z.string())]),
});

/** "Output from an API Gateway Lambda authorizer": anything else is a configuration error (500). */
const answerShape = z.object({
  principalId: z.string(),
  policyDocument: z.object({ Statement: z.union([policyStatement, z.array(policyStatement)]) }),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullish(),
});

type Answer = z.infer<typeof answerShape>;

type Authorize = (request: GatewayRequest, match: Match, authorizer: AuthorizerModel) => Promise<Verdict>;

/**
 * Asks Lambda authorizers, and keeps their answers for as long as the template says.
 * A kept answer is a policy: it is read again for every method, as on AWS.
 *
 * @param clock Milliseconds, monotonic.
 */
export function createAuthorizer(
  api: ApiModel,
  runtime: FunctionRuntime,
  region: string,
  clock: () => number = () => performance.now(),
): Authorize {
  const kept = new Map<string, { readonly answer: Answer; readonly until: number }>();
  return async (request, match, authorizer) => {
    const identity = identityOf(api, request, authorizer);
    if (identity === undefined) return { kind: 'unauthorized' };
    const methodArn = arn('execute-api', region, `${api.id}/${api.stage.name}/${request.method}${request.path}`);
    const key = JSON.stringify([authorizer.id, ...identity]);
    const cached = kept.get(key);
    if (cached !== undefined && cached.until > clock()) return verdictOf(cached.answer, methodArn);
    kept.delete(key);
    const outcome = await runtime.invoke(
      authorizer.target,
      eventOf(api, request, match, authorizer, identity, methodArn),
    );
    if (!outcome.ok) return failureOf(outcome);
    const answer = answerShape.safeParse(outcome.payload);
    if (!answer.success) return { kind: 'misconfigured' };
    if (authorizer.cacheSeconds > 0) {
      dropOutdated(kept, clock());
      kept.set(key, { answer: answer.data, until: clock() + authorizer.cacheSeconds * 1000 });
    }
    return verdictOf(answer.data, methodArn);
  };
}

/** Values of the identity sources; undefined when one is missing or the token does not have the form asked for. */
function identityOf(
  api: ApiModel,
  request: GatewayRequest,
  authorizer: AuthorizerModel,
): readonly string[] | undefined {
  const values = authorizer.identitySources.map((source) => sourceValue(api, request, source));
  const present = values.filter((value) => value !== undefined && value !== '') as string[];
  if (present.length < values.length) return undefined;
  if (authorizer.validation?.test(present[0] ?? '') === false) return undefined;
  return present;
}

function sourceValue(api: ApiModel, request: GatewayRequest, source: string): string | undefined {
  const [, kind, name = ''] =
    /^(method\.request\.header|method\.request\.querystring|stageVariables|context)\.(.+)$/.exec(source) ?? [];
  switch (kind) {
    case 'method.request.header':
      return headerOf(request, name);
    case 'method.request.querystring':
      return request.query[name]?.at(-1);
    case 'stageVariables':
      return api.stage.variables[name];
    default:
      return { httpMethod: request.method, path: request.path, 'identity.sourceIp': request.sourceIp }[name];
  }
}

function eventOf(
  api: ApiModel,
  request: GatewayRequest,
  match: Match,
  authorizer: AuthorizerModel,
  identity: readonly string[],
  methodArn: string,
): unknown {
  if (authorizer.type === 'TOKEN') return { type: 'TOKEN', methodArn, authorizationToken: identity[0] };
  return {
    type: 'REQUEST',
    methodArn,
    resource: match.route.resourcePath,
    path: request.path,
    httpMethod: request.method,
    ...requestMaps(api, request, match),
    requestContext: requestContext(api, request, match),
  };
}

function failureOf(outcome: Extract<InvokeOutcome, { ok: false }>): Verdict {
  if (outcome.reason === 'fault')
    return outcome.errorMessage === 'Unauthorized' ? { kind: 'unauthorized' } : { kind: 'misconfigured' };
  return { kind: 'failed' };
}

function verdictOf(answer: Answer, methodArn: string): Verdict {
  const statements = [answer.policyDocument.Statement].flat().filter((statement) => applies(statement, methodArn));
  if (statements.some(({ Effect }) => Effect === 'Deny')) return { kind: 'denied', explicit: true };
  if (statements.length === 0) return { kind: 'denied', explicit: false };
  const entries = Object.entries(answer.context ?? {}).filter(([, value]) => value !== null);
  // The gateway hands numbers and booleans to the function as texts.
  return {
    kind: 'allowed',
    context: {
      ...Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
      principalId: answer.principalId,
    },
  };
}

function applies(statement: z.infer<typeof policyStatement>, methodArn: string): boolean {
  const actions = [statement.Action].flat();
  const resources = [statement.Resource].flat();
  return (
    actions.some((action) => wildcard(action.toLowerCase(), 'execute-api:invoke')) &&
    resources.some((resource) => wildcard(resource, methodArn))
  );
}

/** `*` any characters, `?` one, as in IAM. */
function wildcard(pattern: string, text: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(text);
}

function dropOutdated(kept: Map<string, { readonly until: number }>, now: number): void {
  for (const [key, { until }] of kept) if (until <= now) kept.delete(key);
}
