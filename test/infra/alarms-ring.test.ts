import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { AlarmState, EvaluatedAlarm, Series, Surroundings } from './alarm-evaluator.ts';
import { play, readAlarm, ringsOf } from './alarm-evaluator.ts';
import { alarmsOf } from './played-minutes.ts';
import type { Resource } from './synthesized.ts';
import { all, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

/*
 * Every alarm of production, through silence, an incident, silence and an incident, by CloudWatch's documented rules.
 * The table of docs/alarms.md is this test's own output; `UPDATE_ALARMS=1` writes it again.
 */

const targets = {
  topicArn: 'arn:aws:sns:sa-east-1:111111111111:page',
  ticketTopicArn: 'arn:aws:sns:sa-east-1:111111111111:ticket',
};
const prod = {
  ...environments.prod,
  alarms: { ...environments.prod.alarms, ...targets },
  caller: { secretArn: 'arn:aws:secretsmanager:sa-east-1:111111111111:secret:caller-a1b2c3' },
};
/** With this context a resource names its construct. */
const context = { 'aws:cdk:enable-path-metadata': true };
const stacks = synthesize({ environments: ['prod'], settings: { prod }, context });
const partsOf = ({ Metadata }: Resource): readonly string[] => Metadata?.['aws:cdk:path']?.split('/') ?? [];
const outage = all(stacks('Prod-Monitoring'), 'AWS::CloudWatch::CompositeAlarm')
  .filter(({ id }) => id.startsWith('Outage'))
  .flatMap(({ Properties }) => alarmsOf(Properties));
/** Of the shares of failures objectives.test.ts knows when they ring. */
const monitored = all(stacks('Prod-Monitoring'), 'AWS::CloudWatch::Alarm')
  .filter(({ Properties }) => !JSON.stringify(Properties['Metrics'] ?? []).includes('"IF('))
  .map((resource) => {
    const alarm = readAlarm(resource.Properties);
    return {
      name: partsOf(resource).at(-2) ?? '',
      ...(outage.includes(resource.id)
        ? { alarm: { ...alarm, calls: ['ALARM' as const] }, severity: 'page (Outage)' }
        : {
            alarm,
            severity: [resource.Properties['AlarmActions']].flat().includes(targets.ticketTopicArn) ? 'ticket' : 'page',
          }),
    };
  });
/** Notify no operator: CodeDeploy reads their state while a release begins. */
const canaries = all(stacks('Prod-Service'), 'AWS::CloudWatch::Alarm').map((resource) => ({
  name: `${partsOf(resource).at(2) ?? ''} ${partsOf(resource).at(-2) ?? ''}`,
  alarm: { ...readAlarm(resource.Properties), calls: ['ALARM' as const] },
  severity: 'rolls back',
}));
const alarms = [...monitored, ...canaries];

const surroundings: readonly Surroundings[] = [1, 2, 5].flatMap((more) => [0, 1].map((late) => ({ more, late })));

/** Rings by what is missing: the metric of something that must keep running. */
const watchesSilence = ({ calls }: EvaluatedAlarm): boolean => calls.includes('INSUFFICIENT_DATA');

const quiet = 60;

type Play = { readonly series: Readonly<Record<string, Series>>; readonly incidents: readonly [number, number][] };

/** Twice the shortest incident that the alarm must notice, in one of its metrics, between long calms. */
function playsOf(alarm: EvaluatedAlarm, { more, late }: Surroundings): readonly Play[] {
  const { threshold, metrics } = alarm;
  if (watchesSilence(alarm))
    return metrics.map((name) =>
      twice(name, 1, undefined, alarm.periods + more + late, Object.fromEntries(metrics.map((one) => [one, 1]))),
    );
  const bad = threshold === 0 ? 1 : threshold * 1.1;
  return metrics.flatMap((name) =>
    // What an alarm watches says nothing while all is well, or says that all is well.
    [undefined, threshold].map((calm) =>
      twice(name, calm, bad, alarm.datapoints, Object.fromEntries(metrics.map((one) => [one, calm]))),
    ),
  );
}

function twice(
  name: string,
  calm: number | undefined,
  bad: number | undefined,
  length: number,
  others: Readonly<Record<string, number | undefined>>,
): Play {
  const [rest, incident] = [Array<typeof calm>(quiet).fill(calm), Array<typeof bad>(length).fill(bad)];
  const own = [...rest, ...incident, ...rest, ...incident, ...rest];
  const series = Object.fromEntries(Object.entries(others).map(([one, value]) => [one, own.map(() => value)]));
  const second = 2 * quiet + length;
  return {
    series: { ...series, [name]: own },
    incidents: [
      [quiet, quiet + length],
      [second, second + length],
    ],
  };
}

/** Periods until the alarm rings and until it is green again, at its slowest. @throws Error where it does not. */
function judge(alarm: EvaluatedAlarm): { readonly rings: number; readonly clears: number } {
  const judged = surroundings.flatMap((around) =>
    playsOf(alarm, around).flatMap(({ series, incidents }) => {
      const states = play(alarm, series, around);
      const rings = ringsOf(alarm, states);
      if (rings.length !== 2) throw new Error(`rings ${rings.length} times: ${JSON.stringify(around)}`);
      return incidents.map(([begin, end], at) => ({
        rings: periodsUntil(states, begin, (state) => state !== 'OK'),
        clears:
          periodsUntil(states, Math.max(end, rings[at] ?? end), (state) => state === 'OK') +
          Math.max(0, (rings[at] ?? end) - end),
      }));
    }),
  );
  return {
    rings: Math.max(...judged.map(({ rings }) => rings)),
    clears: Math.max(...judged.map(({ clears }) => clears)),
  };
}

/** Periods from the beginning of one until the end of that in which the state is reached. */
function periodsUntil(states: readonly AlarmState[], from: number, reached: (state: AlarmState) => boolean): number {
  const found = states.slice(from).findIndex(reached);
  if (found === -1) throw new Error('stays as it is');
  return found + 1;
}

const minutes = (alarm: EvaluatedAlarm, periods: number): number => (periods * alarm.periodSeconds) / 60;

describe.each(alarms)('$name', ({ alarm }) => {
  test('rings at each of two incidents, and is green between', () => {
    const { rings, clears } = judge(alarm);
    expect(rings).toBeGreaterThan(0);
    // The second incident begins after so many periods.
    expect(clears).toBeLessThan(quiet);
  });

  test('does not ring on a first day without data, when work begins, or while all is well', () => {
    const day = Math.ceil(86_400 / alarm.periodSeconds);
    const calm = watchesSilence(alarm) ? 1 : alarm.threshold;
    const nothing = Array<undefined>(day).fill(undefined);
    for (const around of each(surroundings))
      for (const points of [nothing, [...nothing, ...Array<number>(day).fill(calm)]]) {
        const series = Object.fromEntries(alarm.metrics.map((name) => [name, points]));
        // Of a sum one metric alone is at the threshold.
        if (!watchesSilence(alarm)) for (const other of alarm.metrics.slice(1)) series[other] = nothing;
        expect(ringsOf(alarm, play(alarm, series, around))).toEqual([]);
      }
  });
});

test('docs/alarms.md lists for every alarm, except those of objectives, when it rings and when it is green again', () => {
  const file = new URL('../../docs/alarms.md', import.meta.url);
  const measured = alarms.map(({ name, alarm, severity }) => {
    const { rings, clears } = judge(alarm);
    return { name, severity, rings: minutes(alarm, rings), green: minutes(alarm, clears) };
  });
  const rows = [...Map.groupBy(measured, ({ severity, rings, green }) => [severity, rings, green].join(' | '))]
    .toSorted(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }))
    .map(([times, alike]) => `| ${times} | ${listNames(alike.map(({ name }) => name))} |`);
  const table = ['| Severity | Rings | Green | Alarms |', '|---|---|---|---|', ...rows].join('\n');
  const [before] = readFileSync(file, 'utf8').split('<!-- measured -->');
  const current = `${before ?? ''}<!-- measured -->\n${table}\n`;
  if (process.env['UPDATE_ALARMS'] === '1') writeFileSync(file, current);
  expect(readFileSync(file, 'utf8')).toBe(current);
});

/** Names the alarms of one kind together: `Late-` and the kinds of work. */
function listNames(names: readonly string[]): string {
  const kinds = Map.groupBy(names, (name) => /^\w+-/u.exec(name)?.[0] ?? name);
  return [...kinds]
    .map(([kind, alike]) =>
      alike.length === 1 ? alike[0] : `${kind} (${alike.map((name) => name.slice(kind.length)).join(', ')})`,
    )
    .join(', ');
}
