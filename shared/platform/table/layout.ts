import type { Item } from './store.ts';

/**
 * How the attributes of an item are laid out, a number of its entity. An item without the attribute has layout 1: what
 * never changed costs no byte.
 */
export const layoutAttribute = 'layout';

/**
 * The newest layout that this release reads, by entity; absent: 1. Raised (and read, beside the one before) a release
 * before the first item is written so: that release is the one to return to.
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
