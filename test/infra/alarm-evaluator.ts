import type { MetricMath } from './metric-math.ts';
import { readMath } from './metric-math.ts';
import type { Properties } from './synthesized.ts';

/** One value a period; undefined: CloudWatch has no point of it. */
export type Series = readonly (number | undefined)[];

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** An alarm of a template, as CloudWatch reads it. */
export type EvaluatedAlarm = {
  /** Names of its metrics: the keys of what `play` is given. */
  readonly metrics: readonly string[];
  readonly periodSeconds: number;
  readonly periods: number;
  readonly datapoints: number;
  readonly threshold: number;
  readonly isBreaching: (value: number) => boolean;
  readonly missing: 'breaching' | 'notBreaching' | 'ignore' | 'missing';
  readonly valueOf: MetricMath;
  /** States whose beginning notifies an operator. */
  readonly calls: readonly AlarmState[];
};

/** What AWS leaves open: tests try several. */
export type Surroundings = {
  /** CloudWatch reads more periods than an alarm evaluates, by a number that it does not publish; in its examples 2. */
  readonly more: number;
  /** Newest periods whose points are not there yet when they are evaluated. */
  readonly late: number;
};

type MetricQuery = {
  readonly Id: string;
  readonly Expression?: string;
  readonly Period?: number;
  readonly MetricStat?: { readonly Metric: { readonly Namespace: string }; readonly Period: number };
};

const breaches: Readonly<Record<string, (threshold: number) => (value: number) => boolean>> = {
  GreaterThanThreshold: (threshold) => (value) => value > threshold,
  LessThanOrEqualToThreshold: (threshold) => (value) => value <= threshold,
};

/** Reads an alarm. @throws Error where it uses what this evaluator does not know. */
export function readAlarm(properties: Properties): EvaluatedAlarm {
  const { Threshold: threshold, ComparisonOperator: operator } = properties;
  const breaching = breaches[operator as string];
  if (breaching === undefined) throw new Error(`${String(operator)} is not known here.`);
  const queries = (properties['Metrics'] ?? []) as readonly MetricQuery[];
  const math = queries.find(({ Expression }) => Expression !== undefined)?.Expression;
  const stats = queries.flatMap(({ Id, MetricStat }) => (MetricStat === undefined ? [] : [{ id: Id, ...MetricStat }]));
  const namespaces = [properties['Namespace'] as unknown, ...stats.map(({ Metric }) => Metric.Namespace)];
  const calls = { OK: 'OKActions', ALARM: 'AlarmActions', INSUFFICIENT_DATA: 'InsufficientDataActions' } as const;
  return {
    metrics: math === undefined ? ['metric'] : stats.map(({ id }) => id),
    periodSeconds: (properties['Period'] ?? stats[0]?.Period) as number,
    periods: properties['EvaluationPeriods'] as number,
    datapoints: (properties['DatapointsToAlarm'] ?? properties['EvaluationPeriods']) as number,
    threshold: threshold as number,
    isBreaching: breaching(threshold as number),
    // "Alarms that evaluate metrics in the AWS/DynamoDB namespace always ignore missing data" (PutMetricAlarm).
    missing: namespaces.includes('AWS/DynamoDB')
      ? 'ignore'
      : (properties['TreatMissingData'] as EvaluatedAlarm['missing']),
    valueOf: math === undefined ? ({ metric }) => metric : readMath(math),
    calls: (Object.keys(calls) as AlarmState[]).filter((state) => properties[calls[state]] !== undefined),
  };
}

/** The alarm's state after each period, from its creation on. */
export function play(
  alarm: EvaluatedAlarm,
  series: Readonly<Record<string, Series>>,
  { more, late }: Surroundings,
): readonly AlarmState[] {
  const length = Math.max(...Object.values(series).map((one) => one.length));
  let state: AlarmState = 'INSUFFICIENT_DATA';
  return Array.from({ length }, (_, now) => {
    const range = Array.from({ length: alarm.periods + more }, (_before, back) => now - back).toReversed();
    const read = range.map((at) =>
      alarm.valueOf(
        Object.fromEntries(alarm.metrics.map((name) => [name, at > now - late ? undefined : series[name]?.[at]])),
      ),
    );
    state = evaluate(alarm, read, state);
    return state;
  });
}

/**
 * CloudWatch's rules for one evaluation ("Configuring how CloudWatch alarms treat missing data").
 *
 * @param range All points that it reads, the newest last.
 */
export function evaluate(
  alarm: Pick<EvaluatedAlarm, 'periods' | 'datapoints' | 'isBreaching' | 'missing'>,
  range: Series,
  before: AlarmState,
): AlarmState {
  const { periods, datapoints, isBreaching, missing } = alarm;
  const real = range.filter((value) => value !== undefined);
  const judged = real.slice(-periods);
  const bad = judged.filter(isBreaching).length;
  // Missing points are filled in only where the real ones are too few.
  const absent = periods - judged.length;
  if (bad >= datapoints) return 'ALARM';
  if (absent === 0) return 'OK';
  if (missing === 'breaching') return bad + absent >= datapoints ? 'ALARM' : 'OK';
  if (missing === 'notBreaching') return 'OK';
  const canStillBreach = bad + absent >= datapoints;
  if (missing === 'ignore') return canStillBreach ? before : 'OK';
  if (real.length === 0) return 'INSUFFICIENT_DATA';
  return isOldBreach(range, datapoints, isBreaching) ? 'ALARM' : 'OK';
}

/** A breach at least `datapoints` periods old after which every point breaches or is missing. */
function isOldBreach(range: Series, datapoints: number, isBreaching: (value: number) => boolean): boolean {
  const first = range.findIndex((value) => value !== undefined && isBreaching(value));
  if (first === -1 || range.length - first < datapoints) return false;
  return range.slice(first).every((value) => value === undefined || isBreaching(value));
}

/** The periods in which an operator is notified of an error. */
export function ringsOf({ calls }: Pick<EvaluatedAlarm, 'calls'>, states: readonly AlarmState[]): readonly number[] {
  return states.flatMap((state, at) => {
    const before = at === 0 ? 'INSUFFICIENT_DATA' : states[at - 1];
    return state !== before && state !== 'OK' && calls.includes(state) ? [at] : [];
  });
}
