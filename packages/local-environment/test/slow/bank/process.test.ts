import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBankProcess } from '#local-environment/bank/child.ts';
import type { LocalBank } from '@banking-order/fake-bank';
import { connect } from '#test/support/api-pix/client.ts';

test('the local environment starts the bank, keeps its secret at the next start, and names the log when it fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bank-process-'));
  const start = () => startBankProcess('api-pix', join(folder, 'bank'), join(folder, 'bank.log'));
  const secrets: string[] = [];
  for (let run = 0; run < 2; run += 1) {
    const bank = await start();
    expect(statSync(bank.connectionFile).mode & 0o777).toBe(0o600);
    const access = JSON.parse(readFileSync(bank.connectionFile, 'utf8')) as LocalBank;
    expect((await (await connect(access))('GET', '/v2/gn/saldo')).status).toBe(200);
    secrets.push(access.client.secret);
    await bank.stop();
    await expect(connect(access)).rejects.toThrow(/ECONNREFUSED/u);
  }
  expect(secrets[0]).toBe(secrets[1]);
  await rm(join(folder, 'bank/certificates'), { recursive: true });
  await writeFile(join(folder, 'bank/certificates'), '');
  await expect(start()).rejects.toThrow(/The reason is in .*bank\.log/u);
  expect(readFileSync(join(folder, 'bank.log'), 'utf8')).toContain('EEXIST');
  await rm(folder, { recursive: true });
});
