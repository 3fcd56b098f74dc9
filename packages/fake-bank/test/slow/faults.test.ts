import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { LocalBank } from '#fake-bank/start.ts';
import { connect, control, newId, openLocalBank } from '#test/support/api-pix/client.ts';

let open: Awaited<ReturnType<typeof openLocalBank>>;
beforeAll(async () => {
  open = await openLocalBank();
});
afterAll(() => open[Symbol.asyncDispose]());

const cob = () => ({ calendario: {}, valor: { original: '1.00' }, chave: open.chave });

test.each([
  ['LOSE_REQUEST', undefined, false],
  ['LOSE_ANSWER', undefined, true],
  ['ERROR_BEFORE', 503, false],
  ['ERROR_AFTER', 503, true],
  ['TOO_MANY', 429, false],
  ['FORBID', 403, false],
  ['UNAUTHORIZED', 401, false],
  ['GARBLE', 201, true],
  ['DELAY', 201, true],
] as const)(
  'the injected fault %s affects one call, which is carried out or not as the fault defines',
  async (fault, status, isDone) => {
    const path = `/v2/cob/${newId()}`;
    await control(open.bank, 'fault', { fault, path, times: 1, ms: 30, retryAfter: 7 });
    const response = await open.api('PUT', path, cob()).catch(() => undefined);
    expect(response?.status).toBe(status);
    expect((await open.api('GET', path)).status).toBe(isDone ? 200 : 404);
    expect(await control(open.bank, 'clear-faults')).toEqual([]);
  },
);

test('NEW_VALUE gives the resource of its id a status that no bank has, until the fault is cleared', async () => {
  const [one, other] = [newId(), newId()];
  for (const txid of [one, other]) await open.api('PUT', `/v2/cob/${txid}`, cob());
  await control(open.bank, 'fault', { fault: 'NEW_VALUE', path: '^/v2/cob/', id: one });
  // The client of these tests refuses an answer that BCB's file does not have.
  await expect(open.api('GET', `/v2/cob/${one}`)).rejects.toThrow('/status');
  expect((await open.api('GET', `/v2/cob/${other}`)).body.status).toBe('ATIVA');
  await control(open.bank, 'clear-faults');
  expect((await open.api('GET', `/v2/cob/${one}`)).body.status).toBe('ATIVA');
});

test('HANG does what was asked and never answers', async () => {
  const path = `/v2/cob/${newId()}`;
  await control(open.bank, 'fault', { fault: 'HANG', path, times: 1 });
  let isAnswered = false;
  const hanging = open.api('PUT', path, cob()).then(
    () => (isAnswered = true),
    () => undefined,
  );
  while ((await open.api('GET', path)).status !== 200);
  expect(isAnswered).toBe(false);
  void hanging;
});

test('LAG hides a new charge until the fault is cleared', async () => {
  const path = `/v2/cob/${newId()}`;
  await control(open.bank, 'fault', { fault: 'LAG', path: '^/v2/cob', ms: 600_000 });
  await open.api('PUT', path, cob());
  expect((await open.api('GET', path)).status).toBe(404);
  await control(open.bank, 'clear-faults');
  expect((await open.api('GET', path)).status).toBe(200);
});

test('a new certificate serves beside the old one, and a token ends with its seconds', async () => {
  const renewed = await control(open.bank, 'certificate');
  expect(renewed.certFile).not.toBe(open.bank.client.certFile);
  const api = await connect({ ...open.bank, client: renewed });
  expect((await api('GET', '/v2/gn/saldo')).status).toBe(200);
  expect((await open.api('GET', '/v2/gn/saldo')).status).toBe(200);
});

test('the charges that the bank accepted survive kill -9, and only the owner may read its files', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bank-killed-'));
  const start = async () => {
    const child = spawn(process.execPath, ['packages/fake-bank/src/main.ts', '--dir', dir]);
    // A test that fails leaves no bank behind.
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, bank: JSON.parse(readFileSync(line.toString().trim(), 'utf8')) as LocalBank };
  };
  const first = await start();
  const api = await connect(first.bank);
  const chave = first.bank.client.accounts[0]!.chave;
  const txids: string[] = [];
  // Killed between a command and the next, while commands go on.
  const going = (async () => {
    for (;;) {
      const txid = newId();
      const { status } = await api('PUT', `/v2/cob/${txid}`, { calendario: {}, valor: { original: '1.00' }, chave });
      if (status === 201) txids.push(txid);
    }
  })().catch(() => undefined);
  await expect.poll(() => txids.length).toBeGreaterThan(5);
  first.child.kill('SIGKILL');
  await going;
  const second = await start();
  expect(second.bank.client).toEqual(first.bank.client);
  const again = await connect(second.bank);
  for (const txid of txids) expect((await again('GET', `/v2/cob/${txid}`)).status, txid).toBe(200);
  for (const name of ['connection.json', 'bank.db', 'certificates/ca.key'])
    expect((await stat(join(dir, name))).mode & 0o077, name).toBe(0);
  second.child.kill();
  expect(await once(second.child, 'exit')).toEqual([0, null]);
  await rm(dir, { recursive: true });
});
