import type { Condition, Filter, Query, Update, Value } from './store.ts';
import { keyNames } from './store.ts';

/** Names and values of an expression, each behind a placeholder. */
type Placeholders = {
  readonly name: (attribute: string) => string;
  readonly value: (value: Value) => string;
  readonly attributes: () => {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, Value>;
  };
};

export function placeholders(): Placeholders {
  const names = new Map<string, string>();
  const values: Record<string, Value> = {};
  return {
    name: (attribute) => {
      const known = names.get(attribute);
      if (known !== undefined) return known;
      const placeholder = `#n${names.size}`;
      names.set(attribute, placeholder);
      return placeholder;
    },
    value: (value) => {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = value;
      return placeholder;
    },
    attributes: () => ({
      ...(names.size > 0 && {
        ExpressionAttributeNames: Object.fromEntries([...names].map(([name, holder]) => [holder, name])),
      }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    }),
  };
}

export function conditionExpression(condition: Condition, p: Placeholders): string {
  if ('all' in condition) return condition.all.map((part) => `(${conditionExpression(part, p)})`).join(' AND ');
  if ('any' in condition) return condition.any.map((part) => `(${conditionExpression(part, p)})`).join(' OR ');
  if ('is' in condition)
    return `${condition.is === 'absent' ? 'attribute_not_exists' : 'attribute_exists'}(${p.name('PK')})`;
  if ('lacks' in condition) return `attribute_not_exists(${p.name(condition.lacks)})`;
  if ('has' in condition) return `attribute_exists(${p.name(condition.has)})`;
  if ('equals' in condition) return comparison(condition.equals, '=', p);
  if ('atLeast' in condition) return comparison(condition.atLeast, '>=', p);
  if ('contains' in condition)
    return `contains(${p.name(condition.contains.attribute)}, ${p.value(condition.contains.text)})`;
  if ('after' in condition) return comparison(condition.after, '>', p);
  return comparison(condition.before, '<', p);
}

function comparison(wanted: Readonly<Record<string, Value>>, operator: string, p: Placeholders): string {
  return Object.entries(wanted)
    .map(([name, value]) => `${p.name(name)} ${operator} ${p.value(value)}`)
    .join(' AND ');
}

export function updateExpression({ set, add, addOrSet, append, remove }: Update, p: Placeholders): string {
  const sets = [
    ...Object.entries(set ?? {}).map(([name, value]) => `${p.name(name)} = ${p.value(value)}`),
    ...Object.entries(add ?? {}).map(([name, amount]) => `${p.name(name)} = ${p.name(name)} + ${p.value(amount)}`),
    ...Object.entries(addOrSet ?? {}).map(([name, amount]) => {
      const known = `if_not_exists(${p.name(name)}, ${p.value(0)})`;
      return `${p.name(name)} = ${known} + ${p.value(amount)}`;
    }),
    ...Object.entries(append ?? {}).map(
      ([name, values]) => `${p.name(name)} = list_append(${p.name(name)}, ${p.value(values)})`,
    ),
  ];
  const removes = (remove ?? []).map((name) => p.name(name));
  return [sets.length > 0 ? `SET ${sets.join(', ')}` : '', removes.length > 0 ? `REMOVE ${removes.join(', ')}` : '']
    .filter((clause) => clause !== '')
    .join(' ');
}

/** The key condition of a query. */
export function keyExpression(query: Query, p: Placeholders): string {
  const { partition, sort } = keyNames(query.index);
  const clauses = [`${p.name(partition)} = ${p.value(query.partition)}`];
  const { prefix, from, upTo } = query;
  if (prefix !== undefined) clauses.push(`begins_with(${p.name(sort)}, ${p.value(prefix)})`);
  if (from !== undefined && upTo !== undefined)
    clauses.push(`${p.name(sort)} BETWEEN ${p.value(from)} AND ${p.value(upTo)}`);
  else if (from !== undefined) clauses.push(`${p.name(sort)} >= ${p.value(from)}`);
  else if (upTo !== undefined) clauses.push(`${p.name(sort)} <= ${p.value(upTo)}`);
  return clauses.join(' AND ');
}

export function filterExpression(filters: readonly Filter[], p: Placeholders): string {
  return filters
    .map(({ attribute, is, value }) =>
      is === 'equal' ? `${p.name(attribute)} = ${p.value(value)}` : `contains(${p.name(attribute)}, ${p.value(value)})`,
    )
    .join(' AND ');
}
