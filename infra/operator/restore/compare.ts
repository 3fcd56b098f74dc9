import { hash } from 'node:crypto';
import { companyOf } from '#shared/platform/company.ts';
import { epochSeconds } from '#shared/core/brasilia-time.ts';
import type { Item, Key } from '#shared/platform/table/store.ts';
import type { OperatorDependencies } from '../target.ts';

/** Side on which an item differs between the current table and the restored one. */
type Side = 'onlyCurrent' | 'onlyRestored' | 'different';

export type ItemDifference = {
  readonly key: Key;
  readonly entity: string;
  readonly side: Side;
};

type OpenTable = Pick<OperatorDependencies, 'itemsOf'>;
type Tables = { readonly current: OpenTable; readonly restored: OpenTable };

type Options = {
  readonly companyId?: string | undefined;
  readonly unitsPerSecond: number;
  /** Expired items are not compared: each table deletes them at its own time. */
  readonly now: string;
};

/** Read units a second: a restore is urgent, and nothing else uses either table. */
export const restoreReadUnits = 2_000;

/**
 * Returns every difference of two tables. It scans the current table and keeps a digest of each item in memory (about
 * 300 MB for a million items), then scans the restored table.
 */
export async function compareTables(
  { current, restored }: Tables,
  { companyId, unitsPerSecond, now }: Options,
): Promise<{ readonly differences: readonly ItemDifference[]; readonly items: number }> {
  const scan = { companyId, unitsPerSecond, onPage: () => undefined };
  const expired = ({ expiresAt }: Item): boolean => typeof expiresAt === 'number' && expiresAt < epochSeconds(now);
  const digests = new Map<string, string>();
  for await (const item of current.itemsOf(scan)) if (!expired(item)) digests.set(placeOf(item), digestOf(item));
  const items = digests.size;
  const differences: ItemDifference[] = [];
  for await (const item of restored.itemsOf(scan)) {
    if (expired(item)) continue;
    const place = placeOf(item);
    const digest = digests.get(place);
    digests.delete(place);
    if (digest === digestOf(item)) continue;
    const side = digest === undefined ? 'onlyRestored' : 'different';
    differences.push({ key: keyAt(place), entity: entityOf(item), side });
  }
  for (const [place, digest] of digests)
    differences.push({ key: keyAt(place), entity: digest.slice(digestLength), side: 'onlyCurrent' });
  return { differences, items };
}

/** A line for each company and entity that differs, with the key of one such item. */
export function summary(differences: readonly ItemDifference[]) {
  const groups = Map.groupBy(differences, ({ key, entity }) => `${companyOf(key) ?? '-'} ${entity}`);
  return [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, group]) => {
      const [company = '', entity = ''] = name.split(' ');
      const count = (side: Side): number => group.filter((itemDifference) => itemDifference.side === side).length;
      const [first] = group;
      return {
        company,
        entity,
        onlyCurrent: count('onlyCurrent'),
        onlyRestored: count('onlyRestored'),
        different: count('different'),
        example: first === undefined ? '' : `${first.key.PK} ${first.key.SK}`,
      };
    });
}

/** A character that no key contains: the parts of keys that partners choose have visible characters only. */
const separator = '\n';
const digestLength = 27;

function placeOf({ PK, SK }: Key): string {
  return `${PK}${separator}${SK}`;
}

function keyAt(place: string): Key {
  const [PK = '', SK = ''] = place.split(separator);
  return { PK, SK };
}

/** Returns the SHA-1 of the attributes, sorted by name, and then the entity. The hash protects no secret. */
function digestOf(item: Item): string {
  const text = JSON.stringify(item, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return hash('sha1', text, 'base64url') + entityOf(item);
}

function entityOf({ entity }: Item): string {
  return typeof entity === 'string' ? entity : '?';
}
