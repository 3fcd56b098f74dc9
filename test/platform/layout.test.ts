import { expect, test } from 'vitest';
import * as z from 'zod';
import { layoutOf, newerLayout } from '#shared/platform/table/layout.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { CorruptItem } from '#shared/platform/table/store.ts';

const item: Item = { PK: 'C#1', SK: 'ACC', entity: 'ACCOUNT', email: 'a@example.com' };
const Account = z.object({ email: z.string() });

test('an item without a layout has the first, and is read as ever', () => {
  expect(layoutOf(item)).toBe(1);
  expect(parseItem(Account, item, 'account')).toEqual({ email: 'a@example.com' });
  expect(parseItem(Account, { ...item, layout: 1 }, 'account')).toEqual({ email: 'a@example.com' });
});

test('an item of a newer release is refused by its layout, although its fields fit', () => {
  const read = () => parseItem(Account, { ...item, layout: 2 }, 'account');
  expect(read).toThrow(CorruptItem);
  expect(read).toThrow('A account item has layout 2, and this release reads layouts up to 1');
});

test('a release that knows a layout reads it and those before, and no other entity by it', () => {
  const newest = new Map([['ACCOUNT', 2]]);
  expect([1, 2, 3].map((layout) => newerLayout({ ...item, layout }, newest) === undefined)).toEqual([
    true,
    true,
    false,
  ]);
  expect(newerLayout({ ...item, entity: 'BALANCE', layout: 2 }, newest)).toContain('layouts up to 1');
});
