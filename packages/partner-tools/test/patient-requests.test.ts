import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sendPatiently } from '#partner-tools/api/http.ts';

/** A service that answers 503 so many times, then 201. */
let refusals: number;
let calls: number;
const server = createServer((_request, response) => {
  calls += 1;
  response.writeHead(calls <= refusals ? 503 : 201).end('{}');
});
let baseUrl: string;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  [refusals, calls] = [2, 0];
});
afterAll(() => {
  server.close();
});

test.each([
  ['with an idempotency key', { method: 'POST', headers: { 'idempotency-key': 'k' } }, 201, 3],
  ['that reads', { method: 'GET' }, 201, 3],
  ['without a key', { method: 'POST' }, 503, 1],
])(
  'a request %s is sent until it is not answered with 503, if that cannot do it twice',
  async (_what, sent, status, times) => {
    expect((await sendPatiently(baseUrl, { path: '/', ...sent })).status).toBe(status);
    expect(calls).toBe(times);
  },
);

test('a request is sent five times at most', async () => {
  refusals = 9;
  expect((await sendPatiently(baseUrl, { path: '/', method: 'GET' })).status).toBe(503);
  expect(calls).toBe(5);
});
