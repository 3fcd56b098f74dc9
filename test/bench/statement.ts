import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { secondHash } from '../support/chain-check.ts';
import type { Table } from './page.ts';
import { rounded } from './page.ts';

const accountId = '57827aa1-c3c5-425d-a104-959dd5c0a3b8';
const counterparty = {
  name: 'Maria Souza',
  document: { type: 'CPF', number: '52998224725' },
  bank: { ispb: '60701190', branch: '0001', account: '123456-7' },
};

/** Writes the statement of an account with so many entries, each with its proof, a line for each. */
async function writeStatement(file: string, count: number): Promise<void> {
  const out = createWriteStream(file);
  let previous = '0'.repeat(64);
  for (let position = 1; position <= count; position += 1) {
    const id = `${position.toString(16).padStart(8, '0')}-8796-4a5b-9c4d-3e2f10213243`;
    const at = new Date(Date.UTC(2026, 0, 1) + position * 1000).toISOString();
    const endToEndId = `E60701190${at.slice(0, 16).replaceAll(/[-T:]/gu, '')}${String(position).padStart(11, '0')}`;
    const money = { type: 'PAY_IN', available: '29.90', reserved: '0.00', blocked: '0.00' };
    const entry = { id, accountId, ...money, orderId: id, endToEndId, counterparty, createdAt: at };
    const hash = secondHash(previous, entry);
    const proof = { version: 1, position, minute: at.slice(0, 16), previous, hash };
    if (!out.write(`${JSON.stringify({ ...entry, proof })}\n`)) await once(out, 'drain');
    previous = hash;
  }
  out.end();
  await once(out, 'finish');
}

/** Seconds of a process, and what it wrote. */
async function timed(args: readonly string[]): Promise<{ readonly seconds: number; readonly text: string }> {
  const began = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [...args]);
  return { seconds: (performance.now() - began) / 1000, text: stdout };
}

/** Verifies a statement offline, beside a program that only reads, parses and hashes its lines. */
export async function measureStatement(folder: string, { entries }: { readonly entries: number }): Promise<Table> {
  const file = join(folder, 'statement.ndjson');
  await writeStatement(file, entries);
  const place = (path: string): string => new URL(path, import.meta.url).pathname;
  const floor = await timed([place('floor/statement-lines.ts'), file]);
  const tool = await timed([place('../../packages/partner-tools/src/main.ts'), 'verify-statement', file, '--json']);
  rmSync(file);
  const { count } = JSON.parse(tool.text) as { readonly count: number };
  if (count !== entries || Number(floor.text) !== entries) throw new Error(`Verified ${count} of ${entries} entries.`);
  return [
    ['Statement', 'Entries', 'Seconds', 'Floor, s', 'Ratio'],
    [
      'verify-statement, a new process',
      entries,
      rounded(tool.seconds),
      rounded(floor.seconds),
      rounded(tool.seconds / floor.seconds),
    ],
  ];
}
