import { describe, expect, test } from 'vitest';
import type { AlarmState, Series } from './alarm-evaluator.ts';
import { evaluate, play, readAlarm, ringsOf } from './alarm-evaluator.ts';

const treatments = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;

/** `X` breaches, `0` does not, `-` is missing: as AWS writes it. */
const points = (text: string): Series =>
  text.split(' ').map((point) => (point === '-' ? undefined : point === 'X' ? 1 : 0));

const judge = (text: string, datapoints: number, before: AlarmState) =>
  treatments.map((missing) =>
    evaluate({ periods: 3, datapoints, isBreaching: (value) => value > 0, missing }, points(text), before),
  );

describe("the examples of AWS's page on missing data", () => {
  test.each([
    ['0 - X - X', ['OK', 'OK', 'OK', 'OK']],
    ['- - - - 0', ['OK', 'OK', 'OK', 'OK']],
    ['- - - - -', ['INSUFFICIENT_DATA', 'kept', 'ALARM', 'OK']],
    ['0 X X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['- - X - -', ['ALARM', 'kept', 'ALARM', 'OK']],
  ])('set the states of an alarm of three out of three periods for %s', (text, states) => {
    for (const before of ['OK', 'ALARM'] as const)
      expect(judge(text, 3, before)).toEqual(states.map((state) => (state === 'kept' ? before : state)));
  });

  test.each([
    ['0 - X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['0 0 X 0 X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['- - - X -', ['ALARM', 'kept', 'ALARM', 'OK']],
  ])('set the states of an alarm of two out of three periods for %s', (text, states) => {
    for (const before of ['OK', 'ALARM'] as const)
      expect(judge(text, 2, before)).toEqual(states.map((state) => (state === 'kept' ? before : state)));
  });
});

describe('an alarm', () => {
  const metric = (Namespace: string, Id: string) => ({ Id, MetricStat: { Metric: { Namespace }, Period: 300 } });
  const over = (Namespace: string, Expression: string, EvaluationPeriods: number) =>
    readAlarm({
      ...{ Threshold: 0, ComparisonOperator: 'GreaterThanThreshold', TreatMissingData: 'notBreaching' },
      ...{ DatapointsToAlarm: 1, EvaluationPeriods, AlarmActions: ['someone'] },
      Metrics: [metric(Namespace, 'm0'), metric(Namespace, 'm1'), { Id: 'sum', Expression }],
    });
  const incidents = points('- - - - - X - - - - - - - X - - - - - -');
  const series = { m0: incidents, m1: incidents.map(() => undefined) };
  const rings = (alarm: ReturnType<typeof over>, late: number) =>
    ringsOf(alarm, play(alarm, series, { more: 2, late }));

  test('over a bare sum never rings where one metric has no point', () => {
    expect(rings(over('AWS/Lambda', 'm0 + m1', 1), 0)).toEqual([]);
    expect(rings(over('AWS/Lambda', 'FILL(m0, 0) + FILL(m1, 0)', 1), 0)).toEqual([5, 13]);
  });

  test('over a filled sum misses points that come late, unless it looks at one period more', () => {
    expect(rings(over('AWS/Lambda', 'FILL(m0, 0) + FILL(m1, 0)', 1), 1)).toEqual([]);
    expect(rings(over('AWS/Lambda', 'FILL(m0, 0) + FILL(m1, 0)', 2), 1)).toEqual([6, 14]);
  });

  test('over DynamoDB without a filled gap rings once and stays', () => {
    const bare = readAlarm({
      ...{ Namespace: 'AWS/DynamoDB', Period: 300, EvaluationPeriods: 1, Threshold: 0, AlarmActions: ['someone'] },
      ...{ ComparisonOperator: 'GreaterThanThreshold', TreatMissingData: 'notBreaching' },
    });
    const states = play(bare, { metric: incidents }, { more: 2, late: 0 });
    expect(ringsOf(bare, states)).toEqual([5]);
    expect(states.at(-1)).toBe('ALARM');
    expect(rings(over('AWS/DynamoDB', 'FILL(m0, 0) + FILL(m1, 0)', 2), 1)).toEqual([6, 14]);
  });

  test('with a name or an operator that is not known here is no alarm to judge', () => {
    expect(() => over('AWS/Lambda', 'MAX([m0, m1])', 1)).toThrow('MAX is no metric');
    expect(() => readAlarm({ ComparisonOperator: 'GreaterThanUpperThreshold' })).toThrow('is not known here');
  });
});
