import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { leafOf } from '#shared/accounts/roots/items.ts';

it('the hash of a leaf is that of the example of docs/statement-proofs.md', () => {
  const page = readFileSync(new URL('../../../docs/statement-proofs.md', import.meta.url), 'utf8');
  const [, leaf = '', hash] =
    /```text\n(\{"accountId".*"position":\d+,"version":1\})\n```[^]*?```text\n([0-9a-f]{64})\n/u.exec(page) ?? [];
  const { accountId, ...end } = JSON.parse(leaf) as { accountId: string; position: number; hash: string };
  expect(leafOf(accountId, end).toString('hex')).toBe(hash);
});
