import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { pythonTool } from '#tools/emulators/python-tools.ts';
import { activeAccount, environment, first } from '#test/acceptance/partners.ts';
import { root, run } from '#test/acceptance/sample-runs.ts';
import { brl, payIn } from '#test/acceptance/samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-statement-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const accountId = activeAccount(first).id;
const names = ['Souza, Maria', 'Ação & "Cia" <Ltda>', '=HYPERLINK(1)', "D'Ávila; João"];

type Read = {
  readonly entries: readonly (readonly [id: string, amount: string, name: string])[];
  readonly account?: readonly string[];
  readonly currency?: string;
  readonly balance?: string;
};

/** Writes a statement by the tool, and lets a program of others read it. */
async function written(format: 'csv' | 'ofx', args: readonly string[] = []): Promise<Read> {
  const { baseUrl, tokenUrl, scope, companies } = environment;
  const sandbox = join(folder, 'sandbox.json');
  writeFileSync(sandbox, JSON.stringify({ baseUrl, tokenUrl, scope, companies }), { mode: 0o600 });
  const file = join(folder, `statement.${format}`);
  const where = ['--sandbox', sandbox, '--account', accountId, '--output', file];
  const wrote = await tool('statement', '--format', format, ...where, ...args);
  expect([wrote.err, wrote.code]).toEqual(['', 0]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const python = await pythonTool('ofxtools');
  const reader = await run([python, join(import.meta.dirname, 'read_statement.py'), format, file]);
  expect([reader.err, reader.code]).toEqual(['', 0]);
  return JSON.parse(reader.out) as Read;
}

async function allEntries() {
  const entries = [];
  let cursor: string | null = null;
  do {
    const query: Readonly<Record<string, string>> = { sort: 'asc', limit: '100', ...(cursor !== null && { cursor }) };
    const { body } = await first.call(ListEntries, { params: { accountId }, query });
    entries.push(...body.data);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return entries;
}

/** Runs a tool of partners. */
const tool = (...args: readonly string[]) => run([process.execPath, join(root, 'tools/kit/command.ts'), ...args]);
/** The verifier of docs/samples, which another author wrote from docs/statement-proofs.md alone. */
const second = (file: string, ...key: readonly string[]) =>
  run(['python3', join(root, 'docs/samples/python/verify_statement.py'), file, ...key]);

const inCentavos = (decimal: string): number => Math.round(Number(decimal) * 100);

test('a whole statement of several pages, as CSV and OFX, is read by csv and ofxtools of Python as the service means it', async () => {
  for (const [at, name] of [...names, ...Array.from({ length: 98 }, () => 'Maria')].entries()) {
    const payer = { name, document: { type: 'CPF', number: '52998224725' } } as const;
    const body = payIn(accountId, { amount: brl(`1.${String(at).padStart(2, '0').slice(-2)}`), payer });
    const { id } = (await first.call(CreatePayIn, { body })).body;
    await first.call(ForceOrderStatus, { body: { id, status: 'PAID' } });
  }
  const csv = await written('csv');
  const ofx = await written('ofx');
  const entries = (await allEntries()).map((entry) => ({
    ...entry,
    total: inCentavos(entry.available) + inCentavos(entry.reserved) + inCentavos(entry.blocked),
    name: entry.counterparty?.name ?? '',
  }));
  expect(entries.length).toBeGreaterThan(100);
  // Other tests of the run add entries behind them.
  const seen = entries.slice(0, csv.entries.length);
  const asText = (name: string): string => (name.startsWith('=') ? `'${name}` : name);
  expect(csv.entries.map(([id, total, name]) => [id, inCentavos(total), name])).toEqual(
    seen.map(({ id, total, name }) => [id, total, asText(name)]),
  );
  const moving = entries.filter(({ total }) => total !== 0).slice(0, ofx.entries.length);
  expect(ofx.entries.map(([id, total, name]) => [id, inCentavos(total), name])).toEqual(
    moving.map(({ id, total, name }) => [id, total, name.slice(0, 32)]),
  );
  const accounts = (await first.call(ListAccounts, { query: { limit: '100' } })).body.data;
  const {
    ispb,
    bankNumber = ispb,
    branchNumber,
    accountNumber,
  } = accounts.find(({ id }) => id === accountId)?.bankAccountData ?? expect.fail('the account is listed');
  expect(ofx.account?.slice(0, 3)).toEqual([bankNumber, branchNumber, accountNumber]);
  expect(ofx.currency).toBe('BRL');
});

test('a statement of days has the entries of these days in Brasilia, both included', async () => {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo' });
  const today = day.format(new Date());
  const yesterday = day.format(new Date(Date.now() - 24 * 3_600_000));
  const read = await written('ofx', ['--from', yesterday, '--to', today]);
  expect(read.entries.length).toBeGreaterThan(0);
  expect((await written('csv', ['--to', '2001-01-01'])).entries).toEqual([]);
  expect((await written('ofx', ['--from', '2001-01-01', '--to', '2001-01-02'])).entries).toEqual([]);
});

test('a statement with proofs is unbroken and signed for both verifiers, and both name an entry of which one digit is another one', async () => {
  const body = payIn(accountId, { amount: brl('12.34') });
  const { id } = (await first.call(CreatePayIn, { body })).body;
  await first.call(ForceOrderStatus, { body: { id, status: 'PAID' } });
  const file = join(folder, 'statement.ndjson');
  const sandbox = join(folder, 'sandbox.json');
  const write = () =>
    tool('statement', '--format', 'proof', '--sandbox', sandbox, '--account', accountId, '--output', file);
  // A minute closes ten seconds after its end here, by a schedule of every minute.
  const isChained = async (): Promise<boolean> => {
    expect((await write()).code).toBe(0);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return (
      lines.some((line) => line.includes(id) && line.includes('"proof"')) &&
      (await tool('verify-statement', file)).out.includes('Signed to')
    );
  };
  await expect.poll(isChained, { timeout: 240_000, interval: 5_000 }).toBe(true);
  const [one, other] = [await tool('verify-statement', file), await second(file)];
  expect([one.code, other.code], one.err + other.out).toEqual([0, 0]);
  const hash = /compare them later: ([0-9a-f]{64})/u.exec(one.out)?.[1] ?? 'none';
  expect(other.out).toContain(`last hash ${hash}`);
  const [, key = 'none'] = / by the key ([\w-]{43})/u.exec(one.out) ?? [];
  expect(other.out).toContain(`by the key ${key}`);
  const withKey = (...name: [string]) =>
    Promise.all([tool('verify-statement', file, '--key', ...name), second(file, ...name)]);
  expect((await withKey(key)).map(({ code }) => code)).toEqual([0, 0]);
  expect((await withKey('A'.repeat(43))).map(({ code }) => code)).toEqual([1, 1]);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const rootPlace = lines.findLastIndex((line) => line.includes('"jws"'));
  writeFileSync(
    file,
    lines.with(rootPlace, (lines[rootPlace] ?? '').replace(/"position":(\d+)/u, '"position":1$1')).join('\n'),
  );
  expect((await withKey(key)).map(({ code }) => code)).toEqual([1, 1]);
  const place = lines.findIndex((line) => line.includes(id));
  const forged = (lines[place] ?? '').replace('"available":"12.34"', '"available":"12.35"');
  writeFileSync(file, lines.with(place, forged).join('\n'));
  const { id: entryId } = JSON.parse(forged) as { readonly id: string };
  for (const { code, out, err } of [await tool('verify-statement', file), await second(file)]) {
    expect(code).toBe(1);
    expect(out + err).toContain(entryId);
    expect(out + err).toContain(accountId);
  }
}, 300_000);
