/**
 * The table as the rest of the service sees it: conditions and writes are data, so that one description runs on
 * DynamoDB (`dynamo-store.ts`) and in memory (`test/support/memory-store.ts`) with the same meaning.
 */

type Scalar = string | number | boolean | null;
export type Value = Scalar | Uint8Array | readonly Value[] | { readonly [name: string]: Value };
export type Key = { readonly PK: string; readonly SK: string };
declare const hashed: unique symbol;
/**
 * What a key holds in place of what tells of a person: keys are seen where items are not, in data events of CloudTrail
 * and by Contributor Insights. Made by keyed-hash.ts alone.
 */
export type KeyedHash = string & { readonly [hashed]: true };
export type Item = Key & Readonly<Record<string, Value>>;
/**
 * The table's indexes and their keys. They carry keys alone, of the item and of the index: an entry is written when its
 * keys change and costs one unit then, whatever else changes in the item and however large it is. `GSI2` and `GSI3`
 * share a sort key: the same work in the same order, in its company and across companies; the same delivery in the list
 * of its company and in that of what it tells of.
 */
export const indexes = {
  GSI1: { partition: 'GSI1PK', sort: 'GSI1SK' },
  GSI2: { partition: 'GSI2PK', sort: 'GSI2SK' },
  GSI3: { partition: 'GSI3PK', sort: 'GSI2SK' },
} as const;
export type IndexName = keyof typeof indexes;

/** Names of the key attributes, of an index or of the table itself. */
export function keyNames(index: IndexName | undefined): { readonly partition: string; readonly sort: string } {
  return index === undefined ? { partition: 'PK', sort: 'SK' } : indexes[index];
}

/**
 * What must hold for a write. `before` compares with `<`, `after` with `>`; on an absent attribute every comparison is
 * false.
 */
export type Condition =
  | { readonly is: 'absent' | 'present' }
  | { readonly equals: Readonly<Record<string, Scalar>> }
  | { readonly atLeast: Readonly<Record<string, number>> }
  | { readonly before: Readonly<Record<string, string | number>> }
  | { readonly after: Readonly<Record<string, string>> }
  | { readonly lacks: string }
  | { readonly has: string }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

export type Put = { readonly put: Item; readonly when?: Condition };
export type Update = {
  readonly update: Key;
  readonly set?: Readonly<Record<string, Value>>;
  /** Numbers added to attributes that exist; a negative number takes away. */
  readonly add?: Readonly<Record<string, number>>;
  /** Values appended to list attributes that exist. */
  readonly append?: Readonly<Record<string, readonly Value[]>>;
  readonly remove?: readonly string[];
  readonly when: Condition;
};
export type Delete = { readonly delete: Key; readonly when?: Condition };
/** A condition on an item that the transaction does not change. */
export type Check = { readonly check: Key; readonly when: Condition };
export type Write = Put | Update | Delete | Check;

/** One failed condition: the write's place in the list and the item that stood in its way, if one did. */
export type FailedCondition = { readonly index: number; readonly item?: Item };
export type WriteOutcome = { readonly ok: true } | { readonly ok: false; readonly failed: readonly FailedCondition[] };

/** `contains` is a case-sensitive substring; the copies it searches are folded when written. */
export type Filter = { readonly attribute: string; readonly is: 'equal' | 'contains'; readonly value: string };

export type Query = {
  readonly index?: IndexName;
  readonly partition: string;
  /** Sort keys that begin so; beside `from` and `upTo` it has no meaning. */
  readonly prefix?: string;
  /** Sort keys from this one on, itself included. */
  readonly from?: string;
  /** Sort keys up to and including this one; not before `from`. */
  readonly upTo?: string;
  /** Resume strictly behind this position (the keys of an item, of the index too if there is one). */
  readonly after?: Readonly<Record<string, string>>;
  readonly ascending?: boolean;
  /** Items evaluated, before filters, as DynamoDB counts them. */
  readonly limit?: number;
  readonly filters?: readonly Filter[];
};
export type Page = { readonly items: readonly Item[]; readonly next?: Readonly<Record<string, string>> };

export type Store = {
  /**
   * Strongly consistent: one GetItem for one key, one BatchGetItem for more (at most 100). Absent items are undefined.
   */
  read: (keys: readonly Key[]) => Promise<readonly (Item | undefined)[]>;
  /** Strongly consistent on the table, eventually consistent on an index (as DynamoDB is). */
  query: (query: Query) => Promise<Page>;
  /**
   * All or nothing, at most 100 writes, one per item. `token` makes a repetition of the same writes harmless for ten
   * minutes. Conflicts and throttling are retried inside; what outlasts the retries is thrown as `StoreUnavailable`.
   *
   * @param renewed The writes anew, for a try after a conflict: nothing was written, and time has passed.
   */
  write: (writes: readonly Write[], token: string, renewed?: () => readonly Write[]) => Promise<WriteOutcome>;
  /**
   * One conditional write outside a transaction, at half its cost. It has no token: after a lost answer its repetition
   * can fail on its own effect, so the caller must recognise that effect in the item that comes back.
   */
  writeOne: (write: Put | Update) => Promise<WriteOutcome>;
};

/** The database could not be reached, or a conflict outlasted the retries: the outcome of a write may be unknown. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** An item in the table is not what its schema says: never dropped silently, never served. */
export class CorruptItem extends Error {
  override readonly name = 'CorruptItem';
}

/** Every item of a query, page after page. */
export async function* queryAll(store: Pick<Store, 'query'>, query: Query): AsyncGenerator<Item, void, void> {
  let after = query.after;
  do {
    const page: Page = await store.query({ ...query, ...(after && { after }) });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

/** The key of the item that a write touches. */
export function keyOf(write: Write): Key {
  if ('put' in write) return { PK: write.put.PK, SK: write.put.SK };
  if ('update' in write) return write.update;
  if ('delete' in write) return write.delete;
  return write.check;
}
