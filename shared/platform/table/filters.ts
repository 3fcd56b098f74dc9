/**
 * The filters of a list, each as a condition on a listed item. `KEY`: only a key of the list holds the value, not the
 * item. The endpoint's schema has no other filters (`pageRequest`). The source applies filters by its keys where it
 * can; the rest is applied to the items.
 */
export type FilterRules<Stored, Values> = {
  readonly [Name in keyof Values]-?: ((item: Stored, value: Exclude<Values[Name], undefined>) => boolean) | 'KEY';
};

/** The names of the filters that a request gives. */
function givenNames<Values extends object>(values: Values): readonly (keyof Values)[] {
  return (Object.keys(values) as (keyof Values)[]).filter((name) => values[name] !== undefined);
}

/** Whether an item meets every filter of a request. Filters with the rule `KEY` are not checked. */
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
 * Returns the filters of a request that a source does not apply by its keys: they are applied to the items.
 * @param decided the filters that the keys of the source apply
 * @throws Error for a `KEY` filter that is not among them
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
