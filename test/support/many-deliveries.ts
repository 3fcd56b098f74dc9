import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAddresses } from '#infra/operator/local-environment.ts';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { registryItem } from '#shared/platform/company.ts';
import type { Notification, NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import { deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';

/** The table of a local environment that runs on this folder: notifications come into it as transitions write them. */
export function tableOf(folder: string): Store {
  const { dynamodb: endpoint, tableName, region } = readAddresses(folder);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
  return dynamoStore({ client, tableName });
}

/** A company with its endpoint of pay-ins, as far as its notifications need one. */
export async function givenCompany(store: Store, endpoint: string): Promise<string> {
  const companyId = randomUUID();
  const at = instantFromEpochMs(Date.now());
  const none = newWebhookSettings({ id: randomUUID(), companyId, organizationId: randomUUID(), at });
  const { settings } = replaceEndpoints(none, [{ type: 'PAYIN', endpoint }], at);
  const current = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const secret = webhookSecretItem({ companyId, current, createdAt: at, version: 1 });
  const puts = [registryItem(companyId), webhookSettingsItem(settings), secret].map((put) => ({ put }));
  await store.write(puts, randomUUID());
  return companyId;
}

function notificationOf(id: string, target: NotificationTarget, order: string): Notification {
  const createdAt = instantFromEpochMs(Date.now());
  const body = JSON.stringify({ id, createdAt });
  const resource = { type: 'PAY_IN', id: order } as const;
  return { id, event: 'ORDER-PAYIN.PAID', resource, target, body, createdAt, requestId: randomUUID() };
}

/** A transition that notifies. @returns the id of its delivery */
export async function notify(
  store: Store,
  companyId: string,
  target: NotificationTarget = { type: 'PAYIN' },
  order: string = randomUUID(),
): Promise<string> {
  const id = randomUUID();
  await store.write(deliveryInserts(companyId, notificationOf(id, target, order)), randomUUID());
  return id;
}

/** One transition that notifies so often, 20 at most. @returns the ids of its deliveries */
export async function notifyAtOnce(
  store: Store,
  companyId: string,
  count: number,
  targetOf: (place: number) => NotificationTarget = () => ({ type: 'PAYIN' }),
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const inserts = ids.flatMap((id, place) =>
    deliveryInserts(companyId, notificationOf(id, targetOf(place), randomUUID())),
  );
  await store.write(inserts, randomUUID());
  return ids;
}

/** So many notifications each second, evenly; ids in their order. */
export async function notifySteadily(
  rate: { readonly perSecond: number; readonly seconds: number },
  one: (place: number) => Promise<string>,
): Promise<readonly string[]> {
  const startedAt = Date.now();
  const notifications = Array.from({ length: rate.perSecond * rate.seconds }, async (_, place) => {
    await sleep(startedAt + (1000 * place) / rate.perSecond - Date.now());
    return one(place);
  });
  return Promise.all(notifications);
}

/** The response of a receiver to a call: a status after a while, or none. */
type Temper = { readonly status: number; readonly afterMs: number } | 'hangs';
type Arrival = { readonly id: string; readonly path: string; readonly at: number; readonly waitedMs: number };
export type CountingReceiver = Awaited<ReturnType<typeof startCountingReceiver>>;

/** A receiver that only notes when calls begin: as light as can be, for thousands. */
export async function startCountingReceiver() {
  const arrivals: Arrival[] = [];
  const came = new Set<string>();
  let temperOf: (path: string) => Temper = () => ({ status: 200, afterMs: 0 });
  const server = createServer((request, response) => {
    const { url: path = '', headers } = request;
    const chunks: Buffer[] = [];
    const at = Date.now();
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { createdAt } = JSON.parse(Buffer.concat(chunks).toString()) as { createdAt: string };
      const id = String(headers['webhook-id']);
      arrivals.push({ id, path, at, waitedMs: at - Date.parse(createdAt) });
      came.add(id);
      const behaviour = temperOf(path);
      if (behaviour !== 'hangs') setTimeout(() => response.writeHead(behaviour.status).end('{}'), behaviour.afterMs);
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    arrivals,
    /** From now on each path answers so. */
    behave: (behaviour: (path: string) => Temper): void => {
      temperOf = behaviour;
    },
    /** Waits until all of these have come. @throws Error with how many are missing */
    until: async (ids: readonly string[], withinMs: number): Promise<readonly Arrival[]> => {
      const deadline = Date.now() + withinMs;
      const wanted = new Set(ids);
      for (;;) {
        const missing = ids.filter((id) => !came.has(id)).length;
        if (missing === 0) return arrivals.filter(({ id }) => wanted.has(id));
        if (Date.now() > deadline) throw new Error(`${missing} of ${ids.length} notifications did not come.`);
        await sleep(50);
      }
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** A name server: names that begin with `silent` are never answered, all others are this machine. */
export async function startNameServer() {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    // One question follows the header of 12 bytes (RFC 1035, 4.1): the first label tells.
    const label = question.subarray(13, 13 + (question[12] ?? 0)).toString();
    if (label.startsWith('silent')) return;
    const end = question.indexOf(0, 12) + 5;
    const isIpv4 = question[end - 3] === 1;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(isIpv4 ? 1 : 0, 6);
    header.fill(0, 8);
    const response = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);
    socket.send(Buffer.concat([header, question.subarray(12, end), ...(isIpv4 ? [response] : [])]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() };
}

/** Of a hundred, the slowest but one. */
export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Infinity;
}
