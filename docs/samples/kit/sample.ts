import { connect, readNotification, type Notification } from 'banking-order-service-kit';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The payment of the other samples with the typed client: tokens, repetition and verification are the kit's.
 *
 *   npm run kit                                   in this project: packs it
 *   npm install <tarball> && npx tsc              in yours, this file in it
 *   . docs/samples/environment.sh && node sample.js
 */

const port = Number(process.env['RECEIVER_PORT'] ?? 4000);
const receiverUrl = process.env['RECEIVER_URL'] ?? `http://127.0.0.1:${port}/notifications`;

const service = connect({
  baseUrl: setting('BASE_URL'),
  tokenUrl: setting('TOKEN_URL'),
  scope: setting('SCOPE'),
  clientId: setting('CLIENT_ID'),
  clientSecret: setting('CLIENT_SECRET'),
});

/** Notifications received. In your system: a table keyed by the id, written before the response is sent. */
const received = new Map<string, Notification>();

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const reading = readNotification(Buffer.concat(chunks), request.headers, setting('WEBHOOK_SECRET'));
  if (!reading.genuine) {
    response.writeHead(401).end();
    return;
  }
  // The same id is the same notification: it can arrive twice.
  received.set(reading.id, reading.notification);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"returnCode":"SUCCESS"}');
}

type OfOrder = Extract<Notification, { id: string }>;

/** Waits for a notification of an order. */
async function notified(event: OfOrder['event'], id: string): Promise<OfOrder> {
  for (let looks = 0; looks < 600; looks++) {
    for (const one of received.values()) if (one.event === event && 'id' in one && one.id === id) return one;
    await sleep(100);
  }
  throw new Error(`${event} did not come. listWebhookDeliveries says why.`);
}

async function pay(): Promise<void> {
  const events = (['PAYIN', 'PAYIN_REFUND'] as const).map((type) => ({ type, endpoint: receiverUrl }));
  await service.replaceWebhookSettings({ body: { events } });

  const order = await service.createPayIn({
    // Write the key down with the order, before the call: after a crash you repeat the call with the same key.
    headers: { 'idempotency-key': randomUUID() },
    body: {
      externalId: `sample-${randomUUID()}`,
      accountId: setting('ACCOUNT_ID'),
      amount: { currency: 'BRL', value: '29.90' },
      description: 'Café da manhã',
      payer: { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } },
    },
  });
  console.log(`pay-in           ${order.id} ${order.status}`);
  console.log(`QR code          ${order.qrcodeData}`);

  // Your customer pays in their bank's app. Here the simulation tool plays the bank.
  await service.forceOrderStatus({ body: { id: order.id, status: 'PAID' } });
  const paid = await notified('ORDER-PAYIN.PAID', order.id);
  // By its event the compiler knows the fields of a notification.
  if (paid.event === 'ORDER-PAYIN.PAID') console.log(`payer            ${paid.payer.name}`);
  console.log('paid             ORDER-PAYIN.PAID came, and its signature is good');

  const refund = await service.refundPayIn({
    path: { id: order.id },
    headers: { 'idempotency-key': randomUUID() },
    body: { description: 'Pedido cancelado' },
  });
  console.log(`refund           ${refund.refundId} ${refund.status}`);

  await service.forceOrderStatus({ body: { id: order.id, status: 'REFUNDED' } });
  const refunded = await notified('ORDER-PAYIN.REFUNDED', order.id);
  if (refunded.event !== 'ORDER-PAYIN.REFUNDED' || refunded.refundId !== refund.refundId)
    throw new Error('Another refund was told of.');
  console.log('refunded         ORDER-PAYIN.REFUNDED came, and its signature is good');
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: . docs/samples/environment.sh`);
  return value;
}

const server = createServer((request, response) => void receive(request, response));
server.listen(port, '127.0.0.1', () => {
  pay().then(
    () => server.close(),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
