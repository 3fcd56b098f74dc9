import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { routes } from '#functions/routes.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { readError, readErrorResponse } from '@banking-order/partner-tools';
import { sendBytes } from '../support/client-http.ts';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { each } from '../support/each.ts';
import { activeAccount, environment, first } from './partners.ts';
import { brl, journey2 } from './samples.ts';

const { path } = CreateSubscription;
const accountId = activeAccount(first).id;
const json = { 'content-type': 'application/json' };
const post = (body: string | Buffer, headers: Record<string, string> = json) =>
  first.raw({ method: 'POST', path, headers, body });

describe('a body', () => {
  test.each([
    ['that ends too early', '{"accountId":'],
    ['with bytes after its end', '{} {}'],
    ['that is no JSON', 'accountId=1'],
    ['with a comma too many', '{"a":1,}'],
  ])('is refused with MALFORMED_JSON when it is one %s', async (_what, body) => {
    refused(readErrorResponse(CreateSubscription, await post(body)), 400, ['body:MALFORMED_JSON']);
  });

  test.each([['null'], ['[]'], ['"text"'], ['7'], ['true']])(
    'is refused with INVALID_TYPE when it is %s and no object',
    async (body) => {
      refused(readErrorResponse(CreateSubscription, await post(body)), 400, ['body:INVALID_TYPE']);
    },
  );

  test('is refused with 400 when it is nested ten thousand deep', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    refused(await post(`{"debtor":${deep}}`), 400);
  });

  test('is refused with UNKNOWN_FIELD when it has a member __proto__', async () => {
    const body = JSON.stringify(journey2(accountId)).replace('{', '{"__proto__":{"admin":true},');
    refused(readErrorResponse(CreateSubscription, await post(body)), 400, ['__proto__:UNKNOWN_FIELD']);
  });

  test.each([
    ['with another amount', '"value":"10.00"', '"value":"10.00","value":"9000.00"', 'fixedAmount.value'],
    ['once spelled with an escape', '"accountId":', '"account\\u0049d":"x","accountId":', 'accountId'],
    ['named __proto__', '{', '{"__proto__":{},"__proto__":{},', '__proto__'],
  ])('is refused with the name of the member when it has a member twice, %s', async (_what, once, twice, field) => {
    const body = JSON.stringify(journey2(accountId, { fixedAmount: brl('10.00') })).replace(once, twice);
    refused(readErrorResponse(CreateSubscription, await post(body)), 400, [`${field}:MALFORMED_JSON`]);
  });

  test('is refused with 413 when it is larger than 64 KiB, and is read at exactly that size', async () => {
    const fill = (bytes: number): string => JSON.stringify({ x: 'x'.repeat(bytes - 8) });
    expect(fill(65_536)).toHaveLength(65_536);
    refused(readErrorResponse(CreateSubscription, await post(fill(65_536))), 400);
    refused(readErrorResponse(CreateSubscription, await post(fill(65_537))), 413);
  });

  test('is refused with 413 and the standard error body when it is larger than the gateway accepts', async (context) => {
    needs(context, 'gateway-responses', 'ten megabytes end at the gateway');
    refused(readError(await post('x'.repeat(11 * 1024 * 1024))), 413);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'application/xml',
  ])('is refused with 415 when its content type is %s', async (type) => {
    refused(readErrorResponse(CreateSubscription, await post('{}', { 'content-type': type })), 415);
  });

  test.each(['iso-8859-1', 'utf-16', '"us-ascii"'])('is refused with 415 when its charset is %s', async (charset) => {
    const type = `application/json; charset=${charset}`;
    const response = readErrorResponse(
      CreateSubscription,
      await post(JSON.stringify(journey2(accountId)), { 'content-type': type }),
    );
    expect(refused(response, 415).message).toContain('UTF-8');
  });

  test.each([
    ['Latin-1', Buffer.from([0xe9])],
    ['half a character', Buffer.from([0xc3])],
    ['an overlong character', Buffer.from([0xc0, 0xaf])],
    ['a UTF-8 surrogate', Buffer.from([0xed, 0xa0, 0x80])],
  ])('is refused when it contains %s in place of UTF-8', async (_what, bytes) => {
    const [before = '', behind = ''] = JSON.stringify(journey2(accountId, { description: 'caf|' })).split('|');
    const body = Buffer.concat([Buffer.from(before), bytes, Buffer.from(behind)]);
    const response = readErrorResponse(CreateSubscription, await post(body));
    const { details } = refused(response, 400, ['body:MALFORMED_JSON']);
    expect(details[0]?.description).toContain('UTF-8');
  });

  test.for<[string, OutgoingHttpHeaders]>([
    ['content-type', { 'Content-Type': ['application/json', 'text/plain'] }],
    ['content-type', { 'Content-Type': ['application/json', 'application/json'] }],
    ['idempotency-key', { ...json, 'idempotency-key': ['one', 'two'] }],
    ['idempotency-key', { ...json, 'idempotency-key': ['one', 'one'] }],
  ])('is refused, and neither value is used, when it has two headers %s', async ([field, headers], context) => {
    needs(context, 'repeated-headers', 'a gateway that keeps only the last one hides that there were two');
    const body = JSON.stringify(journey2(accountId));
    refused(readErrorResponse(CreateSubscription, await first.raw({ method: 'POST', path, headers, body })), 400, [
      `${field}:INVALID_VALUE`,
    ]);
  });

  test('is refused with all of its issues together, those of clock and configuration too', async () => {
    const body = {
      ...journey2(accountId),
      startDate: '2020-01-01',
      webhookUrl: 'http://10.0.0.1/',
      frequencyType: 'DAILY',
    };
    const { details } = refused(readErrorResponse(CreateSubscription, await post(JSON.stringify(body))), 400);
    expect(details.map(({ field }) => field).toSorted()).toEqual(['frequencyType', 'startDate', 'webhookUrl']);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON'])(
    'is accepted when its content type is %s',
    async (type) => {
      const { status } = await post(JSON.stringify(journey2(accountId)), { 'content-type': type });
      expect(status).toBe(201);
    },
  );

  test('with text of every script is kept as it was', async () => {
    const name = 'Zoë Núñez 漢字 😀 עברית';
    const externalId = `ext-😀-${randomUUID()}`.slice(0, 64);
    const body = journey2(accountId, { externalId, debtor: { ...journey2(accountId).debtor, name } });
    const { body: created } = await first.call(CreateSubscription, { body });
    const { body: record } = await first.call(GetSubscription, { params: { id: created.id } });
    expect([record.debtor.name, record.externalId]).toEqual([name, externalId]);
  });

  test.each([
    ['0.01', 201],
    ['9999999999.99', 201],
    ['10000000000.00', 400],
    ['1e2', 400],
    ['0.1', 201],
    ['0.30000000000000004', 400],
    ['-1', 400],
    ['1.0', 201],
  ])('is read digit by digit when its amount is the JSON number %s (%i)', async (number, status) => {
    const body = JSON.stringify(journey2(accountId, { fixedAmount: brl('AMOUNT') })).replace('"AMOUNT"', number);
    const response = await post(body);
    expect(response.status).toBe(status);
    if (status !== 201) return;
    const { id } = JSON.parse(response.text) as { id: string };
    const record = await first.call(GetSubscription, { params: { id } });
    expect(record.body.fixedAmount?.value).toBe(Number(number).toFixed(2));
  });
});

describe('a route that does not exist', () => {
  const unknown = [
    '/order',
    '/order/v1/banking',
    '/order/v2/banking/subscriptions',
    '/order/v1/banking/subscription',
    '/.env',
    '/order/v1/webhook/../../x',
  ];
  test.each(unknown)('gets 403 or 404 when its path is %s', async (wanted) => {
    const response = await first.raw({ method: 'GET', path: wanted });
    expect([403, 404]).toContain(response.status);
  });

  test('is refused with 404 and the standard error body', async (context) => {
    needs(context, 'gateway-responses', 'an unknown route ends at the gateway');
    for (const wanted of unknown) {
      const response = await first.raw({ method: 'GET', path: wanted });
      refused(readError(response), 404, []);
    }
  });
});

test('a method that a path does not have is answered like an unknown route', async (context) => {
  needs(context, 'gateway-responses', 'a method that is not defined ends at the gateway');
  const known = new Set(routes.map(({ contract }) => `${contract.method} ${contract.path}`));
  for (const { contract } of each(routes))
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      if (known.has(`${method} ${contract.path}`)) continue;
      const concrete = contract.path.replaceAll(/\{[^}]+\}/gu, () => randomUUID());
      const response = readError(await first.raw({ method, path: concrete }));
      expect(refused(response, 404).message).toContain('There is no such route');
    }
});

describe('a query', () => {
  test.each([
    ['?extra=1', 'extra'],
    ['?accountId=', 'accountId'],
    ['?__proto__=x', '__proto__'],
  ])('is refused when it has a parameter that the route does not have: %s', async (query, name) => {
    const response = await first.raw({
      method: 'GET',
      path: `/order/v1/banking/subscriptions/${randomUUID()}${query}`,
    });
    refused(readErrorResponse(GetSubscription, response), 400, [`${name}:UNKNOWN_FIELD`]);
  });
});

test.each(['%20a', 'a%20', '%E2%80%8Ba', 'a%C2%AD', '%E2%80%AEa', '%C2%85'])(
  'an external id with invisible characters is refused in the query: %s',
  async (externalId) => {
    const response = await first.raw({
      method: 'GET',
      path: `/order/v1/banking/order-payins/${randomUUID()}?externalId=${externalId}`,
    });
    refused(readErrorResponse(GetPayIn, response), 400, ['externalId:INVALID_FORMAT']);
  },
);

test('a query parameter that is sent twice is reported as one issue', async () => {
  const response = await first.raw({
    method: 'GET',
    path: `/order/v1/banking/order-payins/${randomUUID()}?externalId=a&externalId=%20`,
  });
  const { details } = refused(readErrorResponse(GetPayIn, response), 400, ['externalId:UNKNOWN_FIELD']);
  expect(details[0]?.description).toContain('more than once');
});

describe('a path', () => {
  test.each(['%zz', '%', '%c0%af', '%00', 'a%2fb', 'not-a-uuid', '%20', 'x'.repeat(4000)])(
    'is refused or not found when its id is %s',
    async (id) => {
      const response = await first.raw({ method: 'GET', path: `/order/v1/banking/subscriptions/${id}` });
      expect([400, 404]).toContain(readError(response).status);
    },
  );

  test('finds an id in capital letters', async () => {
    const { body } = await first.call(CreateSubscription, { body: journey2(accountId) });
    const found = await first.call(GetSubscription, { params: { id: body.id.toUpperCase() } });
    expect(found.body.id).toBe(body.id);
  });
});

describe('bytes that are not an HTTP request', () => {
  test.each([
    ['one line of text', 'hello\r\n\r\n'],
    ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc'],
    ['a request with a space in its method', 'GET GET / HTTP/1.1\r\n\r\n'],
    [
      'a request with two different lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    ],
    [
      'a request with a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a request with a header of a megabyte', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    ['a request with a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: value\r\n\r\n'],
  ])('are refused, and the service answers the next request, when they are %s', async (_what, bytes) => {
    const response = await sendBytes(environment.baseUrl, Buffer.from(bytes, 'latin1'));
    expect(response).not.toMatch(/^HTTP\/1\.1 [25]/);
    expect(response).not.toContain('node:');
    await first.refused(GetSubscription, { params: { id: randomUUID() } });
  });
});
