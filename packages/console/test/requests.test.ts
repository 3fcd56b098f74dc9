import { expect, test } from 'vitest';
import type { Exchange } from '#console/server/requests.ts';
import { consoleAgent, createRequestLog } from '#console/server/requests.ts';
import { listenerAgent } from '@banking-order/partner-tools';

const exchange = (changes: Partial<Exchange> = {}): Exchange => ({
  at: 1_800_000_000_000,
  durationMs: 12,
  method: 'POST',
  path: '/order/v1/banking/order-payins',
  userAgent: 'curl/8',
  clientId: 'client-1',
  status: 201,
  requestId: 'r-1',
  sent: '',
  responseBody: '{}',
  ...changes,
});

test('the request log keeps a refused request with its issues, and without personal data', () => {
  const log = createRequestLog();
  const sent = {
    externalId: 'order-1',
    amount: { currency: 'BRL', value: '10.00' },
    description: 'For Maria Souza',
    payer: { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } },
    keys: ['maria@example.com', 5511999999999],
  };
  const details = [{ field: 'payer.name', issue: 'TOO_LONG', description: 'Must have at most 140 characters.' }];
  log.record(
    exchange({
      path: '/order/v1/banking/accounts?email=maria%40example.com&status=ACTIVE&fullName=Maria',
      status: 400,
      sent: JSON.stringify(sent),
      responseBody: JSON.stringify({ error: 'INVALID_REQUEST', message: 'No.', details }),
    }),
  );
  const [seen] = log.seen().requests;
  expect(seen).toMatchObject({ requestId: 'r-1', status: 400, error: 'INVALID_REQUEST', details });
  expect(seen!.path).toBe('/order/v1/banking/accounts?email=•••&status=ACTIVE&fullName=•••');
  expect(seen!.body).toEqual({
    externalId: 'order-1',
    amount: { currency: 'BRL', value: '10.00' },
    description: '•••',
    payer: { name: '•••', document: { type: 'CPF', number: '•••' } },
    keys: ['•••', '•••'],
  });
  expect(JSON.stringify(log.seen())).not.toMatch(/maria|souza|529982|5511/iu);
});

test('the request log drops the oldest requests first, and keeps the console’s own reads only when they are refused', () => {
  const log = createRequestLog(3);
  for (const requestId of ['1', '2', '3', '4']) log.record(exchange({ requestId }));
  log.record(exchange({ method: 'GET', userAgent: consoleAgent, status: 200, requestId: 'read' }));
  expect(log.seen().requests.map(({ requestId }) => requestId)).toEqual(['4', '3', '2']);
  log.record(exchange({ method: 'GET', userAgent: consoleAgent, status: 404, requestId: 'refused' }));
  log.record(exchange({ method: 'PUT', userAgent: consoleAgent, requestId: 'write' }));
  expect(log.seen().requests.map(({ requestId }) => requestId)).toEqual(['write', 'refused', '4']);
});

test('the request log leaves out a listener’s own reads unless they fail', () => {
  const log = createRequestLog();
  log.record(exchange({ method: 'GET', userAgent: listenerAgent, status: 200 }));
  log.record(exchange({ method: 'GET', userAgent: listenerAgent, status: 500, requestId: 'failed' }));
  expect(log.seen().requests.map(({ requestId }) => requestId)).toEqual(['failed']);
});

test('requests are found by client, path and status, fifty a page', () => {
  const log = createRequestLog();
  for (let at = 0; at < 60; at += 1) log.record(exchange({ requestId: `other-${at}`, clientId: 'client-2' }));
  log.record(exchange({ requestId: 'refused', status: 404, method: 'GET', path: '/order/v1/webhook' }));
  const found = (wanted: Parameters<typeof log.seen>[0]) => log.seen(wanted).requests.map(({ requestId }) => requestId);
  expect(found({ clientId: 'client-1' })).toEqual(['refused']);
  expect(found({ text: 'get /ORDER' })).toEqual(['refused']);
  expect(found({ status: '4' })).toEqual(['refused']);
  expect([found({}).length, log.seen().hasMore]).toEqual([50, true]);
  expect([found({ skip: 50 }).at(-1), log.seen({ skip: 50 }).hasMore]).toEqual(['other-0', false]);
});

test('the answer to a success is seen, masked as the request', () => {
  const log = createRequestLog();
  log.record(exchange({ responseBody: JSON.stringify({ id: 'o-1', status: 'PENDING', payer: { name: 'Maria' } }) }));
  expect(log.seen().requests[0]?.answer).toEqual({ id: 'o-1', status: 'PENDING', payer: { name: '•••' } });
});

test('ids of orders and credits are seen, a description beside them is not', () => {
  const log = createRequestLog();
  const ids = { orderId: 'o-1', creditId: 'c-1', returnId: 'r-1' };
  log.record(
    exchange({ sent: JSON.stringify({ ...ids, description: 'For Maria' }), responseBody: JSON.stringify(ids) }),
  );
  expect(log.seen().requests[0]).toMatchObject({ body: { ...ids, description: '•••' }, answer: ids });
});

test('bytes that are no JSON are seen without their body', () => {
  const log = createRequestLog();
  log.record(exchange({ status: 400, sent: '{"name": "Mar', responseBody: 'Bad Request' }));
  expect(log.seen().requests[0]).toMatchObject({ status: 400, details: [] });
  expect(log.seen().requests[0]).not.toHaveProperty('body');
});

test('a body that is nested ten thousand deep is shown to a limited depth', () => {
  const log = createRequestLog();
  log.record(exchange({ sent: `{"debtor":${'['.repeat(10_000)}${']'.repeat(10_000)}}` }));
  expect(JSON.stringify(log.seen().requests[0]?.body)).toMatch(/^\{"debtor":\[+"•••"\]+\}$/u);
});

test('errors are counted by their codes, the most frequent first, and found by them', () => {
  const log = createRequestLog();
  const refused = (error: string, at: number) =>
    exchange({ at, status: 400, responseBody: JSON.stringify({ error, message: 'No.', details: [] }) });
  for (const [error, at] of [
    ['A', 1],
    ['B', 2],
    ['B', 5],
    ['B', 4],
  ] as const)
    log.record(refused(error, at));
  log.record(exchange());
  const { errors, requests } = log.seen({ error: 'A' });
  expect(errors).toEqual([
    { error: 'B', count: 3, lastAt: 5 },
    { error: 'A', count: 1, lastAt: 1 },
  ]);
  expect(requests.map(({ error }) => error)).toEqual(['A']);
});
