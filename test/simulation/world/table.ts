import type { Item, Key, Put, Store, Update, Write, WriteOutcome } from '#shared/platform/table/store.ts';
import { ItemContended, keyOf, StoreUnavailable } from '#shared/platform/table/store.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { costOf, sizeOf, unitsOf } from '#test/support/write-units.ts';
import type { Actors, Actor, Weather } from './actors.ts';

/** A write that was made: the item before and after it. */
export type Change = { readonly write: Write; readonly before: Item | undefined; readonly after: Item | undefined };

type Listeners = {
  /** A commit, with all its changes. `actor`: whose it was; undefined for the world itself. */
  readonly committed: (changes: readonly Change[], actor: Actor | undefined) => void;
  readonly inserted: (item: Item) => void;
  readonly removed: (item: Item) => void;
  /** A read or write of these keys is about to be made. */
  readonly touched: (keys: readonly Pick<Key, 'PK'>[], actor: Actor) => void;
};

/** A read of 4 KB that sees every write is one unit; of what is not there, too. */
const consistentUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));

/** Shards of the due index that are read at once, as in shared/platform/jobs/due.ts. */
const shardsAtOnce = 16;
const indexLagMs = 10_000;
/** Of the calls that an invocation makes of the table, so many meet a conflict that outlasts their retries. */
const conflictShare = 0.2;

/**
 * The table's twin: `memory` is its content, `watched` the same with all watchers, `store` the table as the current
 * invocation gets it.
 */
export function tableOf(
  time: VirtualTime,
  draws: Draws,
  over: { readonly actors: Actors; readonly faultSchedule: () => Weather; readonly listeners: Listeners },
) {
  const { actors, faultSchedule, listeners } = over;
  const memory = memoryStore();
  const changedAt = new Map<string, number>();
  const watch = async (
    writes: readonly Write[],
    factor: 1 | 2,
    make: () => Promise<WriteOutcome>,
  ): Promise<WriteOutcome> => {
    const keys = writes.map(keyOf);
    const before = await memory.read(keys);
    const outcome = await make();
    if (!outcome.ok) return outcome;
    const after = await memory.read(keys);
    const changes = writes.map((write, place) => ({ write, before: before[place], after: after[place] }));
    for (const { before: was, after: is } of changes) {
      if (is === undefined && was !== undefined) listeners.removed(was);
      if (is === undefined || is === was) continue;
      changedAt.set(is.PK, time.now());
      if (was === undefined) listeners.inserted(is);
    }
    const actor = actors.present();
    if (actor?.companyId !== undefined)
      for (const { before: was, after: is } of changes) actor.units.writes += unitsOf(costOf(was, is, factor));
    listeners.committed(changes, actor);
    return outcome;
  };
  const watched: Store = {
    ...memory,
    // A repetition by its token changes nothing, which `memory` knows.
    write: (writes, token) => watch(writes, 2, () => memory.write(writes, token)),
    writeOne: (write: Put | Update) => watch([write], 1, () => memory.writeOne(write)),
  };
  const met = (keys: readonly Pick<Key, 'PK'>[], kind: 'reads' | 'writes'): void => {
    const actor = actors.present();
    if (actor === undefined) return;
    actor.calls[kind] += 1;
    listeners.touched(keys, actor);
  };
  const countRead = (units: readonly number[]): void => {
    const actor = actors.present();
    if (actor?.companyId !== undefined) actor.units.reads += units.reduce((sum, some) => sum + some, 0);
  };
  const isNew = ({ PK }: Item): boolean => time.now() - (changedAt.get(PK) ?? -Infinity) < indexLagMs;
  const conflicts = (): void => {
    if (actors.present() === undefined || !draws.chance(faultSchedule().unavailable * conflictShare)) return;
    throw new StoreUnavailable('A conflict outlasted the retries.');
  };
  const store: Store = {
    read: async (keys) => {
      met(keys, 'reads');
      const items = await actors.step({ name: 'read', canFail: true }, () => watched.read(keys));
      countRead(items.map((item) => consistentUnits(sizeOf(item))));
      return items;
    },
    query: async (query) => {
      met([{ PK: query.partition }], 'reads');
      const atOnce = query.partition.startsWith('DUE#') ? shardsAtOnce : 1;
      const page = await actors.step({ name: 'query', canFail: true, atOnce }, () => watched.query(query));
      const bytes = page.items.reduce((sum, item) => sum + sizeOf(item), 0);
      countRead([consistentUnits(bytes) * (query.index === undefined ? 1 : 0.5)]);
      if (query.index === undefined || faultSchedule().indexLag === 0) return page;
      return { ...page, items: page.items.filter((item) => !isNew(item) || !draws.chance(faultSchedule().indexLag)) };
    },
    write: async (writes, token, { renewed, contended = [] } = {}) => {
      met(writes.map(keyOf), 'writes');
      if (contended.length > 0 && draws.chance(faultSchedule().unavailable * conflictShare))
        throw new ItemContended('Other transactions changed the item.');
      // A retry after a conflict: time has passed, and the writes are made anew.
      const isRetried = renewed !== undefined && draws.chance(faultSchedule().unavailable);
      if (isRetried) await actors.step({ name: 'conflicting write' }, () => undefined);
      return actors.step({ name: 'write', canFail: true }, () => {
        conflicts();
        return watched.write(isRetried ? renewed() : writes, token);
      });
    },
    writeOne: (write) => {
      met([keyOf(write)], 'writes');
      return actors.step({ name: 'writeOne', canFail: true }, () => watched.writeOne(write));
    },
  };
  return { memory, store, watched };
}
