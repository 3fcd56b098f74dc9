import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startQiTech } from '@banking-order/fake-bank';
import type { Connected } from '#shared/bank/connected.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { connectTo } from '#test/bank/qitech-bank.ts';

/**
 * The stand-in of the bank, without faults and with its default settings before each test. `control` acts as other
 * banks and people do.
 */
export function useStandIn() {
  const dir = mkdtempSync(join(tmpdir(), 'qitech-stand-in-'));
  let bank: Awaited<ReturnType<typeof startQiTech>>;
  const control = async (name: string, body: object = {}): Promise<unknown> => {
    const response = await fetch(`${bank.controlUrl}/${name}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  };
  const used = { misled: [] as string[], unknown: [] as string[], control } as {
    readonly misled: string[];
    readonly unknown: string[];
    readonly control: typeof control;
    connected: Connected;
  };
  beforeAll(async () => {
    bank = await startQiTech({ dir });
  });
  afterAll(async () => {
    await bank.close();
    rmSync(dir, { recursive: true });
  });
  beforeEach(async () => {
    const { apiUrl, client, caFile } = bank;
    const accountKey = client.accounts[0]?.account_key ?? '';
    const [key, authorities] = [client.privateKeyFile, caFile].map((file) => readFileSync(file, 'utf8'));
    for (const list of [used.misled, used.unknown]) list.length = 0;
    const place = { apiUrl, clientId: client.apiClientKey, accountKey, key: key ?? '', authorities: authorities ?? '' };
    used.connected = await connectTo(place, used, systemClock);
    await control('clear-faults');
    await control('settings');
  });
  return used;
}
