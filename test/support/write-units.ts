import type { Item, Store, Value, Write, WriteOutcome } from '#shared/platform/table/store.ts';
import type { IndexName } from '#shared/platform/table/store.ts';
import { indexes, keyNames, keyOf } from '#shared/platform/table/store.ts';

/** What one write of an item costs: in the table, and in each index that it changes. */
export type WrittenItem = {
  /** What the item is (`entity`). */
  readonly entity: string;
  /** The larger of the item before and after, bytes. */
  readonly bytes: number;
  readonly units: { readonly table: number } & Readonly<Partial<Record<IndexName, number>>>;
};

const unitBytes = 1024;

/**
 * A store that counts the write units of all its writes by DynamoDB's published rules, item by item: an item by the
 * larger of its sizes before and after, twice in a transaction; an entry of an index by what the index carries of it,
 * once, whether it is put, changed, or removed, and both where its key changes. No engine that runs here says this
 * much: the embedded one takes an entry of keys for as large as its item, DynamoDB Local sums nothing.
 *
 * @param onWrite called for each write that was made, in its order
 */
export function countingUnits(store: Store, onWrite: (written: readonly WrittenItem[]) => void): Store {
  const counted = async (
    writes: readonly Write[],
    factor: 1 | 2,
    make: () => Promise<WriteOutcome>,
  ): Promise<WriteOutcome> => {
    const before = await store.read(writes.map(keyOf));
    const outcome = await make();
    const after = await store.read(writes.map(keyOf));
    if (outcome.ok) onWrite(writes.map((_, place) => costOf(before[place], after[place], factor)));
    return outcome;
  };
  return {
    ...store,
    write: (writes, token) => counted(writes, 2, () => store.write(writes, token)),
    writeOne: (write) => counted([write], 1, () => store.writeOne(write)),
  };
}

/** All units of one written item. */
export function unitsOf({ units }: WrittenItem): number {
  return Object.values(units).reduce((sum, some) => sum + some, 0);
}

/** What a write costs that adds, changes or deletes an item. `factor`: 2 in a transaction. */
export function costOf(before: Item | undefined, after: Item | undefined, factor: 1 | 2): WrittenItem {
  const bytes = Math.max(sizeOf(before), sizeOf(after));
  const names = Object.keys(indexes) as readonly IndexName[];
  const entries = names.map((name) => [name, entryUnits(name, before, after)] as const).filter(([, some]) => some > 0);
  const entity = (after ?? before)?.['entity'];
  return {
    entity: typeof entity === 'string' ? entity : 'none',
    bytes,
    units: { table: factor * unitsFor(bytes), ...Object.fromEntries(entries) },
  };
}

function entryUnits(index: IndexName, before: Item | undefined, after: Item | undefined): number {
  const [was, is] = [entryOf(index, before), entryOf(index, after)];
  const [old, now] = [unitsFor(sizeOf(was)), unitsFor(sizeOf(is))];
  if (JSON.stringify(was) === JSON.stringify(is)) return 0;
  const { partition, sort } = keyNames(index);
  const isMoved = was !== undefined && is !== undefined && (was[partition] !== is[partition] || was[sort] !== is[sort]);
  return isMoved ? old + now : Math.max(old, now);
}

/** What an index holds of an item; undefined when the item is not in it. */
function entryOf(index: IndexName, item: Item | undefined): Item | undefined {
  const { partition, sort } = keyNames(index);
  if (item?.[partition] === undefined || item[sort] === undefined) return undefined;
  const { PK, SK } = item;
  return { PK, SK, [partition]: item[partition], [sort]: item[sort] };
}

function unitsFor(bytes: number): number {
  return Math.ceil(bytes / unitBytes);
}

/** Bytes of an item. */
export function sizeOf(item: Item | undefined): number {
  return Object.entries(item ?? {}).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);
}

/** Sizes as the developer guide gives them ("DynamoDB item sizes and formats"). */
function valueSize(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).replace(/\D/gu, '').length / 2) + 1;
  if (value instanceof Uint8Array) return value.length;
  if (value === null || typeof value === 'boolean') return 1;
  const members = Object.entries(value);
  const names = Array.isArray(value) ? 0 : members.reduce((sum, [name]) => sum + Buffer.byteLength(name), 0);
  return 3 + names + members.reduce((sum, [, member]) => sum + 1 + valueSize(member), 0);
}
