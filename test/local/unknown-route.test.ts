import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import type { RouteModel } from '#infra/local/api/api-model.ts';
import { withRoutes } from '#infra/local/api/unknown-route.ts';
import type { FunctionDefinition } from '#infra/local/functions/function-definitions.ts';

const own: readonly RouteModel[] = routes.map(({ contract: { method, path } }) => ({
  ...{ method, resourcePath: path, resourceId: path, target: {} as FunctionDefinition },
  ...{ timeoutMs: 1, authorizer: undefined },
}));
const response = (body: string) => ({ status: 404, headers: {}, body: Buffer.from(body) });
const unknown = response('{"error":"NOT_FOUND","message":"There is no such route.","details":[]}');
const answerTo = (path: string, given = unknown) => withRoutes(given, own, { path });
const messageOf = (path: string): unknown =>
  (JSON.parse(answerTo(path).body.toString()) as { readonly message: unknown }).message;

describe('an unknown route', () => {
  test('of a known path says its methods, and nothing but them', () => {
    const { headers } = answerTo('/order/v1/webhook');
    expect(headers).toEqual({ Allow: 'GET, PUT' });
    expect(messageOf('/order/v1/webhook')).toBe('There is no such route. This path has GET, PUT.');
  });

  test.each([
    ['/order/v1/banking/order-payin', 'POST /order/v1/banking/order-payins, GET /order/v1/banking/order-payins'],
    ['/v1/webhook', 'GET /order/v1/webhook, PUT /order/v1/webhook'],
    [
      '/order/v1/banking/subscriptions/7/cancel',
      'GET /order/v1/banking/subscriptions/{id}, PATCH /order/v1/banking/subscriptions/{id}',
    ],
  ])('%s is told the two that are nearest', (path, nearest) => {
    expect(messageOf(path)).toBe(`There is no such route. The nearest: ${nearest}.`);
    expect(answerTo(path).headers).not.toHaveProperty('Allow');
    expect(answerTo(path).body.length).toBeLessThan(500);
  });

  test('of any length is answered at once', () => {
    expect(messageOf(`/${'x'.repeat(1_000_000)}`)).toContain('The nearest: ');
  });

  test('with another body keeps it', () => {
    const odd = response('{}');
    expect(answerTo('/', odd)).toBe(odd);
  });
});
