import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '@banking-order/cdk-local';
import { checks, createTestOrder } from '#partner-tools/check-receiver/checks.ts';
import type { CheckResult } from '#partner-tools/check-receiver/conformance-check.ts';
import { checkReceiver } from '#partner-tools/check-receiver/conformance-check.ts';
import { systemClock } from '#shared/platform/clock.ts';
import {
  CreditNotification,
  DisputeNotification,
  PayInNotification,
  RefundNotification,
} from '#shared/webhooks/notification.ts';
import { root } from '#test/architecture/sources.ts';
import { receivers, secret, startReceiver } from './faulty-receivers.ts';

const nothing = (): Promise<void> => Promise.resolve();
let stop = nothing;
afterEach(async () => {
  await stop();
  stop = nothing;
});

async function started(name: string): Promise<string> {
  const receiver = await startReceiver(receivers[name]!.behaves);
  ({ stop } = receiver);
  return receiver.url;
}

const input = () => ({ secret, at: systemClock() });
const rows = (done: readonly CheckResult[], verdict: CheckResult['verdict']) =>
  done.filter((one) => one.verdict === verdict).map(({ check }) => check.name);

describe('the conformance check of a receiver', () => {
  test.each(Object.entries(receivers))(
    'fails a receiver that %s in the checks that it breaks, and in no other check',
    async (name, { fails }) => {
      const reported: CheckResult[] = [];
      // A short time only where it is what is judged: any other answer is as slow as the machine.
      const withinMs = fails.includes('in time') ? 300 : 5000;
      const done = await checkReceiver(await started(name), input(), withinMs, (one) => reported.push(one));
      expect(rows(done, 'failed')).toEqual(fails);
      expect(reported).toEqual(done);
      expect(done.map(({ check }) => check)).toEqual(checks);
      // Of a receiver that takes nothing, nothing else can be said: it would pass every refusal.
      const stops = fails.includes('in time');
      expect(rows(done, 'not checked')).toHaveLength(stops ? checks.length - 1 : 0);
    },
  );

  test('has for each of its checks a receiver that fails it', () => {
    const failed = new Set(Object.values(receivers).flatMap(({ fails }) => fails));
    expect(checks.filter(({ name, advice }) => advice !== true && !failed.has(name))).toEqual([]);
  });

  test('advises those that do not verify the time, which the body’s signature does not cover', async () => {
    const done = await checkReceiver(
      await started('verifies the body’s signature alone'),
      input(),
      5000,
      () => undefined,
    );
    expect(rows(done, 'advised')).toEqual(['old']);
    expect(done.at(-1)?.found).toBe('204; expected 4xx');
  });

  test('notifies of pay-ins that exist nowhere, another one for each check, or of the one that is named', async () => {
    const url = await started('verifies nothing');
    const results = await checkReceiver(url, input(), 5000, () => undefined);
    expect(new Set(results.map(({ order }) => order.id)).size).toBe(checks.length);
    const order = { id: 'mine', code: 'order-1' };
    const named = await checkReceiver(url, { ...input(), order }, 5000, () => undefined);
    expect(new Set(named.map((one) => one.order))).toEqual(new Set([order]));
  });

  test('sends notifications with the documented fields', () => {
    const order = createTestOrder();
    const bodies = (check: string): readonly unknown[] =>
      checks
        .find(({ name }) => name === check)!
        .posts({ ...input(), order })
        .map(({ body }): unknown => JSON.parse(body));
    const [refund, payment] = bodies('reordered');
    expect(PayInNotification.parse(payment)).toEqual(payment);
    expect(RefundNotification.parse(refund)).toEqual(refund);
    const [, credit] = bodies('unexpected money');
    expect(CreditNotification.parse(credit)).toEqual(credit);
    expect(credit).toMatchObject({ data: { reason: 'SECOND_PAYMENT', orderId: order.id } });
    const [, dispute] = bodies('claimed back');
    expect(DisputeNotification.parse(dispute)).toEqual(dispute);
    expect(dispute).toMatchObject({ data: { status: 'ACCEPTED', orderId: order.id } });
  });
});

test('the receiver of the README passes every check', async () => {
  const [, code = ''] = /^```js\n(.*?)^```$/msu.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const port = await freePort();
  const moved = code.replace('listen(4000)', `listen(${port})`);
  expect(moved).not.toBe(code);
  const receiver = spawn(process.execPath, ['--input-type=module', '-e', moved], {
    cwd: root,
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: 'ignore',
  });
  stop = async () => {
    receiver.kill();
    await once(receiver, 'exit');
  };
  const url = `http://127.0.0.1:${port}/`;
  await expect.poll(() => fetch(url).then(({ status }) => status, String)).toBe(400);
  const done = await checkReceiver(url, input(), 5000, () => undefined);
  expect(rows(done, 'passed')).toEqual(checks.map(({ name }) => name));
});

describe('npm run check-receiver', () => {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const run = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, [main, 'check-receiver', ...args], (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      });
    });

  test('ends with 0 and a table when the receiver passes', async () => {
    const { code, out } = await run(await started('verifies the webhook headers'), '--secret', secret);
    expect(out.match(/^ {2}✔ /gmu)).toHaveLength(checks.length);
    expect(out).toContain('The receiver passed.');
    expect(code).toBe(0);
  });

  test('ends with 1 and the remedy when the receiver fails a check', async () => {
    const { code, out } = await run(await started('verifies what is signed'), '--secret', secret);
    expect(out).toMatch(/✘ unsigned .*: 200; expected 4xx\n.*Respond 401 when the header is missing/u);
    expect(out).toContain(`The receiver failed 1 of ${checks.length} checks.`);
    expect(code).toBe(1);
  });

  test('prints the connection error and ends with 1 when no receiver listens', async () => {
    const url = await started('verifies nothing');
    await stop();
    stop = nothing;
    const { code, err } = await run(url, '--secret', secret);
    expect(err).toContain(`Cannot connect to the receiver at ${url}: ECONNREFUSED.`);
    expect(err).not.toContain('    at ');
    expect(code).toBe(1);
  });

  test.each([
    [[], "error: missing required argument 'URL'"],
    [['ftp://example.com'], '✘ ftp://example.com is not the URL of a receiver.'],
    [['http://127.0.0.1:9/', '--within', 'soon'], '✘ --within soon is not a number of seconds.'],
    [['http://127.0.0.1:9/', '--order', 'without-code'], '✘ Only one of --order and --code is given.'],
  ])('ends with 2 for the command line %j', async (args, text) => {
    const { code, err } = await run(...args, '--secret', secret);
    expect(err).toContain(text);
    expect(err).not.toContain(secret);
    expect(code).toBe(2);
  });
});
