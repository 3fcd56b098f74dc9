import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { ResendDelivery } from '#functions/webhooks/resend-delivery/contract.ts';
import type { Inbox } from '@banking-order/partner-tools';
import { signatureErrors } from '@banking-order/partner-tools';
import { hang } from '#test/support/misbehaving.ts';
import { isAbout } from '#test/acceptance/notifications.ts';
import { activeAccount, environment, eventually, first, useReceiver } from '#test/acceptance/partners.ts';
import { payIn } from '#test/acceptance/samples.ts';
import { sendEverythingTo } from '#test/acceptance/settings.ts';

const script = fileURLToPath(new URL('../../../packages/partner-tools/src/main.ts', import.meta.url));
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

const argumentsFor = (to: Inbox, more: readonly string[]): readonly string[] => [
  ...[script, 'listen', '--sandbox', file, '--forward-to', to.url],
  ...['--delays', '0,0,0,0', '--poll', '0.2', ...more],
];

/** Waits until a child has printed this. */
function speech(child: ChildProcess): (pattern: RegExp) => Promise<string> {
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  });
  return async (pattern) => {
    await eventually(
      () => Promise.resolve(printed),
      (text) => pattern.test(text),
    );
    expect(printed).toMatch(pattern);
    return printed;
  };
}

/** Runs `npm run listen` until it says that it listens. */
async function listen(to: Inbox, ...more: readonly string[]): Promise<Listener> {
  const child = spawn(process.execPath, argumentsFor(to, more), { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const exited = once(child, 'exit').then(() => running.delete(child));
  const waitForOutput = speech(child);
  return {
    began: await waitForOutput(/Ctrl-C stops/u),
    kept: (deliveryId) => waitForOutput(new RegExp(`${deliveryId}  → 200`, 'u')),
    end: async (signal) => {
      child.kill(signal);
      await exited;
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

test('listen forwards the very bytes under the same webhook-id, signed anew, retries, and forwards resends', async () => {
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
    expect(signatureErrors(call, first.webhookSecret)).toEqual([]);
  }
  const { body: again } = await first.call(ResendDelivery, { params: { id: sent!.id } });
  expect(again).toMatchObject({ webhookId: sent!.id });
  const resent = (await laptop.until((one) => one.id === sent!.id, 3)).at(-1);
  expect(resent!.raw.equals(sent!.raw)).toBe(true);
  expect(signatureErrors(resent!, first.webhookSecret)).toEqual([]);
  expect(await listener.end('SIGTERM')).toBe(0);
});

test('listen forwards every notification after a kill and restart, twice only those that were under way', async () => {
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
  expect(next.began).toContain(': everything since the last stop.\n');
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

test('listen --since forwards the notifications created after a time', async () => {
  const laptop = newInbox('laptop');
  const [earlier = ''] = await pay(1);
  const [sent] = await endpoint.until(isAbout(earlier));
  const since = new Date(Number(sent!.headers['webhook-timestamp']) * 1000 - 60_000).toISOString();
  const listener = await listen(laptop, ...cursor('since'), '--since', since);
  expect(listener.began).toContain(`: everything created after ${since}.\n`);
  await laptop.until(isAbout(earlier));
  await listener.end('SIGKILL');
});

test.runIf(process.platform === 'linux')(
  'listen in a terminal resends, shows and opens the last notification by its keys',
  async () => {
    const laptop = newInbox('keys');
    const opened = join(folder, 'opened');
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$1" >'${opened}'\n`, { mode: 0o755 });
    const command = [process.execPath, ...argumentsFor(laptop, cursor('keys'))].map((word) => `'${word}'`).join(' ');
    // Of util-linux: it gives its command a terminal, and takes the keys from its input.
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`, SHELL: '/bin/sh' },
    });
    running.add(child);
    const exited = once(child, 'exit').then(() => running.delete(child));
    const waitForOutput = speech(child);
    await waitForOutput(/Keys: r /u);
    child.stdin.write('r');
    await waitForOutput(/No notification was received yet/u);
    const [id = ''] = await pay(1);
    const [sent] = await laptop.until(isAbout(id));
    await waitForOutput(new RegExp(`${sent!.id}  → 200`, 'u'));
    child.stdin.write('r');
    const again = (await laptop.until(isAbout(id), 2))[1]!;
    expect([again.id, again.raw.equals(sent!.raw)]).toEqual([sent!.id, true]);
    child.stdin.write('d');
    await waitForOutput(new RegExp(`webhook-id: ${sent!.id}`, 'u'));
    child.stdin.write('o');
    const page = `/deliveries/${sent!.id}`;
    await waitForOutput(new RegExp(`/console/#/\\S+${page}`, 'u'));
    const read = () => Promise.resolve(existsSync(opened) ? readFileSync(opened, 'utf8') : '');
    expect(await eventually(read, (text) => text !== '')).toContain(page);
    child.stdin.write('\u0003');
    await exited;
    expect(child.exitCode).toBe(0);
  },
);
