import { describe, expect, test } from 'vitest';
import type { RouteModel } from '#cdk-local/api/api-model.ts';
import { withRoutes } from '#cdk-local/api/unknown-route.ts';
import type { FunctionDefinition } from '#cdk-local/functions/function-definitions.ts';

const own: readonly RouteModel[] = [
  ['GET', '/shop/v1/webhook'],
  ['PUT', '/shop/v1/webhook'],
  ['POST', '/shop/v1/store/parcels'],
  ['GET', '/shop/v1/store/parcels'],
  ['GET', '/shop/v1/store/customers/{id}'],
  ['PATCH', '/shop/v1/store/customers/{id}'],
  ['POST', '/shop/v1/store/customers/{id}/letters'],
].map(([method = '', path = '']) => ({
  method,
  resourcePath: path,
  resourceId: path,
  target: {} as FunctionDefinition,
  timeoutMs: 1,
  authorizer: undefined,
}));
const response = (body: string) => ({ status: 404, headers: {}, body: Buffer.from(body) });
const unknown = response('{"error":"NOT_FOUND","message":"There is no such route.","details":[]}');
const answerTo = (path: string, given = unknown) => withRoutes(given, own, { path });
const messageOf = (path: string): unknown =>
  (JSON.parse(answerTo(path).body.toString()) as { readonly message: unknown }).message;

describe('an unknown route', () => {
  test('names only the methods of its path when the path is known', () => {
    const { headers } = answerTo('/shop/v1/webhook');
    expect(headers).toEqual({ Allow: 'GET, PUT' });
    expect(messageOf('/shop/v1/webhook')).toBe('There is no such route. This path supports GET, PUT.');
  });

  test.each([
    ['/shop/v1/store/parcel', 'POST /shop/v1/store/parcels, GET /shop/v1/store/parcels'],
    ['/v1/webhook', 'GET /shop/v1/webhook, PUT /shop/v1/webhook'],
    [
      '/shop/v1/store/customers/7/cancel',
      'POST /shop/v1/store/customers/{id}/letters, GET /shop/v1/store/customers/{id}',
    ],
  ])('%s is answered with the two nearest routes', (path, nearest) => {
    expect(messageOf(path)).toBe(`There is no such route. The most similar routes: ${nearest}.`);
    expect(answerTo(path).headers).not.toHaveProperty('Allow');
    expect(answerTo(path).body.length).toBeLessThan(500);
  });

  test('is answered with the nearest routes when its path has a million characters', () => {
    expect(messageOf(`/${'x'.repeat(1_000_000)}`)).toContain('The most similar routes: ');
  });

  test('keeps its body when that is not the standard one', () => {
    const odd = response('{}');
    expect(answerTo('/', odd)).toBe(odd);
  });
});
