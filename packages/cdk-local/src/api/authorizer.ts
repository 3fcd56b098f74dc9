import * as z from 'zod';
import type { FunctionRuntime } from '../functions/function-runtime.ts';
import { arn } from '../template/local-values.ts';
import type { ApiModel, AuthorizerModel } from './api-model.ts';
import type { GatewayResponseType } from './gateway-responses.ts';
import type { AuthorizerContext, GatewayRequest } from './request.ts';
import { headerOf } from './request.ts';

/** "Output from an API Gateway Lambda authorizer"; the gateway passes numbers and booleans on as strings. */
const outputShape = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Statement: z.array(
      z.object({
        Effect: z.enum(['Allow', 'Deny']),
        Action: z.literal('execute-api:Invoke'),
        Resource: z.string(),
      }),
    ),
  }),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).optional(),
});

type Output = z.output<typeof outputShape>;

/** Context of a caller. `refusedBy`: type of the gateway's response to a caller who is not allowed. */
type Authorized = { readonly refusedBy?: GatewayResponseType; readonly context?: AuthorizerContext };
type Authorize = (request: GatewayRequest, authorizer: AuthorizerModel) => Promise<Authorized>;

/**
 * Calls TOKEN authorizers, and caches their policies for as long as the template says.
 * A cached policy is evaluated again for every method, as on AWS.
 */
export function createAuthorizer(api: ApiModel, runtime: FunctionRuntime): Authorize {
  const cache = new Map<string, { readonly output: Output; readonly until: number }>();
  return async (request, authorizer) => {
    const authorizationToken = headerOf(request, authorizer.header) ?? '';
    if (authorizationToken === '' || authorizer.validation?.test(authorizationToken) === false)
      return { refusedBy: 'UNAUTHORIZED' };
    const methodArn = arn('execute-api', `${api.id}/${api.stage}/${request.method}${request.path}`);
    const key = JSON.stringify([authorizer.id, authorizationToken]);
    const now = performance.now();
    for (const [cachedToken, { until }] of cache) if (until <= now) cache.delete(cachedToken);
    const cached = cache.get(key);
    if (cached !== undefined) return decide(cached.output, methodArn);
    const outcome = await runtime.invoke(authorizer.target, { type: 'TOKEN', methodArn, authorizationToken });
    if (!outcome.ok) {
      if (outcome.reason !== 'error') return { refusedBy: 'AUTHORIZER_FAILURE' };
      const isRefusal = outcome.errorMessage === 'Unauthorized';
      return { refusedBy: isRefusal ? 'UNAUTHORIZED' : 'AUTHORIZER_CONFIGURATION_ERROR' };
    }
    const { success, data: output } = outputShape.safeParse(outcome.payload);
    if (!success) return { refusedBy: 'AUTHORIZER_CONFIGURATION_ERROR' };
    cache.set(key, { output, until: performance.now() + authorizer.cacheSeconds * 1000 });
    return decide(output, methodArn);
  };
}

/** Evaluates a policy for a method. A denial has a context, too: the gateway's response may show it. */
function decide({ principalId, policyDocument, context }: Output, methodArn: string): Authorized {
  const effects = policyDocument.Statement.filter(({ Resource }) => covers(Resource, methodArn)).map(
    ({ Effect }) => Effect,
  );
  const isDenied = effects.length === 0 || effects.includes('Deny');
  return { ...(isDenied && { refusedBy: 'ACCESS_DENIED' }), context: { ...context, principalId } };
}

/** `*` stands for any characters, as in IAM. */
function covers(pattern: string, methodArn: string): boolean {
  return new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`, 's').test(methodArn);
}
