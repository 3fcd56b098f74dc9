import type { Item, Put, Store, Update, Write } from '#shared/platform/table/store.ts';
import type { memoryStore } from '../support/memory-store.ts';
import { readable } from '../support/readable-items.ts';
import type { VirtualTime } from './virtual-time.ts';

const indexLagMs = 10_000;

/**
 * Tells of every item that did not exist before, as the table's stream does of those it is filtered for, and knows what
 * was written in the last seconds: an index may not show that yet.
 */
export function watched(
  store: ReturnType<typeof memoryStore>,
  { held, time, watch }: { held: Set<string>; time: VirtualTime; watch: () => void },
  inserted: (item: Item) => void,
) {
  const changed = new Map<string, number>();
  const report = async (writes: readonly Write[], write: () => ReturnType<Store['write']>) => {
    const puts = writes.flatMap((each) => ('put' in each ? [each.put] : []));
    const before = await store.read(puts);
    const outcome = await write();
    if (!outcome.ok) return outcome;
    puts.forEach((item, place) => {
      changed.set(item.PK, time.now());
      const { id, status } = readable(item);
      if ((status === 'HELD' || item['backlog'] !== undefined) && typeof id === 'string') held.add(id);
      if (before[place] === undefined) inserted(item);
    });
    watch();
    return outcome;
  };
  return {
    ...store,
    isNew: ({ PK }: Item): boolean => time.now() - (changed.get(PK) ?? -Infinity) < indexLagMs,
    write: (writes: readonly Write[], token: string) => report(writes, () => store.write(writes, token)),
    writeOne: (write: Put | Update) => report([write], () => store.writeOne(write)),
  };
}
