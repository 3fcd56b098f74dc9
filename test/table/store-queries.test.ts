import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Item, Page, Query, Store, Write } from '#shared/platform/table/store.ts';
import { fc } from '../support/properties.ts';
import { freshKey, given, onEveryStore } from '../support/stores.ts';

const partition = (): string => `T-${randomUUID()}`;
const sortKeys = (items: readonly Item[]): string[] => items.map(({ SK }) => SK);

async function fill(store: Store, items: readonly Item[]): Promise<void> {
  for (let start = 0; start < items.length; start += 100) {
    const writes = items.slice(start, start + 100).map((put): Write => ({ put }));
    await store.write(writes, randomUUID());
  }
}

/** Every item of a query, page by page. */
async function walk(store: Store, query: Query): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = [];
  let after: Page['next'];
  let pages = 0;
  do {
    const page: Page = await store.query({ ...query, ...(after && { after }) });
    items.push(...page.items);
    after = page.next;
    pages += 1;
  } while (after !== undefined);
  return { items, pages };
}

onEveryStore((open) => {
  describe('a read', () => {
    test('returns the items of one, many or no keys in their order, undefined for each absent one', async () => {
      const store = open();
      const [a, b] = [await given(store, { n: 1 }), await given(store, { n: 2 })];
      expect(await store.read([a])).toEqual([{ ...a, n: 1 }]);
      expect(await store.read([freshKey()])).toEqual([undefined]);
      expect(await store.read([b, freshKey(), a])).toEqual([{ ...b, n: 2 }, undefined, { ...a, n: 1 }]);
      expect(await store.read([])).toEqual([]);
    });

    test('takes 100 keys in one call', async () => {
      const store = open();
      const PK = partition();
      const items = Array.from({ length: 100 }, (_, index) => ({ PK, SK: String(index), n: index }));
      await fill(store, items);
      expect(await store.read(items.map(({ SK }) => ({ PK, SK })))).toEqual(items);
    });

    test('gives back what was put: text, bytes, numbers, flags, null, lists and maps', async () => {
      const store = open();
      const value = {
        text: 'é\u{1F600}',
        bytes: Uint8Array.of(0, 255, 10),
        n: -1.5,
        big: 9_007_199_254_740_991,
        b: false,
        x: null,
        list: [1, ['a']],
        map: {},
      };
      const key = await given(store, value);
      expect(await store.read([key])).toEqual([{ ...key, ...value }]);
    });
  });

  describe('a query of the table', () => {
    test('returns its partition alone, in the order of UTF-8 bytes, ascending by default', async () => {
      const store = open();
      const PK = partition();
      const order = ['A', 'B', 'a', 'é', '\uFFFD', '\u{1F600}'];
      await fill(
        store,
        order.toReversed().map((SK) => ({ PK, SK })),
      );
      await given(store, {}, freshKey('A'));
      expect(sortKeys((await store.query({ partition: PK })).items)).toEqual(order);
      expect(sortKeys((await store.query({ partition: PK, ascending: false })).items)).toEqual(order.toReversed());
    });

    test('keeps to a prefix, or to what is up to a bound, itself included', async () => {
      const store = open();
      const PK = partition();
      await fill(
        store,
        ['A#1', 'A#2', 'B#1', 'B#2'].map((SK) => ({ PK, SK })),
      );
      expect(sortKeys((await store.query({ partition: PK, prefix: 'B#' })).items)).toEqual(['B#1', 'B#2']);
      expect(sortKeys((await store.query({ partition: PK, upTo: 'B#1' })).items)).toEqual(['A#1', 'A#2', 'B#1']);
      expect(sortKeys((await store.query({ partition: PK, upTo: 'A#' })).items)).toEqual([]);
      expect(await store.query({ partition: partition() })).toEqual({ items: [] });
    });

    test('keeps to a range, both ends included, on the table and on an index, in either direction', async () => {
      const store = open();
      const PK = partition();
      await fill(
        store,
        ['1', '2', '3', '4'].map((SK) => ({ PK, SK, GSI1PK: PK, GSI1SK: SK })),
      );
      for (const place of [{}, { index: 'GSI1' as const }]) {
        const found = async (range: Partial<Query>) =>
          sortKeys((await store.query({ partition: PK, ...place, ...range })).items);
        expect(await found({ from: '2', upTo: '3' })).toEqual(['2', '3']);
        expect(await found({ from: '2', upTo: '3', ascending: false })).toEqual(['3', '2']);
        expect(await found({ from: '3' })).toEqual(['3', '4']);
        expect(await found({ from: '21', upTo: '21' })).toEqual([]);
      }
      await expect(store.query({ partition: PK, from: '3', upTo: '2' })).rejects.toThrow();
      const first = await store.query({ partition: PK, from: '2', upTo: '4', limit: 2 });
      const rest = { from: '2', upTo: '4', after: first.next ?? {} };
      expect(sortKeys((await store.query({ partition: PK, ...rest })).items)).toEqual(['4']);
    });

    test('filters by equality and by substring, case mattering; the limit counts what was looked at', async () => {
      const store = open();
      const PK = partition();
      const names = ['maria', 'Maria', 'jose maria', 'ana'];
      await fill(
        store,
        names.map((name, index) => ({ PK, SK: String(index), name, even: index % 2 === 0 ? 'yes' : 'no' })),
      );
      const found = async (query: Omit<Query, 'partition'>) =>
        (await store.query({ partition: PK, ...query })).items.map(({ SK }) => SK);
      const maria = { attribute: 'name', is: 'contains', value: 'maria' } as const;
      expect(await found({ filters: [maria] })).toEqual(['0', '2']);
      expect(await found({ filters: [{ ...maria, is: 'equal' }] })).toEqual(['0']);
      expect(await found({ filters: [maria, { attribute: 'even', is: 'equal', value: 'no' }] })).toEqual([]);
      expect(await found({ filters: [{ attribute: 'nothing', is: 'equal', value: 'maria' }] })).toEqual([]);
      const page = await store.query({ partition: PK, filters: [maria], limit: 2 });
      expect(sortKeys(page.items)).toEqual(['0']);
      expect(page.next).toEqual({ PK, SK: '1' });
    });

    test('returns a position when its limit ended it, even if no item follows', async () => {
      const store = open();
      const PK = partition();
      await fill(
        store,
        ['1', '2'].map((SK) => ({ PK, SK })),
      );
      const page = await store.query({ partition: PK, limit: 2 });
      expect(page.next).toEqual({ PK, SK: '2' });
      expect(await store.query({ partition: PK, limit: 2, after: page.next ?? {} })).toEqual({ items: [] });
      expect((await store.query({ partition: PK, limit: 3 })).next).toBeUndefined();
    });

    test('resumes behind a position when its item does not exist any more', async () => {
      const store = open();
      const PK = partition();
      await fill(
        store,
        ['1', '2', '4'].map((SK) => ({ PK, SK })),
      );
      expect(sortKeys((await store.query({ partition: PK, after: { PK, SK: '3' } })).items)).toEqual(['4']);
      expect(sortKeys((await store.query({ partition: PK, after: { PK, SK: '3' }, ascending: false })).items)).toEqual([
        '2',
        '1',
      ]);
    });
  });

  describe('a query of an index', () => {
    test('sees only items that carry its keys, of them keys alone, and loses an item that drops them', async () => {
      const store = open();
      const list = partition();
      const [here, bare] = [freshKey(), freshKey()];
      await fill(store, [
        { ...here, GSI1PK: list, GSI1SK: '1', n: 1 },
        { ...bare, n: 2 },
      ]);
      expect((await store.query({ index: 'GSI1', partition: list })).items).toEqual([
        { ...here, GSI1PK: list, GSI1SK: '1' },
      ]);
      await store.writeOne({ update: here, remove: ['GSI1PK', 'GSI1SK'], when: { is: 'present' } });
      expect((await store.query({ index: 'GSI1', partition: list })).items).toEqual([]);
    });

    test('returns keys and no other attribute when the index is GSI2, up to the due time', async () => {
      const store = open();
      const due = partition();
      const keys = [freshKey(), freshKey(), freshKey()];
      await fill(
        store,
        keys.map((key, index) => ({ ...key, GSI2PK: due, GSI2SK: `2026-01-0${index + 1}#x`, secret: 'yes' })),
      );
      const { items } = await store.query({ index: 'GSI2', partition: due, upTo: '2026-01-02~' });
      expect(items).toEqual(
        keys.slice(0, 2).map((key, index) => ({ ...key, GSI2PK: due, GSI2SK: `2026-01-0${index + 1}#x` })),
      );
    });

    test('returns each item once, page by page, when all sort keys are equal', async () => {
      const store = open();
      const list = partition();
      const items = Array.from({ length: 25 }, () => ({
        ...freshKey(),
        GSI1PK: list,
        GSI1SK: 'same',
      }));
      await fill(store, items);
      const { items: seen } = await walk(store, { index: 'GSI1', partition: list, limit: 4 });
      expect(new Set(seen.map(({ PK }) => PK)).size).toBe(25);
      expect(seen).toHaveLength(25);
    });
  });

  test('pages of any size, in either direction, on table and index, hold everything once and in order', async () => {
    const store = open();
    const PK = partition();
    const items = Array.from({ length: 30 }, (_, index) => {
      const SK = String(index).padStart(3, '0');
      return { PK, SK, GSI1PK: PK, GSI1SK: `${SK}#x`, third: index % 3 === 0 ? 'yes' : 'no' };
    });
    await fill(store, items);
    const choices = fc.record({
      limit: fc.integer({ min: 1, max: 35 }),
      ascending: fc.boolean(),
      index: fc.constantFrom({}, { index: 'GSI1' as const }),
      filtered: fc.boolean(),
    });
    const keysOf = ({ third: _third, ...keys }: (typeof items)[number]) => keys;
    await fc.assert(
      fc.asyncProperty(choices, async ({ limit, ascending, index, filtered }) => {
        // An index has no attribute to filter by.
        const isOfTable = !('index' in index);
        const filters = filtered && isOfTable ? [{ attribute: 'third', is: 'equal' as const, value: 'yes' }] : [];
        const kept = filters.length > 0 ? items.filter(({ third }) => third === 'yes') : items;
        const expected = isOfTable ? kept : kept.map(keysOf);
        const { items: seen, pages } = await walk(store, { ...index, partition: PK, limit, ascending, filters });
        expect(seen).toEqual(ascending ? expected : expected.toReversed());
        expect(pages).toBe(Math.floor(items.length / limit) + 1);
      }),
      { numRuns: 40 },
    );
  });
});
