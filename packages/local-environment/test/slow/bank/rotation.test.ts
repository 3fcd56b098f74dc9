import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAuthority, startLocalBank } from '@banking-order/fake-bank';
import type { LocalBank } from '@banking-order/fake-bank';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import { report } from '#shared/bank/report.ts';
import { connectCompany } from '#test/operator/connected-company.ts';
import { testOperator } from '#test/operator/terminal.ts';
import { connect, control, newId, openLocalBank } from '#test/support/api-pix/client.ts';
import { openReceiver } from '#test/support/api-pix/receiver.ts';
import { onlyConnection } from '#test/support/connected-items.ts';

/** A company that is connected and receives callbacks, and its bank, which another start gives another certificate. */
async function openWorld() {
  const open = await openLocalBank();
  const operator = testOperator();
  const company = await connectCompany(operator, open.bank, open.bank.client, open.dir);
  const receiver = await openReceiver(open.dir, operator.store);
  const { companyId, token, args } = company;
  const registered = await operator.run(
    'bank:webhooks',
    '--company',
    companyId,
    '--url',
    receiver.url,
    '--token',
    token,
  );
  expect(registered.code).toBe(0);
  let bank: LocalBank = open.bank;
  return {
    ...{ open, operator, companyId, receiver, args },
    bank: () => bank,
    /** @param commonName Of the bank's next certificate for callbacks. */
    rotate: async (commonName: string): Promise<void> => {
      await bank.close();
      const certificates = join(open.dir, 'certificates');
      for (const file of ['webhook.crt', 'webhook.key']) rmSync(join(certificates, file));
      openAuthority(certificates).issue('webhook', commonName);
      bank = await startLocalBank({ dir: open.dir });
      await control(bank, 'callbacks', { retryMs: Array(10).fill(20) });
    },
    /** A charge that is paid at the bank. @returns its txid */
    pay: async (): Promise<string> => {
      const api = await connect(bank);
      const txid = newId();
      const body = { calendario: {}, valor: { original: '1.00' }, chave: open.chave };
      expect((await api('PUT', `/v2/cob/${txid}`, body)).status).toBe(201);
      await control(bank, 'pay', { txid });
      return txid;
    },
    /** Repeats the command that connected the company, with other values of some options. */
    reconnect: (changed: Readonly<Record<string, string>>) =>
      operator.json(...args.map((arg, at) => changed[args[at - 1] ?? ''] ?? arg)),
    isHeard: (txid: string): boolean => receiver.heard.some((one) => 'txid' in one && one.txid === txid),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await bank.close();
      await receiver.stop();
      rmSync(open.dir, { recursive: true });
    },
  };
}

let world: Awaited<ReturnType<typeof openWorld>>;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const usual = 'webhooks.banco-local.com.br';

test('a new certificate of the bank with the same subject loses no callback, without any command of the operator', async () => {
  const before = readFileSync(join(world.open.dir, 'certificates/webhook.crt'), 'utf8');
  const paid = [await world.pay()];
  await world.rotate(usual);
  expect(readFileSync(join(world.open.dir, 'certificates/webhook.crt'), 'utf8')).not.toBe(before);
  paid.push(await world.pay());
  await expect.poll(() => paid.filter((txid) => !world.isHeard(txid))).toEqual([]);
  expect(world.receiver.statuses).not.toContain(403);
});

test('a certificate with another subject is refused until it is connected; then the bank’s retries bring every callback', async () => {
  await world.rotate('webhooks.banco-novo.com.br');
  // Only the repetitions that this test asks for: the bank gives a callback up after ten.
  await control(world.bank(), 'callbacks', { retryMs: Array(10).fill(3_600_000) });
  const txid = await world.pay();
  await expect.poll(() => world.receiver.statuses).toContain(403);
  expect(world.isHeard(txid)).toBe(false);
  expect(await world.reconnect({ '--callback-subject': world.bank().callbackSubject })).not.toHaveProperty(
    'callbackSecret',
  );
  await control(world.bank(), 'hurry');
  // Woken by whatever happens next.
  const later = await world.pay();
  await expect.poll(() => [txid, later].filter((one) => !world.isHeard(one))).toEqual([]);
});

test('our certificate is rotated while the bank is called: no call fails, and new processes have the new one', async () => {
  const { operator, companyId, open } = world;
  const { id: connectionId } = (await onlyConnection(operator.store, companyId))!;
  const process = () => {
    const known = knownConnections(operator.store, false);
    const fetchSecret = (name: string) => operator.bankSecrets().fetch(name);
    return connections({
      ...{ store: operator.store, known, now: operator.now, fetchSecret, report },
      allowLocal: true,
    });
  };
  const old = await process()(companyId, connectionId);
  const read = async (bank = old) => (await bank?.client.question({ method: 'GET', path: '/v2/gn/saldo' }))?.is;
  expect(await read()).toBe('OK');
  const renewed = (await control(open.bank, 'certificate')) as LocalBank['client'];
  const [during] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => read())),
    world.reconnect({ '--certificate': renewed.certFile, '--key': renewed.keyFile }),
  ]);
  expect(new Set(during)).toEqual(new Set(['OK']));
  expect(await read()).toBe('OK');
  const next = await process()(companyId, connectionId);
  expect(await read(next)).toBe('OK');
  const { secret = '' } = next?.connection ?? {};
  expect(await operator.bankSecrets().fetch(secret)).toContain(
    JSON.stringify(readFileSync(renewed.certFile, 'utf8').trim()).slice(1, -1),
  );
});
