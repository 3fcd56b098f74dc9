import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestBank, tokenOf } from './open-bank.ts';

/** The claims of a token, if Node alone takes its signature. */
function claimsOf(token: string, key: KeyObject): unknown {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const isTrue = verify(
    'sha512',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return isTrue ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : undefined;
}
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

test('a webhook is signed over the bytes that are sent, at its sending, for the client of its address', async () => {
  const { webhooks, control, publicKey, apiClientKey, address } = openTestBank();
  await control('pay', { amount: 100, times: 2 });
  await expect.poll(() => webhooks.length).toBe(2);
  for (const { url, text, headers } of webhooks) {
    expect(url).toBe(address);
    expect(headers['API-CLIENT-KEY']).toBe(apiClientKey);
    expect(claimsOf(headers['AUTHORIZATION']!, publicKey)).toEqual({
      payload_md5: md5(text),
      timestamp: '2026-03-02T15:00:00.000000Z',
      method: 'POST',
      uri: '/webhooks/qi?token=1',
    });
  }
});

test('webhooks come doubled, late, never, again when they are refused, and at a new address', async () => {
  const { webhooks, control, bank, answerWebhooks } = openTestBank();
  await control('callbacks', { copies: 3 });
  await control('pay', { amount: 100 });
  await expect.poll(() => webhooks.length).toBe(3);
  expect(new Set(webhooks.map(({ text }) => text)).size).toBe(1);
  await control('callbacks', { none: true });
  await control('pay', { amount: 100 });
  await control('callbacks', { delayMs: 60_000 });
  await control('pay', { amount: 200 });
  expect(bank.callbacks.waiting()).toBe(1);
  expect(webhooks).toHaveLength(3);
  answerWebhooks(500);
  await control('callbacks', { retryMs: [60_000] });
  await control('hurry');
  await expect.poll(() => webhooks.length).toBe(4);
  expect(bank.callbacks.waiting()).toBe(1);
  answerWebhooks(200);
  await control('webhook', { url: 'https://service.example/new' });
  await expect.poll(() => webhooks.length).toBe(5);
  expect(webhooks.at(-1)).toMatchObject({ url: 'https://service.example/new', body: { data: { transfer_amount: 2 } } });
  await expect.poll(() => bank.callbacks.waiting()).toBe(0);
  await control('webhook', { url: '' });
  await control('pay', { amount: 100 });
  expect(bank.callbacks.waiting()).toBe(0);
  expect((await control('callbacks')).retryMs).toEqual(
    [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * 60_000),
  );
});

test('a response is signed over its bytes, or not by the setting', async () => {
  const { call, control, publicKey, account } = openTestBank();
  const path = `/account/${account}?x=1`;
  const answer = async () => {
    const reply = await call('GET', path);
    return reply.is === 'ANSWER' ? reply.response : undefined;
  };
  const { body, headers } = (await answer())!;
  expect(claimsOf(headers!['AUTHORIZATION']!, publicKey)).toMatchObject({
    payload_md5: md5(body as string),
    method: 'GET',
    uri: path,
  });
  await control('settings', { signsResponses: false });
  expect((await answer())!.headers).toBeUndefined();
});

test("requests are refused with the bank's errors for a key or token that is missing or wrong", async () => {
  const { call, apiClientKey, clientKey, account, now, control } = openTestBank();
  const target = `/account/${account}`;
  const token = tokenOf(clientKey, { method: 'GET', uri: target, body: '{}' }, now());
  const ask = async (headers: Record<string, string>) => {
    const reply = await call('GET', target, undefined, headers);
    const { status, body } = reply.is === 'ANSWER' ? reply.response : { status: 0, body: '{}' };
    const read = (typeof body === 'string' ? JSON.parse(body) : body) as Record<string, string>;
    return [status, read['code'] ?? read['account_key']];
  };
  expect(await ask({ authorization: token, 'api-client-key': apiClientKey })).toEqual([200, account]);
  expect(await ask({ authorization: token })).toEqual([400, 'GDF000003']);
  expect(await ask({ authorization: token, 'api-client-key': account })).toEqual([404, 'GDF000018']);
  expect(await ask({ 'api-client-key': apiClientKey })).toEqual([401, 'GDF000014']);
  const bearer = { authorization: `Bearer ${token}`, 'api-client-key': apiClientKey };
  expect(await ask(bearer)).toEqual([401, 'GDF000014']);
  const other = generateKeyPairSync('ec', { namedCurve: 'secp521r1' });
  await control('public-key', { public_key: other.publicKey.export({ type: 'spki', format: 'pem' }) });
  expect(await ask({ authorization: token, 'api-client-key': apiClientKey })).toEqual([401, 'GDF000014']);
});

test('the test of signatures answers as on its page, an unknown path with 404, no JSON with 753', async () => {
  const { api, apiClientKey } = openTestBank();
  expect(await api('GET', '/test')).toEqual({ status: 200, body: { success: 'Congrats!' } });
  const said = { name: 'QI Tech' };
  expect((await api('POST', `/test/${apiClientKey}`, said)).body).toEqual({ ...said, success: 'Congrats!' });
  expect(await api('GET', '/baas/none')).toMatchObject({ status: 404, body: { code: 'QIT000404' } });
  expect(await api('POST', '/test', '{')).toMatchObject({ status: 753, body: { code: 'QIT000753' } });
});
