import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '#infra/operator/local-environment.ts';
import type { LocalBank } from '@banking-order/fake-bank';
import { payInBody, payoutBody, receiver } from '#test/support/bank-world.ts';
import { subscriptionBody } from '#test/support/subscription-world.ts';

/**
 * `npm start -- --bank api-pix` as a person has it: what tools ask for happens at the bank, over real mTLS, and moves
 * here by its callbacks alone.
 */

const folder = mkdtempSync(join(tmpdir(), 'bank-connected-'));
const start = () =>
  spawn('npm', ['start', '--', '--bank', 'api-pix'], {
    env: { ...process.env, PORT: '0', LOCAL_DIR: folder, npm_lifecycle_event: '' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
let npm: ReturnType<typeof start>;
let sandbox: Sandbox;
let bearer: string;
beforeAll(async () => {
  npm = start();
  for await (const line of createInterface({ input: npm.stdout })) if (line.startsWith('ready')) break;
  sandbox = read('sandbox.json') as Sandbox;
  const [company] = sandbox.companies;
  const { clientId = '', clientSecret = '' } = company!;
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: sandbox.scope },
  });
  const token = await fetch(sandbox.tokenUrl, { method: 'POST', body });
  bearer = ((await token.json()) as { access_token: string }).access_token;
});
afterAll(async () => {
  npm.kill('SIGTERM');
  await once(npm, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
type Body = { readonly id: string; readonly description: string; readonly status: string };

async function call(method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(`${sandbox.baseUrl}${path}`, {
    ...{ method, ...(body && { body: JSON.stringify(body) }) },
    headers: {
      ...{ authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      'idempotency-key': crypto.randomUUID(),
    },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as Body;
}

/** What the bank itself has. */
async function atBank(): Promise<Record<'cobs' | 'payouts' | 'recs', readonly { readonly status: string }[]>> {
  const { controlUrl } = read('bank/connection.json') as LocalBank;
  const response = await fetch(`${controlUrl}/state`, { method: 'POST', body: '{}' });
  return (await response.json()) as Awaited<ReturnType<typeof atBank>>;
}

const accountId = (): string => sandbox.companies[0]!.accounts[0]!.id;
const force = (id: string, status: string) => call('PUT', '/order-tools/v1/order/status', { id, status });
/** The tool itself waits two seconds for the callback, which a loaded machine may need longer for. */
const expectStatus = (path: string, status: string) =>
  expect.poll(async () => (await call('GET', path)).status).toBe(status);

test('a charge is paid and refunded at the bank, and the service is notified of both by callbacks', async () => {
  const { id } = await call('POST', '/order/v1/banking/order-payins', payInBody({ accountId: accountId() }));
  expect((await atBank()).cobs).toMatchObject([{ status: 'ATIVA' }]);
  await force(id, 'PAID');
  await expectStatus(`/order/v1/banking/order-payins/${id}`, 'PAID');
  expect((await atBank()).cobs).toMatchObject([{ status: 'CONCLUIDA' }]);
  await call('POST', `/order/v1/banking/order-payins/${id}/refunds`, {});
  // Refused until the bank has the refund; afterwards the callback may come later than the tool waits.
  await expect
    .poll(async () => {
      await force(id, 'REFUNDED').catch(() => undefined);
      return (await call('GET', `/order/v1/banking/order-payins/${id}`)).status;
    })
    .toBe('REFUNDED');
});

test('a payout is settled at the bank', async () => {
  const body = payoutBody({ accountId: accountId(), receiver, paymentData: { pixKey: receiver.document.number } });
  const { id } = await call('POST', '/order/v1/banking/order-payouts', body);
  await force(id, 'PAID');
  await expectStatus(`/order/v1/banking/order-payouts/${id}`, 'PAID');
  expect((await atBank()).payouts).toMatchObject([{ status: 'REALIZADO' }]);
});

test('a recurrence is authorized at the bank', async () => {
  const body = subscriptionBody({ accountId: accountId(), startDate: '2099-01-10' });
  const { id } = await call('POST', '/order/v1/banking/subscriptions', body);
  await call('PUT', '/order-tools/v1/banking/subscription/status', { id, status: 'ACCEPTED' });
  await expectStatus(`/order/v1/banking/subscriptions/${id}`, 'ACCEPTED');
  expect((await atBank()).recs).toMatchObject([{ status: 'APROVADA' }]);
});
