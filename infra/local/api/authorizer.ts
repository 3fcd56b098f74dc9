import * as z from 'zod';
import type { FunctionRuntime, InvokeOutcome } from '../functions/function-runtime.ts';
import { arn } from '../template/local-values.ts';
import type { ApiModel, AuthorizerModel } from './api-model.ts';
import type { AuthorizerContext } from './proxy-integration.ts';
import type { GatewayRequest } from './request.ts';
import { headerOf } from './request.ts';

/** What the gateway decides about a caller. */
export type AuthorizerDecision =
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
const outputShape = z.object({
  principalId: z.string(),
  policyDocument: z.object({ Statement: z.union([policyStatement, z.array(policyStatement)]) }),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullish(),
});

type Output = z.infer<typeof outputShape>;

type Authorize = (request: GatewayRequest, authorizer: AuthorizerModel) => Promise<AuthorizerDecision>;

/**
 * Calls TOKEN authorizers, and caches their policies for as long as the template says.
 * A cached policy is evaluated again for every method, as on AWS.
 *
 * @param clock Milliseconds, monotonic.
 */
export function createAuthorizer(
  api: ApiModel,
  runtime: FunctionRuntime,
  clock: () => number = () => performance.now(),
): Authorize {
  const cache = new Map<string, { readonly output: Output; readonly until: number }>();
  return async (request, authorizer) => {
    const token = headerOf(request, authorizer.header) ?? '';
    if (token === '' || authorizer.validation?.test(token) === false) return { kind: 'unauthorized' };
    const methodArn = arn('execute-api', `${api.id}/${api.stage}/${request.method}${request.path}`);
    const key = JSON.stringify([authorizer.id, token]);
    const cached = cache.get(key);
    if (cached !== undefined && cached.until > clock()) return decide(cached.output, methodArn);
    cache.delete(key);
    const event = { type: 'TOKEN', methodArn, authorizationToken: token };
    const outcome = await runtime.invoke(authorizer.target, event);
    if (!outcome.ok) return decideFailure(outcome);
    const output = outputShape.safeParse(outcome.payload);
    if (!output.success) return { kind: 'misconfigured' };
    if (authorizer.cacheSeconds > 0) {
      dropExpired(cache, clock());
      cache.set(key, { output: output.data, until: clock() + authorizer.cacheSeconds * 1000 });
    }
    return decide(output.data, methodArn);
  };
}

function decideFailure(outcome: Extract<InvokeOutcome, { ok: false }>): AuthorizerDecision {
  if (outcome.reason === 'fault')
    return outcome.errorMessage === 'Unauthorized' ? { kind: 'unauthorized' } : { kind: 'misconfigured' };
  return { kind: 'failed' };
}

function decide(output: Output, methodArn: string): AuthorizerDecision {
  const statements = [output.policyDocument.Statement].flat().filter((statement) => applies(statement, methodArn));
  if (statements.some(({ Effect }) => Effect === 'Deny')) return { kind: 'denied', explicit: true };
  if (statements.length === 0) return { kind: 'denied', explicit: false };
  const entries = Object.entries(output.context ?? {}).filter(([, value]) => value !== null);
  // The gateway hands numbers and booleans to the function as texts.
  return {
    kind: 'allowed',
    context: {
      ...Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
      principalId: output.principalId,
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

function dropExpired(cache: Map<string, { readonly until: number }>, now: number): void {
  for (const [key, { until }] of cache) if (until <= now) cache.delete(key);
}
