import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { connectPartner, send, verifyLines } from '@banking-order/partner-tools';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { brl, payIn } from '#test/acceptance/samples.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';

const folder = mkdtempSync(join(tmpdir(), 'statement-tampered-'));
let local: LocalProcess | undefined;
afterAll(async () => {
  await local?.stop();
  rmSync(folder, { recursive: true });
});

const start = () => startLocalProcess({ folder, retryDelaysSeconds: '1', scheduleSeconds: 15 });

/** Reads the newest entries of the first company's first account. */
async function readEntries({ sandbox }: LocalProcess) {
  const [company] = sandbox.companies;
  const partner = connectPartner(sandbox, company, send, 'CLOSED');
  const [account] = partner.accounts;
  const accountId = account?.id ?? '';
  const { body } = await partner.call(ListEntries, { params: { accountId }, query: { proof: 'true', limit: '100' } });
  return { partner, accountId, entries: body.data };
}

const verify = (entries: readonly object[]) =>
  verifyLines(
    (async function* lines() {
      yield* await Promise.resolve(entries.map((entry) => JSON.stringify(entry)));
    })(),
  );

/** Adds 1 to a byte of the data of the stopped engine: the last digit of the entry's amount. */
function changeByte(entryId: string, centavos: number): void {
  const amount = Buffer.from(`"available":{"N":"${centavos}"}`);
  for (const name of readdirSync(folder).filter((file) => file.startsWith('dynamodb.db'))) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    const places = [];
    for (let at = bytes.indexOf(amount); at !== -1; at = bytes.indexOf(amount, at + 1)) {
      const around = bytes.subarray(Math.max(0, at - 1000), at + 1000);
      if (around.includes(entryId)) places.push(at + amount.length - '"}'.length - 1);
    }
    for (const place of places) bytes.writeUInt8(bytes.readUInt8(place) + 1, place);
    writeFileSync(file, bytes);
  }
}

test('a statement of which one byte of one entry was changed in the file of the engine does not verify, and the entry is named', async () => {
  local = await start();
  const { partner, accountId } = await readEntries(local);
  const ids: string[] = [];
  for (const value of ['12.34', '12.34', '12.34']) {
    const { id } = (await partner.call(CreatePayIn, { body: payIn(accountId, { amount: brl(value) }) })).body;
    await partner.call(ForceOrderStatus, { body: { id, status: 'PAID' } });
    ids.push(id);
  }
  const areChained = async (): Promise<boolean> =>
    (await readEntries(local!)).entries.every(({ proof }) => proof !== undefined);
  await expect.poll(areChained, { timeout: 240_000, interval: 5_000 }).toBe(true);
  const before = await readEntries(local);
  expect(await verify(before.entries)).toMatchObject({ ok: true, unchained: 0 });
  const changed = before.entries.find(({ orderId, available }) => orderId === ids[1] && available === '12.34');
  await local.stop();
  changeByte(changed?.id ?? 'none', 1234);
  local = await start();
  const after = await readEntries(local);
  const differing = after.entries.filter(({ available }, place) => available !== before.entries[place]?.available);
  expect(differing).toMatchObject([{ id: changed?.id, available: '12.35' }]);
  const verdict = await verify(after.entries);
  expect(verdict).toMatchObject({ ok: false, error: expect.stringContaining(changed?.id ?? 'none') as string });
}, 400_000);
