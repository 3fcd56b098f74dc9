import type { Condition, Item, Key, Page, Query, Store, Update, Value, Write, WriteOutcome } from './store.ts';
import { keyOf } from './store.ts';

/**
 * The table in memory, with DynamoDB's conditional semantics: all conditions of a transaction are judged against the
 * state before it, then all writes apply or none. One suite runs on this and on the real engine.
 */
export function memoryStore(): Store & { readonly all: () => readonly Item[] } {
  const items = new Map<string, Item>();
  const place = (key: Key): string => `${key.PK}\n${key.SK}`;
  const done = new Set<string>();
  const commit = (writes: readonly Write[]): WriteOutcome => {
    const outcome = judge(writes, (key) => items.get(place(key)));
    if (outcome.ok) for (const write of writes) apply(write, items, place);
    return outcome;
  };
  return {
    all: () => [...items.values()],
    read: (keys) => Promise.resolve(keys.map((key) => items.get(place(key)))),
    query: (query) => Promise.resolve(page([...items.values()], query)),
    write: (writes, token) => {
      if (done.has(token)) return Promise.resolve({ ok: true });
      const outcome = commit(writes);
      if (outcome.ok) done.add(token);
      return Promise.resolve(outcome);
    },
    writeOne: (write) => Promise.resolve(commit([write])),
  };
}

function judge(writes: readonly Write[], find: (key: Key) => Item | undefined): WriteOutcome {
  const places = new Set(writes.map((write) => JSON.stringify(keyOf(write))));
  if (places.size !== writes.length) throw new Error('A transaction touches one item twice.');
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
  return Object.entries(condition.before).every(([name, bound]) => {
    const value = item?.[name];
    return typeof value === typeof bound && (value as string | number) < bound;
  });
}

function apply(write: Write, items: Map<string, Item>, place: (key: Key) => string): void {
  if ('put' in write) items.set(place(write.put), structuredClone(write.put));
  else if ('delete' in write) items.delete(place(write.delete));
  else if ('update' in write) items.set(place(write.update), updated(items.get(place(write.update)), write));
}

function updated(item: Item | undefined, { update, set, add, append, remove }: Update): Item {
  const next: Record<string, Value> = { ...item, ...structuredClone(set) };
  for (const [name, amount] of Object.entries(add ?? {})) {
    const before = item?.[name];
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

function page(all: readonly Item[], query: Query): Page {
  const [partitionName, sortName] = query.index ? [`${query.index}PK`, `${query.index}SK`] : ['PK', 'SK'];
  const text = (item: Readonly<Record<string, Value>>, name: string): string => String(item[name]);
  const order = (a: Readonly<Record<string, Value>>, b: Readonly<Record<string, Value>>): number =>
    compare(text(a, sortName), text(b, sortName)) ||
    compare(text(a, 'PK'), text(b, 'PK')) ||
    compare(text(a, 'SK'), text(b, 'SK'));
  const direction = query.ascending === false ? -1 : 1;
  const { after, prefix, upTo } = query;
  const matching = all
    .filter((item) => item[partitionName] === query.partition && item[sortName] !== undefined)
    .filter((item) => prefix === undefined || text(item, sortName).startsWith(prefix))
    .filter((item) => upTo === undefined || text(item, sortName) <= upTo)
    .filter((item) => after === undefined || order(item, after) * direction > 0)
    .sort((a, b) => order(a, b) * direction);
  const evaluated = matching.slice(0, query.limit ?? matching.length);
  const items = evaluated.filter((item) =>
    (query.filters ?? []).every((filter) => passes(item[filter.attribute], filter)),
  );
  const last = evaluated.at(-1);
  if (last === undefined || evaluated.length === matching.length) return { items };
  const names = query.index ? ['PK', 'SK', partitionName, sortName] : ['PK', 'SK'];
  return { items, next: Object.fromEntries(names.map((name) => [name, text(last, name)])) };
}

function passes(value: Value | undefined, filter: { is: 'equal' | 'contains'; value: string }): boolean {
  return filter.is === 'equal' ? value === filter.value : typeof value === 'string' && value.includes(filter.value);
}

/** Byte order of UTF-8, as DynamoDB sorts strings. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
