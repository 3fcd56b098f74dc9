import type { Item } from './store.ts';

/**
 * The attribute with the layout of an item, a number that is counted for each entity. Without it an item has layout 1:
 * an entity whose layout never changed stores no such attribute.
 */
export const layoutAttribute = 'layout';

/**
 * The newest layout that this release reads, by entity; absent: 1. Raise it one release before items are written in the
 * new layout, and still read the old one: that release can then be rolled back to.
 */
const newestLayouts: ReadonlyMap<unknown, number> = new Map<string, number>();

export function layoutOf(item: Item): number {
  const layout = item[layoutAttribute];
  return typeof layout === 'number' ? layout : 1;
}

/** Describes the error of an item that a newer release wrote; undefined if this release reads it. */
export function newerLayout(item: Item, newest = newestLayouts): string | undefined {
  const known = newest.get(item['entity']) ?? 1;
  const layout = layoutOf(item);
  if (layout <= known) return undefined;
  return `has layout ${layout}, and this release reads layouts up to ${known}: deploy a release that reads it`;
}
