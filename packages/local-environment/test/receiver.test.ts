import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '@banking-order/cdk-local';
import { listen } from '@banking-order/cdk-local';
import { createInboxes } from '#local-environment/receiver/inboxes.ts';
import { createReceiver } from '#local-environment/receiver/routes.ts';
import type { Signer } from '#local-environment/receiver/signatures.ts';
import { judge } from '#local-environment/receiver/signatures.ts';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';

const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
const [currentSecret, old, otherCompanySecret] = [secretOf(1), secretOf(2), secretOf(3)];
const signers: Signer[] = [
  { companyId: 'c-0', name: 'Zero', secrets: { current: otherCompanySecret } },
  { companyId: 'c-1', name: 'Ação', secrets: { current: currentSecret, previous: old } },
];
const body = '{"event":"ORDER-PAYIN.PAID","description":"pão"}';

function signed(secrets: { current: string; previous?: string }, at = Date.now(), id = 'n-1'): Record<string, string> {
  const headers = signatureHeaders({ id, at: new Date(at).toISOString(), body, secrets });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

let server: Awaited<ReturnType<typeof listen>>;
let secretsRead = 0;
beforeAll(async () => {
  server = await listen(0);
  const none = () => Promise.reject(new Error('A request of the receiver came to the API.'));
  const secrets = () => {
    secretsRead += 1;
    return Promise.resolve(signers);
  };
  server.serve({ handle: none, refuse: none as unknown as Gateway['refuse'] }, [
    createReceiver({ baseUrl: server.baseUrl, secrets }),
  ]);
});
afterAll(() => server.stop());

type View = {
  url: string;
  replies: unknown[];
  received: {
    path: string;
    call: number;
    bytes: string;
    body: string;
    verified: boolean;
    company: unknown;
    signatures: Record<string, string>;
    reply: unknown;
    headers: Record<string, string>;
    webhookId: string | null;
  }[];
};
const ask = async (method: string, path: string, sent?: unknown): Promise<{ status: number; view: View }> => {
  const response = await fetch(`${server.baseUrl}/receiver${path}`, {
    method,
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
  return { status: response.status, view: (await response.json()) as View };
};
const post = (path: string, headers: Record<string, string> = {}, deadlineMs = 5000) =>
  fetch(`${server.baseUrl}/receiver${path}`, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(deadlineMs),
  });

describe('the receiver', () => {
  test('accepts notifications for any inbox name, and shows their exact bytes and whose signature they have', async () => {
    const taken = await post('/shop/orders?of=1', signed({ current: currentSecret, previous: old }));
    expect([taken.status, await taken.json()]).toEqual([200, { returnCode: 'SUCCESS' }]);
    const { view } = await ask('GET', '/shop');
    expect(view.url).toBe(`${server.baseUrl}/receiver/shop`);
    expect(view.received).toHaveLength(1);
    const [one] = view.received;
    expect(one).toMatchObject({
      path: '/receiver/shop/orders?of=1',
      webhookId: 'n-1',
      call: 1,
      verified: true,
      body,
      company: { companyId: 'c-1', name: 'Ação' },
    });
    expect(Buffer.from(one?.bytes ?? '', 'base64').toString()).toBe(body);
    expect(one?.signatures).toEqual({
      'X-Signature-SHA256': 'VALID',
      'X-Signature-SHA256-Previous': 'VALID',
      'webhook-signature': 'VALID',
    });
    const looked = secretsRead;
    await post('/shop', signed({ current: currentSecret }));
    expect(secretsRead).toBe(looked);
  });

  test('gives the n-th call of each notification the n-th reply, later ones the last', async () => {
    const replies = [{ status: 500, body: 'no' }, { redirect: 'https://example.com/else' }, { status: 204 }];
    expect((await ask('PUT', '/moody', { replies })).view.replies).toEqual(replies);
    const calls = async (id: string) => {
      const statuses: number[] = [];
      for (let call = 0; call < 4; call += 1) statuses.push((await post('/moody', { 'webhook-id': id })).status);
      return statuses;
    };
    expect([await calls('a'), await calls('b')]).toEqual([
      [500, 302, 204, 204],
      [500, 302, 204, 204],
    ]);
    const { view } = await ask('GET', '/moody');
    expect(view.received.map(({ webhookId, call, reply }) => [webhookId, call, reply])).toEqual(
      ['a', 'b'].flatMap((id) => [1, 2, 3, 4].map((call) => [id, call, replies[Math.min(call, 3) - 1]])),
    );
  });

  test('is slow, hangs and breaks the connection when its script demands it', async () => {
    await ask('PUT', '/bad', { replies: [{ slow: 120 }, { hang: true }, { reset: true }] });
    const call = () =>
      post('/bad', { 'webhook-id': 'x' }, 400).then(
        ({ status }) => status,
        (error: unknown) => (error as Error).name,
      );
    const began = performance.now();
    expect(await call()).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(100);
    expect([await call(), await call()]).toEqual(['TimeoutError', 'TypeError']);
    expect((await ask('GET', '/bad')).view.received).toHaveLength(3);
  });

  test('answers a waiting read when the wanted notifications are received or the wait is over', async () => {
    const asked = ask('GET', '/slowly?wait=5&count=2');
    await post('/slowly');
    await post('/slowly');
    expect((await asked).view.received).toHaveLength(2);
    expect((await ask('GET', '/slowly?wait=0.1&count=3')).view.received).toHaveLength(2);
    expect((await ask('GET', '/slowly?wait=x&count=y')).view.received).toHaveLength(2);
  });

  test('deletes one inbox with its script, and no other inbox', async () => {
    await ask('PUT', '/short', { replies: [{ status: 503 }] });
    await post('/short');
    await post('/other');
    expect((await ask('DELETE', '/short')).view).toMatchObject({ received: [], replies: [{ status: 200 }] });
    expect((await post('/short')).status).toBe(200);
    expect((await ask('GET', '/other')).view.received).toHaveLength(1);
    const { view } = await ask('GET', '');
    expect((view as unknown as { inboxes: string[] }).inboxes).toContain(`${server.baseUrl}/receiver/other`);
  });

  test.each([
    [{ replies: [] }, 'replies', 'TOO_SHORT'],
    [{ replies: [{}] }, 'replies.0', 'INVALID_VALUE'],
    [{ replies: [{ status: 200 }, { hang: true, reset: true }] }, 'replies.1', 'INVALID_VALUE'],
    [{ replies: [{ hang: true, body: 'late' }] }, 'replies.0', 'INVALID_VALUE'],
    [{ replies: [{ status: 99 }] }, 'replies.0.status', 'OUT_OF_RANGE'],
    [{ replies: [{ hang: false }] }, 'replies.0.hang', 'INVALID_VALUE'],
    [{ replies: [{ redirect: 'https://a b' }] }, 'replies.0.redirect', 'INVALID_FORMAT'],
    [{ answers: [] }, 'replies', 'REQUIRED'],
  ])('names what is wrong with a script: %j', async (script, field, issue) => {
    const { status, view } = await ask('PUT', '/wrong', script);
    expect(status).toBe(400);
    expect((view as unknown as { details: unknown[] }).details).toContainEqual(
      expect.objectContaining({ field, issue }),
    );
    expect((await ask('GET', '/wrong')).view.replies).toEqual([{ status: 200, body: '{"returnCode":"SUCCESS"}' }]);
  });

  test('responds with 404 when method or path is unknown', async () => {
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', '/shop/orders'],
      ['PATCH', '/shop'],
      ['PUT', ''],
    ] as const)
      expect((await ask(method, path)).status).toBe(404);
  });
});

describe('the verdict on a notification', () => {
  const raw = Buffer.from(body);
  const at = Date.parse('2026-01-15T12:00:00Z');
  const verdict = (headers: Record<string, string>, bytes = raw, now = at) =>
    judge({ headers, raw: bytes, at: now }, signers);

  test('is bad and names no company when the bytes were changed', () => {
    const judgement = verdict(signed({ current: currentSecret }, at), Buffer.from(body.replace('pão', 'pao')));
    expect(judgement).toMatchObject({ verified: false, company: null });
    expect(judgement.signatures['X-Signature-SHA256']).toBe('INVALID');
  });

  test('is bad for bytes that only decode to the signed text', () => {
    const replaced = createHmac('sha256', currentSecret)
      .update(Buffer.from([0xff]).toString('utf8'))
      .digest('hex');
    const headers = { 'x-signature-sha256': `sha256=${replaced}` };
    expect(verdict(headers, Buffer.from([0xff])).verified).toBe(false);
    expect(verdict(headers, Buffer.from('\uFFFD')).signatures['X-Signature-SHA256']).toBe('VALID');
  });

  test('is bad when it is older than five minutes, although the other scheme holds', () => {
    const headers = signed({ current: currentSecret }, at);
    expect(verdict(headers, raw, at + 299_000).verified).toBe(true);
    expect(verdict(headers, raw, at + 301_000)).toMatchObject({
      verified: false,
      company: { companyId: 'c-1' },
      signatures: { 'X-Signature-SHA256': 'VALID', 'webhook-signature': 'INVALID' },
    });
  });

  test('is bad when the previous or an unknown secret signs as the current one', () => {
    expect(verdict(signed({ current: old }, at)).verified).toBe(false);
    expect(verdict(signed({ current: secretOf(9) }, at))).toMatchObject({ verified: false, company: null });
  });

  test('is ABSENT for each signature when the notification has none', () => {
    expect(Object.values(verdict({}).signatures)).toEqual(['ABSENT', 'ABSENT', 'ABSENT']);
  });
});

test('inboxes keep no more than they may, and the oldest goes first', () => {
  const inboxes = createInboxes({ requests: 3, bytes: 10, scripts: 1 });
  const judgement = judge({ headers: {}, raw: Buffer.of(), at: 0 }, []);
  const come = (inbox: string, text: string) =>
    inboxes.take({ inbox, at: 0, path: '/', headers: {}, raw: Buffer.from(text), judgement });
  const kept = () => ['a', 'b'].flatMap((inbox) => inboxes.receivedBy(inbox)).map(({ raw }) => raw.toString());
  for (const text of ['1', '2', '3', '4']) come('a', text);
  expect(kept()).toEqual(['2', '3', '4']);
  come('b', '12345678');
  expect(kept()).toEqual(['3', '4', '12345678']);
  come('b', '12345678901');
  expect(kept()).toEqual([]);
  come('b', '9');
  expect(kept()).toEqual(['9']);
  expect([inboxes.script('a', [{ hang: true }]), inboxes.script('b', [{ hang: true }])]).toEqual([true, false]);
});
