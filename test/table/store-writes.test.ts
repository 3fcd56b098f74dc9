import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Condition, Store, Value, Write } from '#shared/platform/table/store.ts';
import { attributesOf, freshKey, given, onEveryStore } from '../support/stores.ts';

type Attributes = Readonly<Record<string, Value>>;

/** Every kind of condition against an item (undefined: none there): does it hold? */
const conditions: readonly [name: string, when: Condition, item: Attributes | undefined, holds: boolean][] = [
  ['absent, nothing there', { is: 'absent' }, undefined, true],
  ['absent, an item there', { is: 'absent' }, {}, false],
  ['present, nothing there', { is: 'present' }, undefined, false],
  ['present, an item there', { is: 'present' }, {}, true],
  ['equals, text the same', { equals: { s: 'a' } }, { s: 'a' }, true],
  ['equals, text another', { equals: { s: 'a' } }, { s: 'b' }, false],
  ['equals, of another type', { equals: { n: 1 } }, { n: '1' }, false],
  ['equals, one of two', { equals: { s: 'a', n: 1 } }, { s: 'a', n: 2 }, false],
  ['equals, both', { equals: { s: 'a', n: 1 } }, { s: 'a', n: 1 }, true],
  ['equals, true', { equals: { b: true } }, { b: true }, true],
  ['equals, null', { equals: { x: null } }, { x: null }, true],
  ['equals, null but absent', { equals: { x: null } }, {}, false],
  ['equals, absent', { equals: { s: 'a' } }, {}, false],
  ['equals, nothing there', { equals: { s: 'a' } }, undefined, false],
  ['at least, more', { atLeast: { n: 5 } }, { n: 6 }, true],
  ['at least, exactly', { atLeast: { n: 5 } }, { n: 5 }, true],
  ['at least, less', { atLeast: { n: 5 } }, { n: 4 }, false],
  ['at least, less than nothing', { atLeast: { n: -5 } }, { n: -4 }, true],
  ['at least, absent', { atLeast: { n: 0 } }, {}, false],
  ['at least, nothing there', { atLeast: { n: 0 } }, undefined, false],
  ['at least, of text', { atLeast: { n: 0 } }, { n: '5' }, false],
  ['before, a smaller number', { before: { n: 5 } }, { n: 4 }, true],
  ['before, the same number', { before: { n: 5 } }, { n: 5 }, false],
  ['before, an earlier text', { before: { s: '2026-02' } }, { s: '2026-01' }, true],
  ['before, the same text', { before: { s: '2026-02' } }, { s: '2026-02' }, false],
  ['before, text in the order of UTF-8', { before: { s: '\u{1F600}' } }, { s: '\uFFFD' }, true],
  ['before, absent', { before: { n: 5 } }, {}, false],
  ['before, nothing there', { before: { n: 5 } }, undefined, false],
  ['after, a later text', { after: { s: '2026-02' } }, { s: '2026-03' }, true],
  ['after, the same text', { after: { s: '2026-02' } }, { s: '2026-02' }, false],
  ['after, an earlier text', { after: { s: '2026-02' } }, { s: '2026-01' }, false],
  ['after, text in the order of UTF-8', { after: { s: '\uFFFD' } }, { s: '\u{1F600}' }, true],
  ['after, absent', { after: { s: '2026-02' } }, {}, false],
  ['after, nothing there', { after: { s: '2026-02' } }, undefined, false],
  ['after, of another type', { after: { s: '2026-02' } }, { s: 3 }, false],
  ['before, of another type', { before: { n: 5 } }, { n: '4' }, false],
  ['contains, a part', { contains: { attribute: 's', text: '#B#' } }, { s: 'a#B#c' }, true],
  ['contains, the same letters in another case', { contains: { attribute: 's', text: '#B#' } }, { s: 'a#b#c' }, false],
  ['contains, a part of another attribute', { contains: { attribute: 's', text: '#B#' } }, { s: 'a', t: '#B#' }, false],
  ['contains, absent', { contains: { attribute: 's', text: '#B#' } }, {}, false],
  ['contains, nothing there', { contains: { attribute: 's', text: '#B#' } }, undefined, false],
  ['contains, of another type', { contains: { attribute: 's', text: '3' } }, { s: 3 }, false],
  ['lacks, absent', { lacks: 's' }, {}, true],
  ['lacks, nothing there', { lacks: 's' }, undefined, true],
  ['lacks, there', { lacks: 's' }, { s: 'a' }, false],
  ['lacks, there as null', { lacks: 's' }, { s: null }, false],
  ['has, there', { has: 's' }, { s: 'a' }, true],
  ['has, there as null', { has: 's' }, { s: null }, true],
  ['has, absent', { has: 's' }, {}, false],
  ['has, nothing there', { has: 's' }, undefined, false],
  ['all, every one', { all: [{ has: 's' }, { equals: { n: 1 } }] }, { s: 'a', n: 1 }, true],
  ['all, but one', { all: [{ has: 's' }, { equals: { n: 1 } }] }, { s: 'a', n: 2 }, false],
  ['any, one', { any: [{ is: 'absent' }, { before: { n: 5 } }] }, { n: 1 }, true],
  ['any, none', { any: [{ is: 'absent' }, { before: { n: 5 } }] }, { n: 9 }, false],
  ['any inside all', { all: [{ is: 'present' }, { any: [{ lacks: 'n' }, { atLeast: { n: 3 } }] }] }, { n: 3 }, true],
];

onEveryStore((open) => {
  describe('a condition', () => {
    test.each(conditions)('%s', async (_name, when, item, holds) => {
      const store = open();
      const key = item === undefined ? freshKey() : await given(store, item);
      const checked = await store.write([{ check: key, when }], randomUUID());
      const failed = item === undefined ? [{ index: 0 }] : [{ index: 0, item: { ...item, ...key } }];
      expect(checked).toEqual(holds ? { ok: true } : { ok: false, failed });
      // The same condition means the same on every kind of write, and on a write outside a transaction.
      for (const write of [
        { put: { ...item, ...key, by: 'put' }, when },
        { update: key, set: { by: 'update' }, when },
      ]) {
        expect((await store.writeOne(write)).ok, Object.keys(write).join()).toBe(holds);
        if (!holds) expect(await attributesOf(store, key)).toEqual(item);
        await (item === undefined ? store.write([{ delete: key }], randomUUID()) : given(store, item, key));
      }
      expect((await store.write([{ delete: key, when }], randomUUID())).ok).toBe(holds);
      expect(await attributesOf(store, key)).toEqual(holds ? undefined : item);
    });
  });

  describe('an update', () => {
    const existsCondition: Condition = { is: 'present' };

    test('sets, adds, takes away, appends and removes at once, and leaves the rest', async () => {
      const store = open();
      const key = await given(store, { keep: 'k', s: 'a', up: 1, down: 5, list: ['x'], gone: true });
      const write: Write = {
        update: key,
        set: { s: 'b', fresh: { deep: [1, { two: null }] } },
        add: { up: 2, down: -5 },
        append: { list: ['y', { z: 1 }] },
        remove: ['gone', 'never-there'],
        when: existsCondition,
      };
      expect(await store.write([write], randomUUID())).toEqual({ ok: true });
      expect(await attributesOf(store, key)).toEqual({
        keep: 'k',
        s: 'b',
        fresh: { deep: [1, { two: null }] },
        up: 3,
        down: 0,
        list: ['x', 'y', { z: 1 }],
      });
    });

    test('makes the item where its condition allows that none is there', async () => {
      const store = open();
      const key = freshKey();
      const set = await store.writeOne({ update: key, set: { s: 'a' }, when: { lacks: 's' } });
      expect(set).toEqual({ ok: true, after: (await store.read([key]))[0] });
      expect(await attributesOf(store, key)).toEqual({ s: 'a' });
    });

    test.each([
      ['adds to', { add: { n: 1 } }],
      ['appends to', { append: { list: ['x'] } }],
    ])(
      'is an error, with no write of its transaction, when it %s an attribute that does not exist',
      async (_name, change) => {
        const store = open();
        const [first, second] = [freshKey(), await given(store, { s: 'a' })];
        const writes: Write[] = [{ put: { ...first, s: 'new' } }, { update: second, ...change, when: existsCondition }];
        await expect(store.write(writes, randomUUID())).rejects.toThrow();
        expect(await attributesOf(store, first)).toBeUndefined();
        expect(await attributesOf(store, second)).toEqual({ s: 'a' });
      },
    );
  });

  describe('a transaction', () => {
    test('writes no item when a condition fails, and returns the index and the existing item of each failed one', async () => {
      const store = open();
      const there = await given(store, { s: 'there', n: 1 });
      const [fresh, nothing] = [freshKey(), freshKey()];
      const outcome = await store.write(
        [
          { put: { ...fresh, s: 'new' }, when: { is: 'absent' } },
          { put: { ...there, s: 'mine' }, when: { is: 'absent' } },
          { update: nothing, set: { s: 'moved' }, when: { is: 'present' } },
        ],
        randomUUID(),
      );
      expect(outcome).toEqual({
        ok: false,
        failed: [{ index: 1, item: { ...there, s: 'there', n: 1 } }, { index: 2 }],
      });
      expect(await attributesOf(store, fresh)).toBeUndefined();
      expect(await attributesOf(store, there)).toEqual({ s: 'there', n: 1 });
      expect(await attributesOf(store, nothing)).toBeUndefined();
    });

    test('puts, updates, deletes and checks together', async () => {
      const store = open();
      const [moved, deleted, watched] = [
        await given(store, { n: 1 }),
        await given(store, {}),
        await given(store, { s: 'w' }),
      ];
      const fresh = freshKey();
      const writes: Write[] = [
        { put: { ...fresh, s: 'new' }, when: { is: 'absent' } },
        { update: moved, add: { n: 1 }, when: { equals: { n: 1 } } },
        { delete: deleted, when: { is: 'present' } },
        { check: watched, when: { equals: { s: 'w' } } },
      ];
      expect(await store.write(writes, randomUUID())).toEqual({ ok: true });
      expect(await Promise.all([fresh, moved, deleted, watched].map((key) => attributesOf(store, key)))).toEqual([
        { s: 'new' },
        { n: 2 },
        undefined,
        { s: 'w' },
      ]);
    });

    test('succeeds without a second change when it is repeated with its token', async () => {
      const store = open();
      const key = await given(store, { n: 1 });
      const writes: Write[] = [{ update: key, add: { n: 1 }, when: { is: 'present' } }];
      const token = randomUUID();
      for (let time = 0; time < 3; time += 1) expect(await store.write(writes, token)).toEqual({ ok: true });
      expect(await attributesOf(store, key)).toEqual({ n: 2 });
    });

    test('with a token that belongs to other writes is an error', async () => {
      const store = open();
      const token = randomUUID();
      await store.write([{ put: freshKey() }], token);
      const other = freshKey();
      await expect(store.write([{ put: other }], token)).rejects.toThrow();
      expect(await attributesOf(store, other)).toBeUndefined();
    });

    test('succeeds with its former token once its failed condition holds', async () => {
      const store = open();
      const key = freshKey();
      const writes: Write[] = [{ update: key, set: { s: 'b' }, when: { equals: { s: 'a' } } }];
      const token = randomUUID();
      expect((await store.write(writes, token)).ok).toBe(false);
      await given(store, { s: 'a' }, key);
      expect(await store.write(writes, token)).toEqual({ ok: true });
    });

    test('is an error, and writes no item, when it touches one item twice', async () => {
      const store = open();
      const key = freshKey();
      // DynamoDB Local looks at the conditions first: the check holds.
      const writes: Write[] = [{ put: { ...key, s: 'a' } }, { check: key, when: { is: 'present' } }];
      await expect(store.write(writes, randomUUID())).rejects.toThrow();
      expect(await attributesOf(store, key)).toBeUndefined();
    });

    test('takes 100 writes, and refuses 101 as a whole', async () => {
      const store = open();
      const { PK } = freshKey();
      const writes = (count: number, mark: string): Write[] =>
        Array.from({ length: count }, (_, index) => ({ put: { PK, SK: String(index), mark } }));
      expect(await store.write(writes(100, 'first'), randomUUID())).toEqual({ ok: true });
      await expect(store.write(writes(101, 'second'), randomUUID())).rejects.toThrow();
      const { items } = await store.query({ partition: PK });
      expect(items.map(({ mark }) => mark)).toEqual(Array.from({ length: 100 }, () => 'first'));
    });
  });

  describe('a race', () => {
    test('has one winner among 50 changes of one version', async () => {
      const store = open();
      const key = await given(store, { version: 1 });
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, by) =>
          claim(store, { update: key, set: { by }, add: { version: 1 }, when: { equals: { version: 1 } } }),
        ),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      const winner = outcomes.findIndex(({ ok }) => ok);
      expect(await attributesOf(store, key)).toEqual({ version: 2, by: winner });
    });

    test('has one winner among 50 single writes of one absent item, and returns its item to the others', async () => {
      const store = open();
      const key = freshKey();
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, by) => store.writeOne({ put: { ...key, by }, when: { is: 'absent' } })),
      );
      const winner = outcomes.findIndex(({ ok }) => ok);
      expect(outcomes.filter((outcome) => !outcome.ok)).toEqual(
        Array.from({ length: 49 }, () => ({ ok: false, failed: [{ index: 0, item: { ...key, by: winner } }] })),
      );
    });

    test('for the last of a stock never takes what is not there', async () => {
      const store = open();
      const key = await given(store, { stock: 7 });
      const takes = Array.from({ length: 20 }, () =>
        claim(store, { update: key, add: { stock: -1 }, when: { atLeast: { stock: 1 } } }),
      );
      expect((await Promise.all(takes)).filter(({ ok }) => ok)).toHaveLength(7);
      expect(await attributesOf(store, key)).toEqual({ stock: 0 });
    });
  });
});

function claim(store: Store, write: Write) {
  return store.write([write], randomUUID());
}
