import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { verify } from './verify.ts';

/**
 * A whole payment, from the token to the refund, with Node alone (20 or newer).
 *
 *   . docs/samples/environment.sh
 *   npm run sample               the payment
 *   npm run sample -- receive    the receiver alone, for npm run check-receiver
 *
 * Node 24 runs TypeScript as it is. For Node 20 compile it first, or write the same in JavaScript.
 */

const port = Number(process.env['RECEIVER_PORT'] ?? 4000);
const receiverUrl = process.env['RECEIVER_URL'] ?? `http://127.0.0.1:${port}/notifications`;

type Notification = { readonly event: string; readonly id: string; readonly refundId?: string };

// 1. The token. Keep it until shortly before it expires: a token for each call costs you a call each time.

let kept = { token: '', until: 0 };

async function token(): Promise<string> {
  if (Date.now() < kept.until) return kept.token;
  const response = await fetch(setting('TOKEN_URL'), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: setting('CLIENT_ID'),
      client_secret: setting('CLIENT_SECRET'),
      scope: setting('SCOPE'),
    }),
  });
  if (!response.ok) throw new Error(`The token endpoint answered ${response.status}: ${await response.text()}`);
  const { access_token, expires_in } = (await response.json()) as { access_token: string; expires_in: number };
  kept = { token: access_token, until: Date.now() + (expires_in - 60) * 1000 };
  return access_token;
}

// 2. A call. After 429, 503 and 504, and when the connection broke, nobody knows whether the request took effect. Send
//    the same request with the SAME idempotency key again: it cannot happen twice. A new key would pay twice.

type Request = { readonly body?: object; readonly key?: string };

const attemptsAtMost = 5;

async function call(method: string, path: string, { body, key }: Request = {}): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(setting('BASE_URL') + path, {
      method,
      headers: {
        authorization: `Bearer ${await token()}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch((error: unknown) => {
      if (attempt === attemptsAtMost) throw error;
      return undefined;
    });
    if (response?.ok) return await response.json();
    const again = response === undefined || [429, 503, 504].includes(response.status);
    // `details` names every faulty field: write it to your log.
    if (!again || attempt === attemptsAtMost)
      throw new Error(`${method} ${path} was answered ${String(response?.status)}: ${String(await response?.text())}`);
    await sleep(1000 * Number(response?.headers.get('retry-after') ?? 0.5 * 2 ** attempt));
  }
}

// 3. The receiver. Verify the raw bytes, keep the notification, answer, and only then work: what you answer with 2xx is
//    not sent again, and an answer after ten seconds is none.

/** Ids received. In your system: a table keyed by the id, written before the response is sent. */
const seen = new Set<string>();
const received: Notification[] = [];

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  // Of web frameworks: express.raw({ type: 'application/json' }), not express.json(), which loses the bytes.
  const raw = Buffer.concat(chunks);
  const verdict = verify(raw, request.headers, setting('WEBHOOK_SECRET'));
  if (!verdict.genuine) {
    console.log(`refused          ${verdict.because}`);
    response.writeHead(401).end();
    return;
  }
  // The same webhook-id is the same notification: it can arrive twice, and be resent.
  if (!seen.has(verdict.id)) {
    seen.add(verdict.id);
    // Fields may be added: read those that you know, and leave the others alone.
    received.push(JSON.parse(raw.toString('utf8')) as Notification);
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"returnCode":"SUCCESS"}');
}

/** Notifications can overtake each other, so wait for the one that is meant, not for the next. */
async function notified(event: string, id: string): Promise<Notification> {
  for (let looks = 0; looks < 600; looks++) {
    const found = received.find((one) => one.event === event && one.id === id);
    if (found) return found;
    await sleep(100);
  }
  throw new Error(`${event} did not come. GET /order/v1/webhook/deliveries says why.`);
}

// 4. The payment.

async function pay(): Promise<void> {
  const events = ['PAYIN', 'PAYIN_REFUND'].map((type) => ({ type, endpoint: receiverUrl }));
  await call('PUT', '/order/v1/webhook', { body: { events } });
  console.log(`receiver         ${receiverUrl}`);

  const order = (await call('POST', '/order/v1/banking/order-payins', {
    // Write the key down with the order, before the call: after a crash you repeat the call with the same key.
    key: randomUUID(),
    body: {
      externalId: `sample-${randomUUID()}`,
      accountId: setting('ACCOUNT_ID'),
      // Amounts are texts: 29.90 as a binary fraction is not 29.90.
      amount: { currency: 'BRL', value: '29.90' },
      description: 'Café da manhã',
      payer: { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } },
    },
  })) as { id: string; status: string; qrcodeData: string };
  console.log(`pay-in           ${order.id} ${order.status}`);
  console.log(`QR code          ${order.qrcodeData}`);

  // Your customer pays in their bank's app. Here the simulation tool plays the bank.
  await call('PUT', '/order-tools/v1/order/status', { body: { id: order.id, status: 'PAID' } });
  await notified('ORDER-PAYIN.PAID', order.id);
  console.log('paid             ORDER-PAYIN.PAID came, and its signature is good');

  const refund = (await call('POST', `/order/v1/banking/order-payins/${order.id}/refunds`, {
    key: randomUUID(),
    body: { description: 'Pedido cancelado' },
  })) as { refundId: string; status: string };
  console.log(`refund           ${refund.refundId} ${refund.status}`);

  await call('PUT', '/order-tools/v1/order/status', { body: { id: order.id, status: 'REFUNDED' } });
  const { refundId } = await notified('ORDER-PAYIN.REFUNDED', order.id);
  if (refundId !== refund.refundId) throw new Error(`Another refund was told of: ${String(refundId)}.`);
  console.log('refunded         ORDER-PAYIN.REFUNDED came, and its signature is good');
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: . docs/samples/environment.sh`);
  return value;
}

const server = createServer((request, response) => void receive(request, response));
server.listen(port, '127.0.0.1', () => {
  console.log('listening        ready for notifications');
  if (process.argv[2] === 'receive') return;
  pay().then(
    () => server.close(),
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exit(1);
    },
  );
});
