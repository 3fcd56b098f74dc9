import type { OperatorDependencies } from '#infra/operator/target.ts';
import type {
  Condition,
  IndexName,
  Item,
  Key,
  Page,
  Query,
  Store,
  Update,
  Value,
  Write,
  WriteOutcome,
} from '#shared/platform/table/store.ts';
import { indexes, keyNames, keyOf } from '#shared/platform/table/store.ts';

/**
 * The table in memory, with DynamoDB's semantics: all conditions of a transaction are judged against the state before
 * it, then all writes apply or none; indexes give keys only. One suite runs on this and on the real engine.
 */
export function memoryStore(): Store & { readonly all: () => readonly Item[] } {
  const items = new Map<string, Item>();
  const sorted = partitions();
  const place = (key: Key): string => `${key.PK}\n${key.SK}`;
  const done = new Map<string, string>();
  const commit = (writes: readonly Write[]): WriteOutcome => {
    const find = (key: Key): Item | undefined => items.get(place(key));
    const outcome = judge(writes, find);
    if (!outcome.ok) return outcome;
    const after = writes.map((write) => [place(keyOf(write)), apply(write, find(keyOf(write)))] as const);
    for (const [at, item] of after) {
      sorted.replace(items.get(at), item);
      if (item === undefined) items.delete(at);
      else items.set(at, item);
    }
    return outcome;
  };
  const commitOnce = (writes: readonly Write[], token: string): WriteOutcome => {
    const asked = JSON.stringify(writes);
    const before = done.get(token);
    if (before !== undefined && before !== asked) throw new Error('A token was used for other writes.');
    if (before !== undefined) return { ok: true };
    const outcome = commit(writes);
    if (outcome.ok) done.set(token, asked);
    return outcome;
  };
  // `Promise.try`: what is wrong rejects, as a call over the network does.
  return {
    all: () => [...items.values()],
    read: (keys) => Promise.try(() => readable(keys).map((key) => items.get(place(key)))),
    query: (query) => Promise.try(page, sorted.of(query.index, query.partition), query),
    write: (writes, token) => Promise.try(commitOnce, writes, token),
    writeOne: (write) =>
      Promise.try(() => {
        const outcome = commit([write]);
        const after = items.get(place(keyOf(write)));
        return outcome.ok && 'update' in write && after !== undefined ? { ...outcome, after } : outcome;
      }),
  };
}

/** The keys, if DynamoDB takes them in one BatchGetItem. @throws Error */
function readable(keys: readonly Key[]): readonly Key[] {
  if (keys.length > 100) throw new Error(`A read has ${keys.length} keys; DynamoDB takes 100.`);
  if (new Set(keys.map(({ PK, SK }) => `${PK}\n${SK}`)).size !== keys.length)
    throw new Error('A read names one item twice, which DynamoDB refuses.');
  return keys;
}

/** A scan by pages of so many items, each read when it is asked for: what is written meanwhile is seen by its place. */
export function pagesOver(all: () => readonly Item[], size: number): OperatorDependencies['pagesOf'] {
  const place = ({ PK, SK }: Key): string => `${PK}\n${SK}`;
  return async function* ({ after: from }) {
    for (let after = from; ;) {
      const rest = all()
        .filter((item) => after === undefined || compare(place(item), place(after)) > 0)
        .toSorted((a, b) => compare(place(a), place(b)));
      const items = structuredClone(rest.slice(0, size));
      const next = rest.length > size ? items.at(-1) : undefined;
      yield await Promise.resolve({ items, next });
      if (next === undefined) return;
      after = next;
    }
  };
}

function judge(writes: readonly Write[], find: (key: Key) => Item | undefined): WriteOutcome {
  const touchedKeys = new Set(writes.map((write) => JSON.stringify(keyOf(write))));
  if (touchedKeys.size !== writes.length) throw new Error('A transaction touches one item twice.');
  if (writes.length > 100) throw new Error(`A transaction has ${writes.length} writes; DynamoDB takes 100.`);
  const failed = writes.flatMap((write, index) => {
    const item = find(keyOf(write));
    if (write.when === undefined || holds(write.when, item)) return [];
    return [item === undefined ? { index } : { index, item }];
  });
  return failed.length === 0 ? { ok: true } : { ok: false, failed };
}

function holds(condition: Condition, item: Item | undefined): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, item));
  if ('any' in condition) return condition.any.some((part) => holds(part, item));
  if ('is' in condition) return (item === undefined) === (condition.is === 'absent');
  if ('lacks' in condition) return item?.[condition.lacks] === undefined;
  if ('has' in condition) return item?.[condition.has] !== undefined;
  if ('equals' in condition) return Object.entries(condition.equals).every(([name, value]) => item?.[name] === value);
  if ('atLeast' in condition)
    return Object.entries(condition.atLeast).every(([name, least]) => {
      const value = item?.[name];
      return typeof value === 'number' && value >= least;
    });
  if ('contains' in condition) {
    const value = item?.[condition.contains.attribute];
    return typeof value === 'string' && value.includes(condition.contains.text);
  }
  if ('after' in condition)
    return Object.entries(condition.after).every(([name, bound]) => {
      const value = item?.[name];
      return typeof value === 'string' && compare(value, bound) > 0;
    });
  return Object.entries(condition.before).every(([name, bound]) => {
    const value = item?.[name];
    if (typeof value === 'string' && typeof bound === 'string') return compare(value, bound) < 0;
    return typeof value === 'number' && typeof bound === 'number' && value < bound;
  });
}

/** The item after a write; undefined if there is none. */
function apply(write: Write, item: Item | undefined): Item | undefined {
  if ('put' in write) return structuredClone(write.put);
  if ('update' in write) return update(item, write);
  return 'check' in write ? item : undefined;
}

function update(item: Item | undefined, { update, set, add, addOrSet, append, remove }: Update): Item {
  const next: Record<string, Value> = { ...item, ...structuredClone(set) };
  for (const [name, amount] of Object.entries(add ?? {})) {
    const before = item?.[name];
    if (typeof before !== 'number') throw new Error(`${name} is not a number to add to.`);
    next[name] = before + amount;
  }
  for (const [name, amount] of Object.entries(addOrSet ?? {})) {
    const before = item?.[name] ?? 0;
    if (typeof before !== 'number') throw new Error(`${name} is not a number to add to.`);
    next[name] = before + amount;
  }
  for (const [name, values] of Object.entries(append ?? {})) {
    const before = item?.[name];
    if (!Array.isArray(before)) throw new Error(`${name} is not a list to append to.`);
    next[name] = [...(before as Value[]), ...values];
  }
  const removed = new Set(remove);
  return { ...Object.fromEntries(Object.entries(next).filter(([name]) => !removed.has(name))), ...update };
}

// An assertion: `keys` forgets the names.
const everyIndex = [undefined, ...(Object.keys(indexes) as IndexName[])];

/** The items of each partition of the table and of its indexes, in their order: a test may have a hundred thousand. */
function partitions() {
  const sorted = new Map<string, Item[]>();
  const named = (index: IndexName | undefined, partition: string): string => `${index ?? ''}\n${partition}`;
  const change = (item: Item | undefined, index: IndexName | undefined, does: 'add' | 'remove'): void => {
    const { partition: partitionName, sort: sortName } = keyNames(index);
    const partition = item?.[partitionName];
    if (item === undefined || typeof partition !== 'string' || item[sortName] === undefined) return;
    const list = sorted.get(named(index, partition)) ?? [];
    sorted.set(named(index, partition), list);
    const at = firstNotBefore(list, item, orderOf(index));
    if (does === 'add') list.splice(at, 0, item);
    else list.splice(at, 1);
  };
  return {
    of: (index: IndexName | undefined, partition: string): readonly Item[] => sorted.get(named(index, partition)) ?? [],
    replace: (before: Item | undefined, after: Item | undefined): void => {
      for (const index of everyIndex) {
        change(before, index, 'remove');
        change(after, index, 'add');
      }
    },
  };
}

type Keyed = Readonly<Record<string, Value>>;
type Order = (a: Keyed, b: Keyed) => number;

function orderOf(index: IndexName | undefined): Order {
  const { sort } = keyNames(index);
  return (a, b) =>
    compare(text(a, sort), text(b, sort)) ||
    compare(text(a, 'PK'), text(b, 'PK')) ||
    compare(text(a, 'SK'), text(b, 'SK'));
}

function firstNotBefore(list: readonly Item[], item: Keyed, order: Order): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order(list[middle] ?? {}, item) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function page(partition: readonly Item[], query: Query): Page {
  const { partition: partitionName, sort: sortName } = keyNames(query.index);
  const order = orderOf(query.index);
  const isAscending = query.ascending !== false;
  const { after, prefix, from, upTo } = query;
  if (from !== undefined && upTo !== undefined && compare(from, upTo) > 0)
    throw new Error('A range ends before it begins; DynamoDB refuses it.');
  const isIn = (item: Item): boolean =>
    (prefix === undefined || text(item, sortName).startsWith(prefix)) &&
    (from === undefined || compare(text(item, sortName), from) >= 0) &&
    (upTo === undefined || compare(text(item, sortName), upTo) <= 0) &&
    (after === undefined || order(item, after) * (isAscending ? 1 : -1) > 0);
  const evaluated: Item[] = [];
  const start = isAscending && after !== undefined ? firstNotBefore(partition, after, order) : 0;
  for (let step = start; step < partition.length && evaluated.length < (query.limit ?? Infinity); step += 1) {
    const item = partition[isAscending ? step : partition.length - 1 - step];
    if (item !== undefined && isIn(item)) evaluated.push(item);
  }
  const names = query.index ? ['PK', 'SK', partitionName, sortName] : ['PK', 'SK'];
  const seen = query.index === undefined ? evaluated : evaluated.map((item) => pick(item, names));
  const items = seen.filter((item) => (query.filters ?? []).every((filter) => passes(item[filter.attribute], filter)));
  const last = evaluated.at(-1);
  // A page that the limit ended has a position behind it, whether or not anything follows.
  return last === undefined || evaluated.length !== query.limit ? { items } : { items, next: keysIn(last, names) };
}

function text(item: Readonly<Record<string, Value>>, name: string): string {
  const value = item[name];
  return typeof value === 'string' ? value : '';
}

function keysIn(item: Item, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, text(item, name)]));
}

function pick({ PK, SK, ...rest }: Item, names: readonly string[]): Item {
  return { PK, SK, ...Object.fromEntries(Object.entries(rest).filter(([name]) => names.includes(name))) };
}

function passes(value: Value | undefined, filter: { is: 'equal' | 'contains'; value: string }): boolean {
  return filter.is === 'equal' ? value === filter.value : typeof value === 'string' && value.includes(filter.value);
}

/** Byte order of UTF-8, as DynamoDB sorts strings. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
