/** The items of a list for a loop of checks. @throws when there are none: a loop without items checks nothing */
export function each<T>(items: Iterable<T>): readonly [T, ...T[]] {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error('The list of the loop is empty: nothing was checked.');
  return [first, ...rest];
}
