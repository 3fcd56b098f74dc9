/** The items of a list for a loop of checks. @throws when there are none: a loop without items checks nothing */
export function each<T>(items: Iterable<T>): readonly [T, ...T[]] {
  const list = [...items];
  if (!hasItems(list)) throw new Error('The list of the loop is empty: nothing was checked.');
  return list;
}

/** Counts an item that is undefined as one. */
function hasItems<T>(list: readonly T[]): list is readonly [T, ...T[]] {
  return list.length > 0;
}
