import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFile, writeFile } from 'node:fs/promises';
import { dynamoStore } from '../../shared/persistence/dynamo-store.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { measuredOperations } from './measured-operations.ts';
import { measuredWebhooks } from './measured-webhooks.ts';

/**
 * Consumed capacity of every operation, measured on the engine: calls, read units and write units. The table in
 * docs/capacity.md is this test's own output; `UPDATE_CAPACITY=1` writes it anew.
 */

const DOCUMENT = new URL('../../docs/capacity.md', import.meta.url);
let engine: TestEngine;

beforeAll(async () => {
  engine = await startEngine('capacity');
});
afterAll(async () => {
  await engine.stop();
});

test('each operation costs what docs/capacity.md says, a create or a move at most one read call and one transaction', async () => {
  let calls: { operation: string; units: number }[] = [];
  const store = dynamoStore({
    client: engine.client,
    tableName: engine.tableName,
    onConsumed: (one) => calls.push(one),
  });
  const rows: string[] = [];
  for (const { name, kind, run } of [...(await measuredOperations(store)), ...(await measuredWebhooks(store))]) {
    calls = [];
    await run();
    const reads = calls.filter(({ operation }) => operation !== 'write');
    const writes = calls.filter(({ operation }) => operation === 'write');
    const sum = (some: typeof calls): number => some.reduce((total, { units }) => total + units, 0);
    rows.push(`| ${name} | ${reads.length} | ${sum(reads)} | ${writes.length} | ${sum(writes)} |`);
    if (kind === 'read') expect(reads.length, name).toBe(1);
    if (kind === 'change') expect([reads.length <= 1, writes.length], name).toEqual([true, 1]);
  }
  const table = [
    '| Operation | Read calls | Read units | Write calls | Write units |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
  process.stdout.write(`${table}\n`);

  const document = await readFile(DOCUMENT, 'utf8');
  if (process.env['AWS_ENDPOINT_URL_DYNAMODB'] !== undefined) {
    // Other engines count units in their own way (DynamoDB Local does not sum the items of a transaction); calls are calls.
    for (const row of rows) expect(document.split('\n').map(withoutUnits)).toContain(withoutUnits(row));
    return;
  }
  const [before = '', , after = ''] = document.split('<!-- measured -->\n');
  const current = `${before}<!-- measured -->\n${table}\n<!-- measured -->\n${after}`;
  if (process.env['UPDATE_CAPACITY'] === '1') await writeFile(DOCUMENT, current);
  else expect(document).toBe(current);
});

/** `| name | read calls | read units | write calls | write units |` without the units. */
function withoutUnits(row: string): string {
  const [, name, reads, , writes] = row.split('|');
  return [name, reads, writes].join('|');
}
