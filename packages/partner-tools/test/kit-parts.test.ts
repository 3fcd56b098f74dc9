import { describe, expect, test } from 'vitest';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';
import { verify, verifyBody } from '#docs/samples/typescript/verify.ts';
import { configure, simulating } from '#partner-tools/sdk/connection.ts';
import { BankingOrderError, errorOf } from '#partner-tools/sdk/errors.ts';
import { signNotification } from '#partner-tools/sdk/notifications.ts';
import { each } from '#partner-tools/sdk/paging.ts';

type Call = { readonly method: string; readonly url: string; readonly headers: Headers; readonly body: string };
/** What comes back for a call: a status, with `retry-after` 0, a token of this name, or a broken connection. */
type Reply = number | 'broken' | Response;

const baseUrl = 'https://service.example';
const tokenUrl = 'https://issuer.example/token';
const tokenResponse = (token: string, seconds = 3600) => Response.json({ access_token: token, expires_in: seconds });

/**
 * A service that gives these responses, one after the other, and then the last one again and again; tokens are
 * numbered.
 */
function fakeService(replies: readonly Reply[], tokens: readonly Reply[] = []) {
  const calls: Call[] = [];
  const asked: Call[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { method, url, headers } = request;
    const list = url === tokenUrl ? asked : calls;
    list.push({ method, url, headers, body: await request.text() });
    const planned = url === tokenUrl ? (tokens[asked.length - 1] ?? tokenResponse(`token-${asked.length}`)) : undefined;
    const reply = planned ?? replies[Math.min(calls.length, replies.length) - 1] ?? 200;
    if (reply === 'broken') throw new TypeError('fetch failed');
    return typeof reply === 'number' ? new Response('{}', { status: reply, headers: { 'retry-after': '0' } }) : reply;
  };
  const credentials = { tokenUrl, clientId: 'id', clientSecret: 'secret', scope: 'api://app-order-hml/.default' };
  return { calls, asked, call: configure({ baseUrl, ...credentials, fetch }).fetch };
}

const payout = `${baseUrl}/order/v1/banking/order-payouts`;
const withKey = { method: 'POST', headers: { 'idempotency-key': 'k' }, body: '{"amount":"1.00"}' };

describe('the kit repeats', () => {
  const again: readonly Reply[] = [429, 503, 504, 'broken'];

  test.each(again)('a request with a key after %s, unchanged and with the same key', async (reply) => {
    const { call, calls } = fakeService([reply, 201]);
    expect((await call(payout, withKey)).status).toBe(201);
    expect(calls.map(({ body, headers }) => [body, headers.get('idempotency-key')])).toEqual(
      Array.from({ length: 2 }, () => [withKey.body, 'k']),
    );
  });

  test.each([
    ['GET', '/order/v1/banking/accounts', 2],
    ['PUT', '/order/v1/webhook', 2],
    // It would happen twice.
    ['POST', '/order/v1/webhook/test', 1],
    ['PUT', '/order-tools/v1/clock', 1],
  ])('%s %s without a key after 504 as often as it may', async (method, path, times) => {
    const { call, calls } = fakeService([504, 200]);
    await call(baseUrl + path, { method });
    expect(calls).toHaveLength(times);
  });

  test('any request after 429, because a throttled request had no effect', async () => {
    const { call, calls } = fakeService([429, 200]);
    expect((await call(`${baseUrl}/order/v1/webhook/test`, { method: 'POST', body: '{}' })).status).toBe(200);
    expect(calls).toHaveLength(2);
  });

  test.each([400, 403, 404, 409, 422, 500])('no request after %i', async (status) => {
    const { call, calls } = fakeService([status]);
    expect((await call(payout, withKey)).status).toBe(status);
    expect(calls).toHaveLength(1);
  });

  test('five times at most, and then gives the answer, or the error', async () => {
    const refused = fakeService([503]);
    expect((await refused.call(payout, withKey)).status).toBe(503);
    expect(refused.calls).toHaveLength(5);
    const broken = fakeService([503, 429, 504, 503, 'broken']);
    await expect(broken.call(payout, withKey)).rejects.toThrow('fetch failed');
    expect(broken.calls).toHaveLength(5);
  });

  test('not when it would have to wait for minutes', async () => {
    const { call, calls } = fakeService([new Response('{}', { status: 429, headers: { 'retry-after': '300' } })]);
    expect((await call(payout, withKey)).headers.get('retry-after')).toBe('300');
    expect(calls).toHaveLength(1);
  });

  test('no request that its caller aborted', async () => {
    const { call, calls } = fakeService(['broken']);
    const given = new AbortController();
    const response = call(payout, { ...withKey, signal: given.signal });
    given.abort();
    await expect(response).rejects.toThrow();
    expect(calls.length).toBeLessThan(2);
  });
});

test('a fault that a call asks for happens to it once', async () => {
  const { call, calls } = fakeService([504, 201]);
  const headers = simulating('lost-reply', withKey.headers);
  expect((await call(payout, { ...withKey, headers })).status).toBe(201);
  expect(calls.map((one) => one.headers.get('x-simulate'))).toEqual(['lost-reply', null]);
  expect(calls.map((one) => one.headers.get('idempotency-key'))).toEqual(['k', 'k']);
});

describe('the kit’s error', () => {
  const details = [{ field: 'amount.value', issue: 'REQUIRED', description: 'Is required.' }];
  const response = (status: number) => ({ status, headers: new Headers({ 'x-request-id': 'r-1' }) });

  test('has status, code, details and request id of the service’s response', () => {
    const error = errorOf(
      { error: 'INVALID_REQUEST', message: 'The request has 1 faulty field.', details },
      response(400),
    );
    expect(error).toBeInstanceOf(BankingOrderError);
    expect(error).toMatchObject({ status: 400, code: 'INVALID_REQUEST', details, requestId: 'r-1' });
    expect(error.message).toBe('400 INVALID_REQUEST: The request has 1 faulty field.');
  });

  test('has the status when a simulation tool or a proxy responds, and the message of the tool', () => {
    expect(errorOf(['The service failed.'], response(503)).message).toBe('503: The service failed.');
    expect(errorOf('<html>', response(502))).toMatchObject({ status: 502, details: [], requestId: 'r-1' });
  });

  test('has the cause and no status when no response arrives', () => {
    const broken = new TypeError('fetch failed');
    const error = errorOf(broken, undefined);
    expect(error).toMatchObject({ message: 'No response: fetch failed', details: [], cause: broken });
    expect(error).toHaveProperty('status', undefined);
  });

  test('is the AbortError itself when the caller aborts the request', () => {
    const given = new DOMException('given up', 'AbortError');
    expect(errorOf(given, undefined)).toBe(given);
  });
});

test('each reads a list to its end', async () => {
  const asked: unknown[] = [];
  const pages = [
    { data: [1, 2], nextCursor: 'a' },
    { data: [], nextCursor: 'b' },
    { data: [3], nextCursor: null },
  ];
  const read = (next: object) => Promise.resolve(pages[asked.push(next) - 1]!);
  const found: number[] = [];
  for await (const one of each<number>(read)) found.push(one);
  expect(found).toEqual([1, 2, 3]);
  expect(asked).toEqual([{}, { cursor: 'a' }, { cursor: 'b' }]);
});

describe('a notification of one’s own tests', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const { body, headers } = signNotification({ event: 'ORDER-PAYIN.PAID', id: '1' }, secret, { id: 'msg-1' });

  test.each([
    ['Node', headers],
    ['fetch', new Headers(headers)],
  ])('is genuine, with the headers of %s', (_whose, given) => {
    expect(verify(body, given, secret)).toEqual({ genuine: true, id: 'msg-1' });
    expect(verifyBody(body, given, secret)).toBe(true);
    expect(verify(`${body} `, given, secret)).toMatchObject({ genuine: false });
  });

  test('is signed as the service signs it', () => {
    const at = '2026-01-15T12:00:00.000Z';
    const own = signNotification({ event: 'x' }, secret, { id: 'm', atSeconds: Date.parse(at) / 1000 });
    const sent = signatureHeaders({ id: 'm', at, body: own.body, secrets: { current: secret } });
    expect(lowerCased(own.headers)).toMatchObject(lowerCased(sent));
  });
});

const lowerCased = (headers: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

describe('the kit’s token', () => {
  const bearers = (calls: readonly Call[]) => calls.map(({ headers }) => headers.get('authorization'));

  test('is asked for once by calls at the same time, and kept', async () => {
    const { call, calls, asked } = fakeService([200]);
    await Promise.all([call(payout), call(payout), call(payout)]);
    await call(payout);
    expect(asked).toHaveLength(1);
    expect(new URLSearchParams(asked[0]!.body).get('grant_type')).toBe('client_credentials');
    expect(new Set(bearers(calls))).toEqual(new Set(['Bearer token-1']));
  });

  test('is asked for again when less than a minute of it is left', async () => {
    const { call, calls, asked } = fakeService([200], [tokenResponse('short', 59), tokenResponse('long', 61)]);
    await call(payout);
    await call(payout);
    expect(bearers(calls)).toEqual(['Bearer short', 'Bearer long']);
    expect(asked).toHaveLength(2);
  });

  test('is asked for again, once, when it is refused; and the refusal of the second one stands', async () => {
    const { call, calls } = fakeService([401, 201]);
    expect((await call(payout, withKey)).status).toBe(201);
    expect(bearers(calls)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(calls.map(({ body }) => body)).toEqual([withKey.body, withKey.body]);
    const refused = fakeService([401]);
    expect((await refused.call(payout, withKey)).status).toBe(401);
    expect(refused.calls).toHaveLength(2);
  });

  test('is requested again after a failure, whose error contains the response of the token endpoint', async () => {
    const { call, asked } = fakeService([200], [Response.json({ error: 'invalid_client' }, { status: 401 })]);
    await expect(call(payout)).rejects.toThrow('The token endpoint responded 401: {"error":"invalid_client"}');
    expect((await call(payout)).status).toBe(200);
    expect(asked).toHaveLength(2);
  });

  test('is asked for again after 503', async () => {
    const { call, asked } = fakeService([200], [new Response('', { status: 503, headers: { 'retry-after': '0' } })]);
    expect((await call(payout)).status).toBe(200);
    expect(asked).toHaveLength(2);
  });
});
