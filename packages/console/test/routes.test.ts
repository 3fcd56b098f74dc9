import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { operationIds } from '#console/protocol.ts';
import { isOperation, readRoutes } from '#console/server/call-service.ts';
import { each } from '#test/support/each.ts';

test('every operation of the console is in the OpenAPI document, with method, path and key as in its contract', () => {
  const read = readRoutes();
  for (const [operation, route] of each(Object.entries(read))) {
    const contract = routes.find((one) => one.contract.operationId === operation)!.contract;
    const { method, path, idempotencyKey } = contract;
    expect(route, operation).toEqual({ method, path, takesKey: idempotencyKey !== 'none' });
  }
});

test('the console has no operation that responds with a secret or a code', () => {
  for (const secret of ['rotateWebhookSecret', 'getKeyCode']) {
    expect(routes.some(({ contract }) => contract.operationId === secret)).toBe(true);
    expect(isOperation(secret)).toBe(false);
  }
  expect(isOperation('constructor')).toBe(false);
});

test('a document that lacks an operation of the console is refused with the name of the operation', () => {
  const [first] = Object.keys(operationIds);
  expect(() => readRoutes('{"paths":{}}')).toThrow(`no operation ${first!}`);
});
