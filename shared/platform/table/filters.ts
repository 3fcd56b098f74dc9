/**
 * The filters of a list, each by what it demands of a listed item. `KEY`: a key of the list alone says it, for the item
 * does not hold it. The endpoint's schema has no other filter (`pageRequest`), the source narrows by keys what it can,
 * and whatever is left is looked for in the items.
 */
export type FilterRules<Stored, Values> = {
  readonly [Name in keyof Values]-?: ((item: Stored, value: Exclude<Values[Name], undefined>) => boolean) | 'KEY';
};

/** The names of the filters that a request gives. */
function givenNames<Values extends object>(values: Values): readonly (keyof Values)[] {
  return (Object.keys(values) as (keyof Values)[]).filter((name) => values[name] !== undefined);
}

/** Whether an item meets every filter that is given, those of a key alone apart. */
export function meetsFilters<Stored, Values extends object>(
  rules: FilterRules<Stored, Values>,
  values: Values,
  item: Stored,
): boolean {
  return givenNames(values).every((name) => {
    const rule = rules[name];
    return rule === 'KEY' || rule(item, values[name] as Exclude<Values[typeof name], undefined>);
  });
}

/**
 * The filters that are given and that a source does not decide by its keys: they are looked for in the items.
 * @param decided by the keys of the source
 * @throws Error for one that a key alone could decide
 */
export function undecided<Stored, Values extends object>(
  rules: FilterRules<Stored, Values>,
  values: Values,
  decided: readonly (keyof Values)[],
): readonly (keyof Values)[] {
  const left = givenNames(values).filter((name) => !decided.includes(name));
  const lost = left.find((name) => rules[name] === 'KEY');
  if (lost !== undefined) throw new Error(`The source of a list does not support the filter ${String(lost)}.`);
  return left;
}
