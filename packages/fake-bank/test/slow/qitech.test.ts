import { spawn } from 'node:child_process';
import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { QiTech } from '#fake-bank/qitech/start.ts';
import { startQiTech } from '#fake-bank/qitech/start.ts';
import { pixTarget } from '../qitech/examples.ts';
import { tokenOf } from '../qitech/open-bank.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- bodies are whatever the bank says
type Body = any;
type Connection = Omit<QiTech, 'close'>;

/** A plain client of the bank, over TLS without a client certificate. */
function connect({ apiUrl, caFile, client }: Connection) {
  const agent = new Agent({ ca: readFileSync(caFile) });
  const key = createPrivateKey(readFileSync(client.privateKeyFile));
  return async (method: string, uri: string, body?: object): Promise<{ status: number; body: Body }> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      AUTHORIZATION: tokenOf(key, { method, uri, body: text ?? '{}' }),
      'API-CLIENT-KEY': client.apiClientKey,
    };
    const outgoing = request(`${apiUrl}${uri}`, { method, headers, agent }).end(text);
    const [response] = (await once(outgoing, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) };
  };
}

async function control({ controlUrl }: Connection, name: string, body: object = {}): Promise<Body> {
  const response = await fetch(`${controlUrl}/${name}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

const payment = (amount: number) => ({
  request_control_key: randomUUID(),
  pix_transfer_type: 'manual',
  target_account: { ...pixTarget, ispb: '60701190' },
  transaction_amount: amount,
});

test('the bank pays over TLS, calls the address of its client, and tells a forged call from its own', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'qitech-'));
  const heard: { headers: IncomingHttpHeaders; body: Body }[] = [];
  const receiver = createServer((message, response) => {
    void message.toArray().then((chunks) => {
      heard.push({ headers: message.headers, body: JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) });
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const bank = await startQiTech({ dir });
  onTestFinished(async () => {
    await bank.close();
    receiver.close();
    await rm(dir, { recursive: true });
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
  await control(bank, 'webhook', { url });
  const api = connect(bank);
  const path = `/account/${bank.client.accounts[0]!.account_key}`;
  const sent = payment(500.65);
  expect((await api('POST', `${path}/pix_transfer`, sent)).status).toBe(202);
  await control(bank, 'settle-pix', { request_control_key: sent.request_control_key });
  await expect.poll(() => heard.length).toBe(1);
  expect(heard[0]).toMatchObject({
    headers: { 'api-client-key': bank.client.apiClientKey, 'content-type': 'application/json' },
    body: { webhook_type: 'baas.pix_transfer.outgoing_pix', data: { pix_transfer_status: 'sent' } },
  });
  expect(createPublicKey(readFileSync(bank.bankPublicKeyFile)).asymmetricKeyType).toBe('ec');
  expect(await control(bank, 'forge', { url, body: { data: 1 }, signer: 'NONE' })).toEqual({ status: 200 });
  await control(bank, 'forge', { url, body: { data: 1 }, signer: 'OTHER' });
  expect(heard.slice(1).map(({ headers }) => typeof headers.authorization)).toEqual(['undefined', 'string']);
  expect((await api('GET', path)).body.balance).toBe(999_499.35);
  expect((await fetch(`${bank.controlUrl}/none`, { method: 'POST' })).status).toBe(404);
});

test('the payments that the bank took survive kill -9, and only the owner may read its files', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'qitech-killed-'));
  const start = async () => {
    const child = spawn(process.execPath, ['packages/fake-bank/src/main.ts', '--bank', 'qitech', '--dir', dir]);
    // A test that fails leaves no bank behind.
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, bank: JSON.parse(readFileSync(line.toString().trim(), 'utf8')) as Connection };
  };
  const first = await start();
  const api = connect(first.bank);
  const path = `/account/${first.bank.client.accounts[0]!.account_key}`;
  const taken: string[] = [];
  // Killed between a command and the next, while commands go on.
  const going = (async () => {
    for (;;) {
      const command = payment(1);
      const { status } = await api('POST', `${path}/pix_transfer`, command);
      if (status === 202) taken.push(command.request_control_key);
    }
  })().catch(() => undefined);
  await expect.poll(() => taken.length).toBeGreaterThan(5);
  first.child.kill('SIGKILL');
  await going;
  const second = await start();
  expect(second.bank.client).toEqual(first.bank.client);
  const again = connect(second.bank);
  for (const key of taken)
    expect((await again('GET', `${path}/pix_transfers?request_control_key=${key}`)).body.data, key).toHaveLength(1);
  for (const name of ['connection.json', 'qitech.db', 'keys/bank.key', 'keys/client.key', 'certificates/ca.key'])
    expect((await stat(join(dir, name))).mode & 0o077, name).toBe(0);
  second.child.kill();
  expect(await once(second.child, 'exit')).toEqual([0, null]);
  await rm(dir, { recursive: true });
});
