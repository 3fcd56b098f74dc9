import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Route } from '#functions/routes.ts';
import { routes } from '#functions/routes.ts';
import { noAccess, tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import type { HttpResponse } from '#shared/platform/http/responses.ts';
import type { Edge } from '#test/support/edge.ts';
import { catchLog, eventOf } from '#test/support/edge.ts';
import { refused } from '#test/support/refusals.ts';

type Handle = (event: APIGatewayProxyEvent, context: Context) => Promise<HttpResponse>;

/** Calls the function of a route as API Gateway does, for a caller with this authorizer context. */
async function call({ folder }: Route, authorizer: NonNullable<Edge['authorizer']>): Promise<HttpResponse> {
  const path = new URL(`../../../functions/${folder}/handler.ts`, import.meta.url).pathname;
  const { handler } = (await import(path)) as { handler: Handle };
  const params = { id: 'x', accountId: 'x' };
  return handler(eventOf({ params, body: '{}', authorizer }), {} as Context);
}

beforeEach(() => {
  catchLog();
  // A request that passed the refusal would find no table, and end with 500.
  vi.stubEnv('TABLE_NAME', undefined);
});

/** API Gateway lets callers without access through to the functions, which alone can answer them with 403. */
describe.each(routes.map((route) => ({ name: `${route.contract.method} ${route.contract.path}`, route })))(
  'the function of $name',
  ({ route }) => {
    test('refuses a caller without access with 403, before any other work', async () => {
      const response = await call(route, { refusal: 'OTHER_AUDIENCE', expiresAt: '99999999999' });
      expect(refused(response, 403, []).message).toBe(noAccess);
    });

    test('refuses a token with 401, before any other work, when it expired while its authorization was cached', async () => {
      const response = await call(route, { companyId: 'company-a', clientId: 'client-a', expiresAt: '1' });
      expect(refused(response, 401, []).message).toBe(tokenErrors.EXPIRED);
    });
  },
);
