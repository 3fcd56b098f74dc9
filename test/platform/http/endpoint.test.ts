import type { Context } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import { forbiddenByState, notFound, RequestError, badRequest } from '#shared/core/errors.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { CorruptItem, StoreUnavailable } from '#shared/platform/table/store.ts';
import { caller, catchLog, eventOf, through } from '#test/support/edge.ts';
import { refused } from '#test/support/refusals.ts';
import type { FailedRequest } from '#shared/platform/http/responses.ts';
import type { TokenError } from '#shared/platform/http/refused-tokens.ts';
import { noAccess, tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import { responseToError } from '#shared/platform/http/responses.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { ask, good, id, jsonType, probe } from './probe-contract.ts';

let logged: ReturnType<typeof catchLog>;
beforeEach(() => {
  logged = catchLog();
});
const line = () => logged().find(({ message }) => message === 'request');

/** The answer to an operation that throws. */
function failing(error: unknown, tool = false) {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what is thrown need not be an error
  const operation = () => Promise.reject(error);
  return through(probe('optional', tool), operation, {})({ params: { id: id }, body: good });
}

describe('the caller of an endpoint', () => {
  test('is the company and client that the authorizer names', async () => {
    expect((await ask({})).seen?.caller).toEqual({ companyId: 'company-a', clientId: 'client-a' });
  });

  const nowSeconds = Math.floor(Date.now() / 1000);
  const unread = { body: '{', headers: { 'content-type': 'text/plain' } };
  test.each<[TokenError, string, Record<string, string> | null]>([
    ['MISSING', 'no authorizer', null],
    ['MISSING', 'an empty authorizer context', {}],
    ['MISSING', 'no company', { clientId: 'c', expiresAt: '99999999999' }],
    ['MISSING', 'no client', { companyId: 'c', expiresAt: '99999999999' }],
    [
      'EXPIRED',
      'a token that expired while the authorizer response was cached',
      { ...caller, expiresAt: String(nowSeconds - 1) },
    ],
    ['EXPIRED', 'a token that expires now', { ...caller, expiresAt: String(nowSeconds) }],
    ['EXPIRED', 'a token without an expiry', { companyId: 'c', clientId: 'c' }],
    ['EXPIRED', 'an expiry that is no time', { ...caller, expiresAt: 'soon' }],
    ['EXPIRED', 'a refused token that expired', { refusal: 'OTHER_AUDIENCE', expiresAt: String(nowSeconds) }],
  ])(
    'with the token error %s (%s) is answered 401 before the request is validated',
    async (fault, _name, authorizer) => {
      const response = await ask({ authorizer, ...unread });
      expect(refused(response, 401, []).message).toBe(tokenErrors[fault]);
      expect(response.seen).toBeUndefined();
      expect(response.headers['www-authenticate']).toBe('Bearer realm="banking-order", error="invalid_token"');
    },
  );

  const later = '99999999999';
  test.each([
    ['a token without access', { refusal: 'OTHER_AUDIENCE', expiresAt: later }],
    ['an unknown refusal', { refusal: 'x', expiresAt: later }],
    ['an empty refusal', { refusal: '', expiresAt: later }],
    ['a refusal beside a company', { ...caller, refusal: 'DISABLED_CLIENT' }],
  ])('with %s is answered 403 before the request is validated', async (_name, authorizer) => {
    const response = await ask({ authorizer, ...unread });
    expect(refused(response, 403, []).message).toBe(noAccess);
    expect(response.seen).toBeUndefined();
    expect(response.headers['www-authenticate']).toBe('Bearer realm="banking-order", error="insufficient_scope"');
  });

  test('with a token that ends in a minute is served', async () => {
    expect((await ask({ authorizer: { ...caller, expiresAt: String(nowSeconds + 60) } })).statusCode).toBe(200);
  });
});

describe('a request id', () => {
  test("is the caller's own if it is a UUID, in lower case", async () => {
    const response = await ask({ headers: { ...jsonType, 'X-Request-Id': id.toUpperCase() } });
    expect(response.headers['x-request-id']).toBe(id);
    expect(response.seen?.requestId).toBe(id);
    expect(line()).toMatchObject({ requestId: id });
  });

  test.each(['42', '', `${id}\r\nset-cookie: a=b`, undefined])('is a new one for "%s"', async (own) => {
    const response = await ask({ headers: { ...jsonType, 'x-request-id': own } });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
    expect(response.headers['x-request-id']).not.toBe(id);
  });

  test('is the one of the gateway when the caller sends none, so that both logs have the same id', async () => {
    const gatewayId = '7a1f0e64-95d0-4f3d-9f4f-1f0d7c1f2b3c';
    const response = await ask({ gatewayId });
    expect([response.headers['x-request-id'], response.seen?.requestId]).toEqual([gatewayId, gatewayId]);
    const two = await ask({ headers: { ...jsonType, 'x-request-id': [id, id] }, gatewayId });
    expect(two.headers['x-request-id']).toBe(gatewayId);
  });

  test.each([
    ['an invalid request', { body: '{' }],
    ['a request with a body of another type', { headers: { 'content-type': 'text/plain', 'x-request-id': id } }],
    ['a request without a token', { authorizer: null }],
  ])('is in the response to %s, and in its log line', async (_name, edge) => {
    const response = await ask(edge);
    expect(response.headers['x-request-id']).toBeDefined();
    expect(line()).toMatchObject({ requestId: response.headers['x-request-id'], status: response.statusCode });
  });
});

describe('an error', () => {
  const detail = { field: 'a.b', issue: 'INVALID_VALUE', description: 'Wrong.' } as const;
  test.each([
    [
      'is answered with 400 when the request is wrong',
      badRequest('a.b', 'INVALID_VALUE', 'Wrong.'),
      400,
      'INVALID_REQUEST',
      [detail],
    ],
    [
      'is answered with 409 when a state forbids the request',
      forbiddenByState('a.b', 'INVALID_VALUE', 'Wrong.'),
      409,
      'INVALID_REQUEST',
      [detail],
    ],
    [
      'is answered with 422 when the idempotency key was used for another request',
      forbiddenByState('idempotency-key', 'IDEMPOTENCY_KEY_REUSED', 'Used.'),
      422,
      'INVALID_REQUEST',
      [{ field: 'idempotency-key', issue: 'IDEMPOTENCY_KEY_REUSED', description: 'Used.' }],
    ],
    ['is answered with 404 when the resource is missing', notFound('Order'), 404, 'NOT_FOUND', []],
    [
      'is answered with 403 when the request is forbidden',
      new RequestError('forbidden', 'No.'),
      403,
      'FORBIDDEN_ERROR',
      [],
    ],
  ])('%s', async (_name, error, status, code, details) => {
    const response = await failing(error);
    expect(response.statusCode).toBe(status);
    expect(response.json).toEqual({ error: code, message: error.message, details });
    expect(line()).toMatchObject({ level: 'info', status });
    // A simulation tool refuses with the same body as other operations.
    expect((await failing(error, true)).json).toEqual(response.json);
  });

  test.each([
    ['an error', new Error('Table secret-name is gone')],
    ['a malformed item', new CorruptItem('Table secret-name is gone')],
    ['a thrown text', 'secret-name'],
  ])('is answered with 500 and without its text when it is %s', async (_name, error) => {
    const response = await failing(error);
    refused(response, 500);
    expect(response.json).toMatchObject({ error: 'INTERNAL_ERROR', details: [] });
    expect(response.body).not.toMatch(/secret-name|\.ts|at /u);
    expect(response.headers['retry-after']).toBeUndefined();
    expect(line()).toMatchObject({ level: 'error', status: 500 });
  });

  test('is 503 with a Retry-After header when it is temporary', async () => {
    const response = await failing(new StoreUnavailable('Table secret-name is busy'));
    refused(response, 503);
    expect(response.headers['retry-after']).toBe('1');
    expect(response.json).toMatchObject({ error: 'INTERNAL_ERROR', details: [] });
    expect(response.body).not.toContain('secret-name');
    expect(line()).toMatchObject({ level: 'error', errorName: 'StoreUnavailable' });
  });

  test('is 504 with an unknown outcome when the time of the function is over', async () => {
    const never = () => new Promise<never>(() => undefined);
    const handle = endpoint(probe('optional'), never, () => ({}));
    const headers = { ...jsonType, 'idempotency-key': 'k' };
    const context = { getRemainingTimeInMillis: () => 20 } as Context;
    const response = await handle(eventOf({ params: { id }, body: good, headers }), context);
    refused(response, 504);
    expect(response.headers['retry-after']).toBe('1');
    expect(JSON.parse(response.body)).toMatchObject({
      error: 'INTERNAL_ERROR',
      message: 'The service did not answer in time. The same request with the same idempotency key is safe to repeat.',
    });
    expect(line()).toMatchObject({ level: 'error', status: 504, errorName: 'TimeoutError' });
  });

  const safe = 'The same request is safe to repeat.';
  const keyed = 'The same request with the same idempotency key is safe to repeat.';
  const again = 'The outcome may be unknown: the same request may do the same once more.';
  test.each<[string, Partial<FailedRequest>, string]>([
    ['an operation that reads', { method: 'GET' }, safe],
    ['an operation that asks for a state', { onceBy: 'STATE' }, safe],
    ['an operation that needs an idempotency key', { idempotencyKey: 'required', hasKey: true }, keyed],
    [
      'an operation that needs an idempotency key and has none',
      { idempotencyKey: 'uuid' },
      'Nothing was carried out: the request has no idempotency key.',
    ],
    ['an operation that may have an idempotency key', { idempotencyKey: 'optional', hasKey: true }, keyed],
    [
      'an operation that may have an idempotency key and has none',
      { idempotencyKey: 'optional' },
      `${again} An idempotency key would make it safe to repeat.`,
    ],
    [
      'an operation that has an externalId',
      { idempotencyKey: 'optional', onceBy: 'EXTERNAL_ID' },
      '409 on externalId, read what has it.',
    ],
    [
      'an operation that has an externalId and an idempotency key',
      { idempotencyKey: 'optional', onceBy: 'EXTERNAL_ID', hasKey: true },
      keyed,
    ],
    ['an operation that is repeated each time, with a key that is ignored', { hasKey: true }, again],
    ['a simulation tool', { method: 'PUT', tool: true }, 'read the resource before you repeat the request.'],
  ])('that is temporary describes whether a repetition is safe for %s', (_what, more, advice) => {
    const request = { method: 'POST', idempotencyKey: 'none', hasKey: false, ...more } as const;
    const { body } = responseToError(new StoreUnavailable('x'), request);
    const parsed = JSON.parse(body) as string[] | { message: string };
    expect((Array.isArray(parsed) ? parsed[0] : parsed.message)?.endsWith(advice)).toBe(true);
  });

  test('advises according to the idempotency key that was sent when it is temporary', async () => {
    const busy = () => Promise.reject(new StoreUnavailable('x'));
    const said = async (headers: Record<string, string>) =>
      (await through(probe(), busy as never, {})({ params: { id: id }, body: good, headers })).body;
    expect(await said({ ...jsonType, 'Idempotency-Key': 'k' })).toContain('with the same idempotency key');
    expect(await said(jsonType)).toContain('would make it safe');
  });

  test('while the dependencies are built is 500, and the next request builds them again', async () => {
    let builds = 0;
    const handle = endpoint(
      probe(),
      () => Promise.resolve({ status: 200 as const, body: { ok: true } }),
      () => {
        builds += 1;
        if (builds === 1) throw new Error('The environment variable TABLE_NAME is not set.');
        return {};
      },
    );
    const event = () => eventOf({ params: { id: id }, body: good });
    const statuses = [];
    for (let time = 0; time < 3; time += 1) statuses.push((await handle(event(), {} as never)).statusCode);
    expect([statuses, builds]).toEqual([[500, 200, 200], 2]);
  });

  test.each([
    [new Error('x'), 500],
    [new StoreUnavailable('x'), 503],
  ])('the error of a simulation tool is an array of strings when it is %s', async (error, status) => {
    const response = await failing(error, true);
    expect(response.statusCode).toBe(status);
    expect(response.json).toEqual([expect.any(String)]);
    expect(response.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  });
});

describe('a response', () => {
  test.each([
    ['a success', {}],
    ['an invalid request', { body: '{' }],
  ])('has no www-authenticate header when the token is valid: %s', async (_what, edge) => {
    expect((await ask(edge)).headers).not.toHaveProperty('www-authenticate');
  });

  test('is JSON with the headers no-store and nosniff', async () => {
    expect((await ask({})).headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  test('has the header idempotent-replayed only when it is the first response again', async () => {
    const answering = (replayed?: boolean) =>
      through(
        probe(),
        () =>
          Promise.resolve({ status: 200 as const, body: { ok: true }, ...(replayed !== undefined && { replayed }) }),
        {},
      )({
        params: { id: id },
        body: good,
      });
    expect((await answering(true)).headers['idempotent-replayed']).toBe('true');
    expect((await answering()).headers).not.toHaveProperty('idempotent-replayed');
  });
});

describe('the log of a request', () => {
  const personalData = ['52998224725', 'Maria da Silva', 'maria@example.com', 'Bearer', '10.37'];
  const body = JSON.stringify({
    amount: { currency: 'BRL', value: '10.37' },
    debtor: { name: 'Maria da Silva', document: { type: 'CPF', number: '52998224725' } },
    tags: ['maria@example.com'],
  });
  const edge = { body, headers: { ...jsonType, authorization: 'Bearer abc', 'idempotency-key': 'maria@example.com' } };

  test.each([
    ['a valid request', edge],
    ['an invalid request', { ...edge, body: body.replace('"CPF"', '"CNPJ"').replace('"tags"', '"52998224725"') }],
    ['a request with invalid names', { ...edge, query: { 'Maria da Silva': ['52998224725'], externalId: ['a', 'b'] } }],
    ['a request that cannot be parsed', { ...edge, body: body.slice(1) }],
    ['a request with an invalid name twice', { ...edge, body: '{"Maria da Silva":1,"Maria da Silva":2}' }],
  ])('has one line without personal data for %s', async (_name, request) => {
    await ask(request);
    expect(logged()).toHaveLength(1);
    const all = JSON.stringify(logged());
    for (const secret of personalData) expect(all).not.toContain(secret);
  });

  test.each([
    ['succeeds', edge.body, 200],
    ['is refused', body.replace('"CPF"', '"CNPJ"'), 400],
  ])(
    'a request that %s has one line with operation, company, status, duration, invalid fields and metrics',
    async (_what, sent, status) => {
      await ask({ ...edge, body: sent });
      expect(logged()).toHaveLength(1);
      const { durationMs, requestId, issues, _aws: embedded, ...rest } = line()!;
      expect({ requestId, durationMs }).toEqual({ requestId: expect.any(String), durationMs: expect.any(Number) });
      expect(issues).toBe(status === 400 ? 'debtor.document.number:INVALID_FORMAT' : undefined);
      expect(rest).toEqual({
        ...{
          level: 'info',
          message: 'request',
          operationId: 'probe',
          companyId: 'company-a',
          clientId: 'client-a',
          status,
        },
        ...{ statusClass: `${String(status)[0]}xx`, Requests: 1, RequestDuration: durationMs },
      });
      expect(embedded).toEqual({
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'BankingOrderService/test',
            Dimensions: [['operationId', 'statusClass']],
            Metrics: [
              { Name: 'Requests', Unit: 'Count' },
              { Name: 'RequestDuration', Unit: 'Milliseconds' },
            ],
          },
        ],
      });
    },
  );

  test('has the error name in the line of the metrics when the request fails', async () => {
    await failing(new StoreUnavailable('no answer'));
    expect(line()).toMatchObject({ level: 'error', errorName: 'StoreUnavailable', statusClass: '5xx', Requests: 1 });
    expect(logged()).toHaveLength(1);
  });

  test('counts a request apart from failures of the service when the bank of the company does not respond', async () => {
    await failing(new BankUnavailable('no answer'));
    expect(line()).toMatchObject({ level: 'error', status: 503, statusClass: 'bank', Requests: 1 });
  });
});
