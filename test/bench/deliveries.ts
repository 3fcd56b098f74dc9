import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { connectTarget } from '#infra/operator/target.ts';
import { deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import { brl, payout } from '#test/acceptance/samples.ts';
import { partnerOf } from '#test/support/client.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';
import type { Posted, Posts } from './floor/signed-posts.ts';
import { inParallel } from './load.ts';
import type { Table } from './page.ts';
import { median, rounded } from './page.ts';

const connections = 10;
const withinMs = 120_000;
/** Posts of the floor for each delivery: a post is fast, and a short measurement is noise. */
const postsADelivery = 5;

/** Deliveries of one transaction of the table. */
const atOnce = 20;

type Round = {
  readonly perSecond: number;
  readonly notifierMs: number;
  readonly fromTable: number;
  readonly floor: Posted;
};

/**
 * Tables 3 and 5: payouts become paid through HTTP in a local environment, until the last notification arrived; then as
 * many deliveries are written into its table, without the API. The floor signs and posts as many bytes to the same
 * receiver, in a process of its own, right after each round.
 */
export async function measureDeliveries(
  folder: string,
  { rounds, count }: { readonly rounds: number; readonly count: number },
): Promise<{ readonly notifier: Table; readonly deliveries: Table }> {
  await using ends = new AsyncDisposableStack();
  const local = await startLocalProcess({ folder: join(folder, 'local'), retryDelaysSeconds: '1,1,1,1' });
  ends.defer(local.stop);
  const { processId } = z
    .object({ processId: z.int() })
    .parse(JSON.parse(readFileSync(join(local.folder, 'endpoints.json'), 'utf8')));
  const receiver = await startReceiver();
  ends.defer(receiver.stop);
  const [company] = local.sandbox.companies;
  const partner = partnerOf(local.sandbox, company);
  const events = [{ type: 'PAYOUT' as const, endpoint: `${receiver.url}/payouts` }];
  await partner.call(ReplaceWebhookSettings, { body: { events } });
  const allArrived = async (ids: readonly string[]): Promise<number> => {
    const started = performance.now();
    while (!ids.every((id) => receiver.orders.has(id))) {
      if (performance.now() - started > withinMs) throw new Error('Not every notification arrived in time.');
      await sleep(5);
    }
    return performance.now();
  };
  const { store } = connectTarget({ localDir: local.folder }, process.env);
  /** The end of the way alone: stream, relay, queue, notifier. */
  const deliverFromTable = async (count: number): Promise<number> => {
    const ids = Array.from({ length: count }, () => crypto.randomUUID());
    const started = performance.now();
    await inParallel(connections, Math.ceil(count / atOnce), async (place) => {
      const writes = ids.slice(place * atOnce, (place + 1) * atOnce).flatMap((id) =>
        deliveryInserts(company.companyId, {
          ...{ id, event: 'ORDER-PAYOUT.PAID', resource: { type: 'PAYOUT', id }, target: { type: 'PAYOUT' } },
          ...{
            body: JSON.stringify({ id, text: 'x'.repeat(900) }),
            requestId: id,
            createdAt: new Date().toISOString(),
          },
        }),
      );
      await store.write(writes, crypto.randomUUID());
    });
    return count / (((await allArrived(ids)) - started) / 1000);
  };
  const deliver = async (payouts: number): Promise<Omit<Round, 'floor' | 'fromTable'>> => {
    const ids: string[] = [];
    const body = () => payout(company.accounts[0]?.id ?? '', { amount: brl('0.01') });
    await inParallel(connections, payouts, async () => {
      ids.push((await partner.call(CreatePayout, { body: body() })).body.id);
    });
    const started = performance.now();
    const before = notifierCpuMs(processId);
    await inParallel(connections, ids.length, async (place) => {
      await partner.call(ForceOrderStatus, { body: { id: ids[place] ?? '', status: 'PAID' } });
    });
    const seconds = ((await allArrived(ids)) - started) / 1000;
    return { perSecond: payouts / seconds, notifierMs: (notifierCpuMs(processId) - before) / payouts };
  };
  // Functions start, and the engine compiles what is hot.
  await deliver(Math.ceil(count / 4));
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1)
    measured.push({
      ...(await deliver(count)),
      fromTable: await deliverFromTable(count),
      floor: await postAlone(receiver.url, postsADelivery * count),
    });
  return tablesOf(measured);
}

function tablesOf(rounds: readonly Round[]): { readonly notifier: Table; readonly deliveries: Table } {
  const compare = (
    unit: string,
    floor: (one: Round) => number,
    rows: Readonly<Record<string, (one: Round) => number>>,
  ): Table => {
    const least = median(rounds.map(floor));
    const values = Object.entries(rows).map(([name, own]) => [name, median(rounds.map(own))] as const);
    return [
      ['What', unit, 'Ratio to floor'],
      ['floor: only signed POSTs', rounded(least), 1],
      ...values.map(([name, value]) => [name, rounded(value), rounded(value / least)]),
    ];
  };
  return {
    notifier: compare('CPU per delivery, ms', ({ floor }) => floor.cpuMs, { service: ({ notifierMs }) => notifierMs }),
    deliveries: compare('per second', ({ floor }) => floor.perSecond, {
      service: ({ perSecond }) => perSecond,
      'service, starting at its table': ({ fromTable }) => fromTable,
    }),
  };
}

/** CPU of the notifier's threads in the local environment, milliseconds: `proc(5)`, names have fifteen characters. */
function notifierCpuMs(processId: number): number {
  const folder = `/proc/${processId}/task`;
  return readdirSync(folder)
    .filter((thread) => readFileSync(join(folder, thread, 'comm'), 'utf8').startsWith('DeliverNotif'))
    .map((thread) => Number(readFileSync(join(folder, thread, 'schedstat'), 'utf8').split(' ')[0]) / 1_000_000)
    .reduce((sum, ms) => sum + ms, 0);
}

/** A receiver that acknowledges immediately, and keeps the orders that it is notified of. */
async function startReceiver() {
  const orders = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, id] = /"(?:id|orderId)":"([0-9a-f-]{36})"/u.exec(Buffer.concat(chunks).toString('utf8')) ?? [];
      if (id !== undefined) orders.add(id);
      response.end('{"returnCode":"SUCCESS"}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, orders, stop };
}

async function postAlone(url: string, count: number): Promise<Posted> {
  const poster = fork(fileURLToPath(import.meta.resolve('./floor/signed-posts.ts')));
  poster.send({ url: `${url}/floor`, count, connections } satisfies Posts);
  const [posted] = (await once(poster, 'message')) as [Posted];
  poster.disconnect();
  return posted;
}
