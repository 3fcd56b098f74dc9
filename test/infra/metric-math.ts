/** Values of metrics at one time, by their ids; undefined: no point. */
type Points = Readonly<Record<string, number | undefined>>;
/** An expression of CloudWatch's metric math at one time; undefined: it has no point. */
export type MetricMath = (points: Points) => number | undefined;

type Operator = (one: number, other: number) => number | undefined;
const operators: readonly Readonly<Record<string, Operator>>[] = [
  { '>': (one, other) => Number(one > other) },
  { '+': (one, other) => one + other, '-': (one, other) => one - other },
  { '*': (one, other) => one * other, '/': (one, other) => (other === 0 ? undefined : one / other) },
];

/** Reads the part of metric math that the alarms use. @throws Error for anything else. */
export function readMath(text: string): MetricMath {
  const tokens = text.match(/[\w.]+|[^\s\w.]/gu) ?? [];
  let at = 0;
  const take = (expected?: string): string => {
    const token = tokens[at] ?? '';
    if (expected !== undefined && token !== expected) throw new Error(`${text}: ${expected} instead of ${token}.`);
    at += 1;
    return token;
  };
  const listed = (count: number): MetricMath[] => {
    take('(');
    const all = Array.from({ length: count }, (_, index) => {
      if (index > 0) take(',');
      return level(0);
    });
    take(')');
    return all;
  };
  const single = (): MetricMath => {
    const token = take();
    if (token === '(') {
      const inner = level(0);
      take(')');
      return inner;
    }
    if (token === 'FILL') {
      const [metric, otherwise] = listed(2);
      return (points) => metric?.(points) ?? otherwise?.(points);
    }
    if (token === 'IF') {
      const [condition, then, otherwise] = listed(3);
      return (points) => {
        const met = condition?.(points);
        return met === undefined ? undefined : (met === 0 ? otherwise : then)?.(points);
      };
    }
    if (/^\d/u.test(token)) return () => Number(token);
    if (!/^[a-z]\w*$/u.test(token))
      throw new Error(`${text}: ${token} is no metric, and no function that is known here.`);
    return (points) => points[token];
  };
  const level = (depth: number): MetricMath => {
    const known = operators[depth];
    if (known === undefined) return single();
    let left = level(depth + 1);
    for (let operator = known[tokens[at] ?? '']; operator !== undefined; operator = known[tokens[at] ?? '']) {
      at += 1;
      left = joined(operator, left, level(depth + 1));
    }
    return left;
  };
  const whole = level(0);
  if (at < tokens.length) throw new Error(`${text}: ${take()} is not expected.`);
  return whole;
}

/** An operation has a point only where both of its sides have one. */
function joined(operator: Operator, left: MetricMath, right: MetricMath): MetricMath {
  return (points) => {
    const [one, other] = [left(points), right(points)];
    return one === undefined || other === undefined ? undefined : operator(one, other);
  };
}
