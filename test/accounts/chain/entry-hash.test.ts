import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type * as z from 'zod';
import { entryHash, noEntry } from '#shared/accounts/chain/entry-hash.ts';
import type { LedgerEntryRecord } from '#shared/accounts/contract.ts';
import { root } from '#test/architecture/sources.ts';

it('the hash of an entry is that of the example of docs/statement-proofs.md, whatever later fields the entry has', () => {
  const page = readFileSync(join(root, 'docs/statement-proofs.md'), 'utf8');
  const [, text = '', hash] = /```text\n(.*)\n```\n\nhas the hash\n\n```text\n([0-9a-f]{64})\n/u.exec(page) ?? [];
  const { version: _version, ...entry } = JSON.parse(text) as z.output<typeof LedgerEntryRecord> & { version: 1 };
  expect(entryHash(noEntry, entry)).toBe(hash);
  const later = { ...entry, category: 'later', proof: undefined } as typeof entry;
  expect(entryHash(noEntry, later)).toBe(hash);
  expect(entryHash('1'.repeat(64), entry)).not.toBe(hash);
});
