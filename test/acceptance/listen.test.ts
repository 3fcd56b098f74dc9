import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { ResendDelivery } from '#functions/webhooks/resend-delivery/contract.ts';
import type { Inbox } from '#infra/partner/receiver/receiver.ts';
import { signatureFaults } from '#infra/partner/receiver/signatures.ts';
import { hang } from '../support/misbehaving.ts';
import { isAbout } from './notifications.ts';
import { activeAccount, environment, eventually, first, useReceiver } from './partners.ts';
import { payIn } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const script = fileURLToPath(new URL('../../infra/kit/command.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-listen-'));
const file = join(folder, 'sandbox.json');
const newInbox = useReceiver();
const running = new Set<ChildProcess>();
let endpoint: Inbox;

beforeAll(async () => {
  const { baseUrl, tokenUrl, scope, companies } = environment;
  writeFileSync(file, JSON.stringify({ baseUrl, tokenUrl, scope, companies }));
  endpoint = newInbox('endpoint');
  await sendEverythingTo(first, endpoint);
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Listener = {
  /** What it said when it began. */
  readonly began: string;
  /** Waits until it has kept that a notification was taken. */
  readonly kept: (deliveryId: string) => Promise<unknown>;
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
};

/** Runs `npm run listen` until it says that it listens. */
async function listen(to: Inbox, ...more: readonly string[]): Promise<Listener> {
  const args = [
    script,
    'listen',
    '--sandbox',
    file,
    '--forward-to',
    to.url,
    '--delays',
    '0,0,0,0',
    '--poll',
    '0.2',
    ...more,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const ended = once(child, 'exit').then(() => running.delete(child));
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const says = (words: RegExp) =>
    eventually(
      () => Promise.resolve(said),
      (text) => words.test(text),
    ).then((text) => {
      expect(text).toMatch(words);
    });
  await says(/Ctrl-C ends/u);
  return {
    began: said,
    kept: (deliveryId) => says(new RegExp(`${deliveryId}  → 200`, 'u')),
    end: async (signal) => {
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

/** Pays pay-ins; gives their ids. */
async function pay(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { id } = (await first.call(CreatePayIn, { body: payIn(activeAccount(first).id) })).body;
    await first.call(ForceOrderStatus, { body: { id, status: 'PAID' } });
    ids.push(id);
  }
  return ids;
}

const cursor = (name: string) => ['--cursor', join(folder, `${name}.json`)];

test('forwards the very bytes under the same webhook-id, signed anew, tries again, and forwards resends', async () => {
  const laptop = newInbox('laptop');
  laptop.reply({ kind: 'status', status: 500 }, { kind: 'ok' });
  const listener = await listen(laptop, ...cursor('bytes'));
  expect(listener.began).toContain(`${laptop.url}: everything from now on.\n`);
  const [id = ''] = await pay(1);
  const [sent] = await endpoint.until(isAbout(id));
  const [refused, taken] = await laptop.until(isAbout(id), 2);
  for (const call of [refused!, taken!]) {
    expect(call.raw.equals(sent!.raw)).toBe(true);
    expect([call.id, call.headers['content-type']]).toEqual([sent!.id, sent!.headers['content-type']]);
    expect(signatureFaults(call, first.webhookSecret)).toEqual([]);
  }
  const { body: again } = await first.call(ResendDelivery, { params: { id: sent!.id } });
  const [resent] = await laptop.until((one) => one.id === again.id);
  expect(resent!.raw.equals(sent!.raw)).toBe(true);
  expect(await listener.end('SIGTERM')).toBe(0);
});

test('killed while notifications come, it goes on: nothing is left out, and only what was under way comes twice', async () => {
  const laptop = newInbox('laptop');
  laptop.reply(hang);
  const listener = await listen(laptop, ...cursor('killed'));
  const before = await pay(2);
  // Both calls are under way and not answered.
  for (const id of before) await laptop.until(isAbout(id));
  await listener.end('SIGKILL');
  const calls = (id: string) => laptop.received.filter(isAbout(id)).length;
  const cutOff = before.map(calls);
  const meanwhile = await pay(3);
  laptop.reply({ kind: 'ok' });
  const next = await listen(laptop, ...cursor('killed'));
  expect(next.began).toContain(': everything since it stopped.\n');
  const after = await pay(1);
  for (const id of [...before, ...meanwhile, ...after]) {
    const [taken] = await laptop.until((one) => isAbout(id)(one) && one.reply.kind === 'ok');
    await next.kept(taken!.id);
  }
  await next.end('SIGKILL');
  const oneMore = cutOff.map((count) => count + 1);
  expect(before.map(calls)).toEqual(oneMore);
  expect([...meanwhile, ...after].map(calls)).toEqual([1, 1, 1, 1]);
  // Everything was kept as finished: a third start has nothing to do until something new comes.
  const third = await listen(laptop, ...cursor('killed'));
  const [last = ''] = await pay(1);
  await laptop.until(isAbout(last));
  await third.end('SIGKILL');
  expect([...before, ...meanwhile, ...after].map(calls)).toEqual([...oneMore, 1, 1, 1, 1]);
});

test('--since catches up from a moment', async () => {
  const laptop = newInbox('laptop');
  const [earlier = ''] = await pay(1);
  const [sent] = await endpoint.until(isAbout(earlier));
  const since = new Date(Number(sent!.headers['webhook-timestamp']) * 1000 - 60_000).toISOString();
  const listener = await listen(laptop, ...cursor('since'), '--since', since);
  expect(listener.began).toContain(`: everything created after ${since}.\n`);
  await laptop.until(isAbout(earlier));
  await listener.end('SIGKILL');
});
