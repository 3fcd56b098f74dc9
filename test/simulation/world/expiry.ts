import type { Item, Store } from '#shared/platform/table/store.ts';
import type { Draws } from '#test/model/bank-books.ts';
import { beginsAt } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Finding } from './history.ts';

const hour = 3_600_000;
const lookEveryMs = 4 * hour;
/** DynamoDB promises no better. */
const latestMs = 48 * hour;

const place = ({ PK, SK }: Item): string => `${PK} ${SK}`;

/** The table's time to live: what has expired goes within two days, in any order, and can be read till then. */
export function expiryOf(
  time: VirtualTime,
  draws: Draws,
  over: {
    readonly store: Pick<Store, 'write'> & { readonly all: () => readonly Item[] };
    readonly finding: Finding;
    readonly met: (occurrence: string) => void;
    /** Whether it notes a minute that is not closed. */
    readonly isOpen: (item: Item) => boolean;
  },
) {
  const { store, finding, met } = over;
  const expired = new Map<string, Item>();
  let count = 0;
  const remove = async (item: Item): Promise<void> => {
    const { PK, SK, entity, status } = item;
    const name = typeof entity === 'string' ? entity : 'item';
    if (status === 'PENDING') finding('no pending delivery expires', `${name} ${PK} ${SK}`, PK.split('#'));
    if (over.isOpen(item)) finding('no note expires before its minute is closed', `${PK} ${SK}`, SK.split('#'));
    met(`expired ${name}`);
    count += 1;
    await store.write([{ delete: { PK, SK } }], `expiry-${count}`);
    expired.set(place(item), item);
  };
  const look = async (): Promise<void> => {
    for (const item of store.all()) {
      const { expiresAt } = item;
      if (typeof expiresAt !== 'number') continue;
      const sinceMs = beginsAt + time.now() - 1000 * expiresAt;
      if (sinceMs > 0 && (sinceMs > latestMs - lookEveryMs || draws.chance(0.2))) await remove(item);
    }
  };
  const turn = (): void => {
    void look().then(() => time.at(time.now() + lookEveryMs, turn));
  };
  return {
    begin: turn,
    /** What has gone and did not come again. */
    expired: (): readonly Item[] => {
      const storedPlaces = new Set(store.all().map(place));
      return [...expired.values()].filter((item) => !storedPlaces.has(place(item)));
    },
  };
}
