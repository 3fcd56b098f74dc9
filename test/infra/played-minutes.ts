import type { AlarmState } from './alarm-evaluator.ts';
import { evaluate, readAlarm, ringsOf } from './alarm-evaluator.ts';
import type { Points } from './emitted-points.ts';
import { metricKey } from './emitted-points.ts';
import type { Properties, Resource, Template } from './synthesized.ts';
import { all } from './synthesized.ts';

/** What is written in one minute: points, each so many times. */
export type Minute = readonly (readonly [points: Points, times: number])[];

type Metric = { readonly Namespace: string; readonly MetricName: string; readonly Dimensions?: readonly Dimension[] };
type Dimension = { readonly Name: string; readonly Value: string };
type Values = readonly (readonly [value: number, times: number])[];

/** One metric of an alarm. */
type Stat = { readonly id: string; readonly over: (from: number, until: number) => number | undefined };

/** Periods that CloudWatch reads beyond those of the alarm, as in its examples. */
const more = 2;

/**
 * The states of every alarm of a template after each minute: an alarm looks each minute at the periods that end then
 * (its sliding window), and a composite alarm at its alarms.
 */
export function playMinutes(
  template: Template,
  minutes: readonly Minute[],
): ReadonlyMap<string, readonly AlarmState[]> {
  const states = new Map<string, readonly AlarmState[]>();
  for (const { id, Properties } of all(template, 'AWS::CloudWatch::Alarm'))
    states.set(id, playAlarm(Properties, minutes));
  const waiting = [...all(template, 'AWS::CloudWatch::CompositeAlarm')];
  while (waiting.length > 0) {
    const ready = waiting.findIndex(({ Properties }) => alarmsOf(Properties).every((id) => states.has(id)));
    const [{ id, Properties } = missing()] = waiting.splice(ready, ready < 0 ? 0 : 1);
    states.set(
      id,
      minutes.map((_, at) => (isMet(Properties, (child) => states.get(child)?.[at] === 'ALARM') ? 'ALARM' : 'OK')),
    );
  }
  return states;
}

function missing(): never {
  throw new Error('A composite alarm names an alarm that the template does not have.');
}

function playAlarm(properties: Properties, minutes: readonly Minute[]): readonly AlarmState[] {
  const alarm = readAlarm(properties);
  const stats = statsOf(properties, minutes);
  const period = alarm.periodSeconds / 60;
  // Of the period that ends with each minute.
  const values = minutes.map((_, now) =>
    alarm.valueOf(Object.fromEntries(stats.map(({ id, over }) => [id, over(Math.max(0, now + 1 - period), now + 1)]))),
  );
  let state: AlarmState = 'INSUFFICIENT_DATA';
  return minutes.map((_, now) => {
    const range = Array.from({ length: alarm.periods + more }, (_period, back) => values[now - back * period]);
    state = evaluate(alarm, range.toReversed(), state);
    return state;
  });
}

/** Every metric that an alarm watches, with its name in the alarm's expression and its statistic. */
export function metricsOf(
  properties: Properties,
): readonly (Metric & { readonly id: string; readonly stat: string })[] {
  const queries = (properties['Metrics'] ?? [
    {
      Id: 'metric',
      MetricStat: { Metric: properties, Stat: (properties['Statistic'] ?? properties['ExtendedStatistic']) as string },
    },
  ]) as readonly { Id: string; MetricStat?: { Metric: Metric; Stat: string } }[];
  return queries.flatMap(({ Id: id, MetricStat }) => {
    if (MetricStat === undefined) return [];
    const { Namespace, MetricName, Dimensions = [] } = MetricStat.Metric;
    return [{ Namespace, MetricName, Dimensions, id, stat: MetricStat.Stat }];
  });
}

function statsOf(properties: Properties, minutes: readonly Minute[]): readonly Stat[] {
  return metricsOf(properties).map((metric) => {
    const key = keyOf(metric);
    const known = new Map<Minute, Values>();
    const values = minutes.map((minute) => {
      const found =
        known.get(minute) ??
        minute.flatMap(([points, times]) => (points.get(key) ?? []).map((value) => [value, times] as const));
      known.set(minute, found);
      return found;
    });
    return { id: metric.id, over: statistic(metric.stat, values) };
  });
}

/** The key of a watched metric in points. */
export function keyOf({ Namespace, MetricName, Dimensions = [] }: Metric): string {
  return metricKey(Namespace, MetricName, Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])));
}

/** Returns a statistic of CloudWatch over some of the minutes; undefined without a value. */
function statistic(stat: string, minutes: readonly Values[]): Stat['over'] {
  if (stat === 'Maximum') {
    return (from, until) => {
      const values = minutes.slice(from, until).flat();
      return values.length === 0 ? undefined : Math.max(...values.map(([value]) => value));
    };
  }
  const [, limit] = /^PR\(:(\d+)\)$/u.exec(stat) ?? [];
  const sumUntil = (weight: (value: number) => number): readonly number[] => {
    let sum = 0;
    return [
      0,
      ...minutes.map((values) => (sum += values.reduce((all, [value, times]) => all + weight(value) * times, 0))),
    ];
  };
  const counts = sumUntil(() => 1);
  const sums = sumUntil((value) => (limit === undefined ? value : value <= Number(limit) ? 100 : 0));
  return (from, until) => {
    const between = (all: readonly number[]): number => (all[until] ?? 0) - (all[from] ?? 0);
    const count = between(counts);
    if (count < 1e-6) return undefined;
    if (stat === 'SampleCount') return count;
    if (stat === 'Sum') return between(sums);
    if (stat === 'Average' || limit !== undefined) return between(sums) / count;
    throw new Error(`${stat} is not known here.`);
  };
}

/** The rule of a composite alarm, with the ids of its alarms. */
function ruleOf(properties: Properties): string {
  const [, parts] = (properties['AlarmRule'] as { 'Fn::Join': [string, (string | { 'Fn::GetAtt': [string] })[]] })[
    'Fn::Join'
  ];
  return parts.map((part) => (typeof part === 'string' ? part : part['Fn::GetAtt'][0])).join('');
}

/** Ids of the alarms that a composite alarm joins. */
export function alarmsOf(properties: Properties): readonly string[] {
  return [...ruleOf(properties).matchAll(/ALARM\("(\w+)"\)/gu)].map(([, id = '']) => id);
}

/** Whether a rule of one operator is met. @throws Error for any other rule. */
function isMet(properties: Properties, isInAlarm: (id: string) => boolean): boolean {
  const rule = ruleOf(properties).replaceAll(/ALARM\("\w+"\)/gu, '_');
  const ids = alarmsOf(properties);
  if (/^\(_( AND _)*\)$/u.test(rule)) return ids.every(isInAlarm);
  if (/^\(_( OR _)*\)$/u.test(rule)) return ids.some(isInAlarm);
  throw new Error(`${rule} is not known here.`);
}

/** The minutes in which a topic is told that something is wrong, by alarm. */
export function notified(
  template: Template,
  states: ReadonlyMap<string, readonly AlarmState[]>,
  topicArn: string,
): ReadonlyMap<string, readonly number[]> {
  const alarms: readonly Resource[] = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
    all(template, type),
  );
  const rings = alarms.flatMap(({ id, Properties }) => {
    const tells = (actions: string): boolean => [Properties[actions]].flat().includes(topicArn);
    const calls = [
      ...(tells('AlarmActions') ? ['ALARM' as const] : []),
      ...(tells('InsufficientDataActions') ? ['INSUFFICIENT_DATA' as const] : []),
    ];
    const found = ringsOf({ calls }, states.get(id) ?? []);
    return found.length > 0 ? [[id.replace(/[0-9A-F]{8}$/u, ''), found] as const] : [];
  });
  return new Map(rings);
}
