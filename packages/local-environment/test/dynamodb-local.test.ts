import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isInstalled } from '@banking-order/cdk-local';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { startReceiver } from '@banking-order/partner-tools';
import { payout } from '#test/acceptance/samples.ts';
import { sendEverythingTo } from '#test/acceptance/settings.ts';
import { partnerOf } from '#test/support/client.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';
import { leaveOpen } from '#test/support/not-judged.ts';
import { needsPrograms } from '#test/support/programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'dynamodb-local-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Whether a process runs with this text in its arguments. */
function isRunning(text: string): boolean {
  const commands = readdirSync('/proc').map((entry) => `/proc/${entry}/cmdline`);
  return commands.some((file) => existsSync(file) && readFileSync(file, 'utf8').includes(text));
}

test('npm start on DynamoDB Local keeps an answered payout through kill -9, and sends its notification', async (context) => {
  needsPrograms(context, ['java']);
  if (!isInstalled())
    leaveOpen(
      context,
      'DynamoDB Local',
      'it is fetched by "npm run tool -- tools/emulators/reference.ts", not by the tests',
    );
  const data = join(folder, 'environment');
  const start = () => startLocalProcess({ folder: data, retryDelaysSeconds: '1,1,1,1', engine: 'dynamodb-local' });
  const receiver = await startReceiver('127.0.0.1');
  const inbox = receiver.inbox('dynamodb-local');
  let local = await start();
  try {
    const partner = partnerOf(local.sandbox, local.sandbox.companies[0]);
    await sendEverythingTo(partner, inbox);
    const key = randomUUID();
    const body = payout(partner.accounts[0]!.id);
    const { received: answered } = await partner.call(CreatePayout, { key, body });
    await local.kill('process');
    await expect.poll(() => isRunning(`-DdbPath=${data}`)).toBe(false);

    local = await start();
    const again = partnerOf(local.sandbox, local.sandbox.companies[0]);
    const { received: repeated } = await again.call(CreatePayout, { key, body });
    expect([repeated.text, repeated.headers['idempotent-replayed']]).toEqual([answered.text, 'true']);
    await again.call(ForceOrderStatus, {
      body: { id: (JSON.parse(answered.text) as { id: string }).id, status: 'PAID' },
    });
    await inbox.until(() => true, 1);
  } finally {
    await local.stop();
    await receiver.stop();
  }
  expect(isRunning(`-DdbPath=${data}`)).toBe(false);
});
