/**
 * The table: conditions and writes are data, with the same meaning on DynamoDB (`dynamo-store.ts`) and in memory
 * (`test/support/memory-store.ts`).
 */

type Scalar = string | number | boolean | null;
export type Value = Scalar | Uint8Array | readonly Value[] | { readonly [name: string]: Value };
export type Key = { readonly PK: string; readonly SK: string };
declare const hashed: unique symbol;
/**
 * A hash in place of personal data. Keys, unlike other attributes, appear in CloudTrail's data events and in
 * Contributor Insights. Only keyed-hash.ts creates it.
 */
export type KeyedHash = string & { readonly [hashed]: true };
export type Item = Key & Readonly<Record<string, Value>>;
/**
 * Indexes, which hold only keys: an entry is written, for one write unit, only when its keys change. `GSI2` and `GSI3`
 * share a sort key. A job is listed in its company (`GSI2`) and across companies (`GSI3`), a delivery in the list of
 * its company and in that of its resource.
 */
export const indexes = {
  GSI1: { partition: 'GSI1PK', sort: 'GSI1SK' },
  GSI2: { partition: 'GSI2PK', sort: 'GSI2SK' },
  GSI3: { partition: 'GSI3PK', sort: 'GSI2SK' },
} as const;
export type IndexName = keyof typeof indexes;

/** Names of the key attributes. */
export function keyNames(index: IndexName | undefined): { readonly partition: string; readonly sort: string } {
  return index === undefined ? { partition: 'PK', sort: 'SK' } : indexes[index];
}

/**
 * Condition of a write. `before` is `<`, `after` is `>`, `contains` a substring. Comparisons with an absent attribute
 * are false.
 */
export type Condition =
  | { readonly is: 'absent' | 'present' }
  | { readonly equals: Readonly<Record<string, Scalar>> }
  | { readonly atLeast: Readonly<Record<string, number>> }
  | { readonly before: Readonly<Record<string, string | number>> }
  | { readonly after: Readonly<Record<string, string>> }
  | { readonly contains: { readonly attribute: string; readonly text: string } }
  | { readonly lacks: string }
  | { readonly has: string }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

export type Put = { readonly put: Item; readonly when?: Condition };
export type Update = {
  readonly update: Key;
  readonly set?: Readonly<Record<string, Value>>;
  /** Added to numbers that exist; a negative number subtracts. */
  readonly add?: Readonly<Record<string, number>>;
  /** Added to numbers; one that is absent is set. */
  readonly addOrSet?: Readonly<Record<string, number>>;
  /** Appended to lists that exist. */
  readonly append?: Readonly<Record<string, readonly Value[]>>;
  readonly remove?: readonly string[];
  readonly when: Condition;
};
export type Delete = { readonly delete: Key; readonly when?: Condition };
/** A condition on an item that the transaction does not change. */
export type Check = { readonly check: Key; readonly when: Condition };
export type Write = Put | Update | Delete | Check;

/** A failed condition: the index of its write, and the current item of that key. */
export type FailedCondition = { readonly index: number; readonly item?: Item };
type Failed = { readonly ok: false; readonly failed: readonly FailedCondition[] };
export type WriteOutcome = { readonly ok: true } | Failed;
/** `after`: the item as an update left it; absent after a put. */
export type WriteOneOutcome = { readonly ok: true; readonly after?: Item } | Failed;

/** `contains` is a case-sensitive substring of text that was folded when written. */
export type Filter = { readonly attribute: string; readonly is: 'equal' | 'contains'; readonly value: string };

export type Query = {
  readonly index?: IndexName;
  readonly partition: string;
  /** Only sort keys with this prefix; not to be combined with `from` and `upTo`. */
  readonly prefix?: string;
  /** Inclusive. */
  readonly from?: string;
  /** Inclusive; not before `from`. */
  readonly upTo?: string;
  /** Resume strictly after this position: the keys of an item, and of the index. */
  readonly after?: Readonly<Record<string, string>>;
  readonly ascending?: boolean;
  /** Most items to evaluate, before filters, as DynamoDB counts them. */
  readonly limit?: number;
  readonly filters?: readonly Filter[];
};
export type Page = { readonly items: readonly Item[]; readonly next?: Readonly<Record<string, string>> };

export type WriteOptions = {
  /** Creates the writes again for a retry after a conflict, when nothing was written and time has passed. */
  readonly renewed?: () => readonly Write[];
  /**
   * Indexes of writes to items that many requests change. When only these conflict, the write gives up with
   * `ItemContended`, after a second of waits where an earlier write has met the same.
   */
  readonly contended?: readonly number[];
};

export type Store = {
  /** Strongly consistent: one GetItem, or one BatchGetItem for up to 100 keys. Absent items are undefined. */
  read: (keys: readonly Key[]) => Promise<readonly (Item | undefined)[]>;
  /** Strongly consistent on the table, eventually on an index. */
  query: (query: Query) => Promise<Page>;
  /**
   * One transaction of at most 100 writes, one per item. `token` makes a repetition harmless for ten minutes. Conflicts
   * and throttling are retried inside. @throws StoreUnavailable after the last retry; ItemContended
   */
  write: (writes: readonly Write[], token: string, options?: WriteOptions) => Promise<WriteOutcome>;
  /**
   * One conditional write outside a transaction, at half its cost and without a token: after a lost response its
   * repetition can fail on its own effect, which the caller must recognise in the returned item.
   */
  writeOne: (write: Put | Update) => Promise<WriteOneOutcome>;
};

/** The database is unreachable, or a conflict outlasted the retries: the outcome of a write may be unknown. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** Other transactions changed an item during every try. Nothing was written. */
export class ItemContended extends Error {
  override readonly name = 'ItemContended';
}

/** An item does not match its schema: never dropped silently, never served. */
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

export function keyOf(write: Write): Key {
  if ('put' in write) return { PK: write.put.PK, SK: write.put.SK };
  if ('update' in write) return write.update;
  if ('delete' in write) return write.delete;
  return write.check;
}
