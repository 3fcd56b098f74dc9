import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFile, writeFile } from 'node:fs/promises';
import type { TestEngine } from '../support/engine.ts';
import { isReferenceEngine, startEngine } from '../support/engine.ts';
import { measureCapacity } from './measured-capacity.ts';

/**
 * Consumed capacity of every operation, measured on the engine: calls, read units and write units. The table in
 * docs/capacity.md is this test's own output; `UPDATE_CAPACITY=1` writes it again.
 */

const capacityDocument = new URL('../../docs/capacity.md', import.meta.url);
let engine: TestEngine;

beforeAll(async () => {
  engine = await startEngine('capacity');
});
afterAll(async () => {
  await engine.stop();
});

test('each operation costs what docs/capacity.md lists: a change at most one read call and one transaction', async () => {
  const rows: string[] = [];
  for (const { name, kind, reads, readUnits, writes, writeUnits } of await measureCapacity(engine)) {
    if (!name.startsWith('(')) rows.push(`| ${name} | ${reads} | ${readUnits} | ${writes} | ${writeUnits} |`);
    if (kind === 'read') expect(reads, name).toBe(1);
    if (kind === 'change') expect([reads <= 1, writes], name).toEqual([true, 1]);
    if (kind === 'tool') expect([reads <= 4, writes], name).toEqual([true, 1]);
    // The bank has the command immediately: its due item is removed by a plain write.
    if (kind === 'command') expect([reads <= 1, writes], name).toEqual([true, 2]);
    // The call is counted before anything is made, outside of the transaction: a hot counter in it would meet itself.
    if (kind === 'counted change') expect([reads <= 1, writes], name).toEqual([true, 2]);
  }
  const costOf = (name: string): string | undefined =>
    rows
      .find((row) => row.includes(name))
      ?.split('|')
      .slice(2)
      .join();
  expect(costOf('the 50th'), 'a request costs the same however many came before').toBe(costOf('the 11th'));
  const table = [
    '| Operation | Read calls | Read units | Write calls | Write units |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
  process.stdout.write(`${table}\n`);

  const document = await readFile(capacityDocument, 'utf8');
  if (isReferenceEngine) {
    // Other engines count units in their own way (DynamoDB Local does not sum the items of a transaction); calls are
    // calls.
    for (const row of rows) expect(document.split('\n').map(withoutUnits)).toContain(withoutUnits(row));
    return;
  }
  const [before = '', , after = ''] = document.split('<!-- measured -->\n');
  const current = `${before}<!-- measured -->\n${table}\n<!-- measured -->\n${after}`;
  if (process.env['UPDATE_CAPACITY'] === '1') await writeFile(capacityDocument, current);
  else expect(document).toBe(current);
});

/** `| name | read calls | read units | write calls | write units |` without the units. */
function withoutUnits(row: string): string {
  const [, name, reads, , writes] = row.split('|');
  return [name, reads, writes].join('|');
}
