import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { post, openAuthority } from '@banking-order/fake-bank';
import type { LocalBank } from '@banking-order/fake-bank';
import type { Partner } from '@banking-order/partner-tools';
import { concurrently } from '#shared/platform/concurrently.ts';
import { balanceOf } from '#test/acceptance/money.ts';
import { payIn, payout } from '#test/acceptance/samples.ts';
import { control } from '#test/support/api-pix/client.ts';
import { partnerOf } from '#test/support/client.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';

/** `npm start -- --bank api-pix`: how soon its callbacks move, and what a death of both costs. */

const folder = mkdtempSync(join(tmpdir(), 'bank-of-service-'));
let local: LocalProcess;
const start = async (): Promise<void> => {
  local = await startLocalProcess({ folder, retryDelaysSeconds: '1,1,1,1', bank: 'api-pix' });
};
beforeAll(start, 200_000);
afterAll(async () => {
  await local.stop();
  rmSync(folder, { recursive: true });
});

const bank = (): LocalBank => JSON.parse(readFileSync(join(folder, 'bank/connection.json'), 'utf8')) as LocalBank;
const partner = (): Partner => partnerOf(local.sandbox, local.sandbox.companies[0]);
const accountOf = ({ accounts }: Partner): string => accounts[0]!.id;
const bankId = (id: string): string => id.replaceAll('-', '');
const pay = (id: string) => control(bank(), 'pay', { txid: bankId(id), once: true });
const isPaid = async (contract: typeof GetPayIn | typeof GetPayout, id: string): Promise<boolean> =>
  (await partner().call(contract, { params: { id } })).body.status === 'PAID';
/**
 * What died before it was submitted is taken up after two minutes. A callback that died while the worker applied it is
 * hidden for the visibility timeout of its queue, three minutes.
 */
const patience = { timeout: 300_000, interval: 200 };

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

test('a callback makes its pay-in PAID within 300 ms in the median, within 2 s in 99 of 100', async () => {
  const by = partner();
  const [took, floor]: [number[], number[]] = [[], []];
  for (let count = 0; count < 200; count += 1) {
    const { id } = (await by.call(CreatePayIn, { body: payIn(accountOf(by)) })).body;
    await pay(id);
    const paidAt = performance.now();
    for (let isMoved = false; !isMoved;) {
      const askedAt = performance.now();
      isMoved = await isPaid(GetPayIn, id);
      floor.push(performance.now() - askedAt);
      if (performance.now() - paidAt > 60_000) throw new Error(`${id} is not paid after a minute.`);
    }
    took.push(performance.now() - paidAt);
  }
  const [half, most, bare] = [quantile(took, 0.5), quantile(took, 0.99), quantile(floor, 0.5)];
  console.log(
    `Callback to move: p50 ${half.toFixed()} ms, p99 ${most.toFixed()} ms; a read takes ${bare.toFixed(1)} ms.`,
  );
  // On a machine with other things to do in proportion to a read of the same run.
  expect(half).toBeLessThan(Math.max(300, 40 * bare));
  expect(most).toBeLessThan(Math.max(2000, 250 * bare));
});

/** A callback of the bank, with its certificate, about Pix of no order here. */
async function callWithUnknownIds(url: string, count: number): Promise<number | undefined> {
  const pix = Array.from({ length: count }, () => ({
    endToEndId: `E00038166${new Date().toISOString().slice(0, 16).replace(/[-:T]/gu, '')}${randomUUID().slice(0, 11)}`,
    txid: bankId(randomUUID()),
    valor: '1.00',
    chave: randomUUID(),
    horario: new Date().toISOString(),
  }));
  const { cert, key, certFile, keyFile } = openAuthority(join(folder, 'bank/certificates')).issue('webhook', '');
  return post(url, JSON.stringify({ pix }), { cert, key, certFile, keyFile, subject: bank().callbackSubject });
}

/** Pays a pay-in at the bank. @returns milliseconds until it is PAID here */
async function timePayment(): Promise<number> {
  const by = partner();
  const { id } = (await by.call(CreatePayIn, { body: payIn(accountOf(by)) })).body;
  await pay(id);
  const paidAt = performance.now();
  await expect.poll(() => isPaid(GetPayIn, id), { timeout: patience.timeout, interval: 100 }).toBe(true);
  return performance.now() - paidAt;
}

test('a callback makes its pay-in PAID within 5 s behind callbacks with two thousand unknown payments', async () => {
  const [{ webhookUrl: address }] = (await control(bank(), 'state')).webhooks as [{ webhookUrl: string }];
  // A bank that delays each read delays the unknown payments.
  await control(bank(), 'fault', { fault: 'DELAY', method: 'GET', ms: 1000 });
  const alone = await timePayment();
  const taken = await Promise.all([1000, 1000].map((count) => callWithUnknownIds(`${address}/pix`, count)));
  const behind = await timePayment();
  await control(bank(), 'clear-faults', {});
  console.log(`Alone ${alone.toFixed()} ms, behind two thousand strangers ${behind.toFixed()} ms.`);
  expect(taken).toEqual([200, 200]);
  expect(behind).toBeLessThan(Math.max(5000, 10 * alone));
  const by = partner();
  expect(await balanceOf(by, accountOf(by))).toMatchObject({ available: (await control(bank(), 'state')).balance });
});

test('kill -9 of service and bank in the middle of payments loses no payment and executes none twice', async () => {
  const by = partner();
  const asked = Array.from({ length: 20 }, () => ({ key: randomUUID(), body: payout(accountOf(by)) }));
  const due: string[] = [];
  for (let count = 0; count < 20; count += 1)
    due.push((await by.call(CreatePayIn, { body: payIn(accountOf(by)) })).body.id);
  const before = await control(bank(), 'state');
  const calls = asked.flatMap((ask, place) => [() => by.call(CreatePayout, ask), () => pay(due[place]!)]);
  let [answered, refused] = [0, 0];
  let killed: Promise<void> | undefined;
  // In the middle: ten are answered, seven at most are under way, and the others have not begun.
  await concurrently(calls, 8, async (call) => {
    try {
      await call();
      answered += 1;
      if (answered === 10) killed = local.kill('group');
    } catch {
      refused += 1;
    }
  });
  expect(killed).toBeDefined();
  await killed;
  expect(refused).toBeGreaterThanOrEqual(20);

  await start();
  // A payer who saw no answer tries again; so does a partner.
  for (const id of due) await pay(id).catch(() => undefined);
  const orders: string[] = [];
  for (const ask of asked) orders.push((await partner().call(CreatePayout, ask)).body.id);
  for (const id of due) await expect.poll(() => isPaid(GetPayIn, id), patience).toBe(true);
  for (const id of orders)
    await expect
      .poll(() => control(bank(), 'settle-payout', { idEnvio: bankId(id) }).then(() => true, String), patience)
      .toBe(true);
  for (const id of orders) await expect.poll(() => isPaid(GetPayout, id), patience).toBe(true);

  const after = await control(bank(), 'state');
  expect([after.payouts.length - before.payouts.length, after.pix.length - before.pix.length]).toEqual([20, 20]);
  expect(await balanceOf(partner(), accountOf(by))).toEqual({ available: after.balance, reserved: 0 });
});
