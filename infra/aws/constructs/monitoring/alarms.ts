import { Duration, Stack } from 'aws-cdk-lib';
import type { AlarmBase, IAlarm, IAlarmAction, IAlarmRule, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { DimensionsOf, MetricName } from '#shared/platform/metrics.ts';
import { metricNamespace } from '#shared/platform/metrics.ts';

export type AlarmProps = {
  readonly metric: IMetric;
  /** Threshold. Default: 0. */
  readonly above?: number;
  /** Consecutive periods above the threshold. Default: 1. */
  readonly periods?: number;
  /**
   * `page` wakes the operator on call, `ticket` waits for a working day. `outage` wakes by the one alarm `Outage`: an
   * outage that shows in many places rings once. Default: `ticket`. docs/alarms.md says why an alarm wakes.
   */
  readonly severity?: Severity;
  /** The effect on partners: the operator on call reads it first. */
  readonly impact: string;
  /** The operator's immediate action. */
  readonly action: string;
  /** Anchor in docs/runbook.md. Default: the id in kebab case. */
  readonly runbook?: string;
};

type Severity = keyof AlarmTargets | 'outage';
type Text = Pick<AlarmProps, 'severity' | 'impact' | 'action' | 'runbook'>;
/** An alarm on a metric that must keep reporting: it rings after some periods without a point. */
type SilenceProps = Text & Pick<AlarmProps, 'metric'> & { readonly periods: number };
/** An alarm on the share of failures, each over its own period: it rings while all are above the limit. */
type BurnProps = Text & { readonly windows: readonly MathExpression[]; readonly above: number };

/** Adds an alarm and notifies the target of its severity. */
export type AlarmMaker = {
  readonly above: (id: string, props: AlarmProps) => void;
  readonly silent: (id: string, props: SilenceProps) => void;
  readonly burning: (id: string, props: BurnProps) => void;
  /** Adds `Outage`, after all alarms that wake by it. */
  readonly outage: (props: Text) => void;
  /** Returns the alarms so far, without those that are only parts of others. */
  readonly all: () => Alarms;
};

/** `waking`: those that wake the operator on call. `others`: tickets, and alarms that wake by `Outage`. */
export type Alarms = { readonly waking: readonly IAlarm[]; readonly others: readonly IAlarm[] };

/** Notification targets by severity; undefined: no notification. */
export type AlarmTargets = { readonly page: IAlarmAction | undefined; readonly ticket: IAlarmAction | undefined };

export function alarmMaker(scope: Construct, targets: AlarmTargets): AlarmMaker {
  const outages: IAlarm[] = [];
  const [waking, others]: [IAlarm[], IAlarm[]] = [[], []];
  const notify = (alarm: AlarmBase, severity: Severity = 'ticket'): void => {
    (severity === 'page' ? waking : others).push(alarm);
    if (severity === 'outage') {
      outages.push(alarm);
      return;
    }
    const target = targets[severity];
    if (target === undefined) return;
    alarm.addAlarmAction(target);
    alarm.addOkAction(target);
  };
  const compose = (id: string, alarmRule: IAlarmRule, { severity, ...text }: Text): void => {
    // Named as CloudFormation names the other alarms: a release may delete no others.
    const compositeAlarmName = `${Stack.of(scope).stackName}-${id}`;
    const alarmDescription = describe(id, text);
    notify(new CompositeAlarm(scope, id, { compositeAlarmName, alarmRule, alarmDescription }), severity);
  };
  return {
    above: (id, { metric, above = 0, periods = 1, severity, ...text }) => {
      const alarm = new Alarm(scope, id, {
        metric,
        threshold: above,
        datapointsToAlarm: periods,
        // FILL takes a late point for 0 at first: one period more waits for it.
        evaluationPeriods: metric instanceof MathExpression ? periods + 1 : periods,
        alarmDescription: describe(id, text),
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      notify(alarm, severity);
    },
    silent: (id, { metric, periods, severity = 'ticket', ...text }) => {
      const alarm = new Alarm(scope, id, {
        metric,
        threshold: 0,
        evaluationPeriods: periods,
        alarmDescription: describe(id, text),
        comparisonOperator: ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
        // A new alarm begins with insufficient data: only a later change to it notifies the target.
        treatMissingData: TreatMissingData.MISSING,
      });
      notify(alarm, severity);
      const target = severity === 'outage' ? undefined : targets[severity];
      if (target !== undefined) alarm.addInsufficientDataAction(target);
    },
    burning: (id, { windows, above, ...text }) => {
      const children = windows.map(
        (metric) =>
          new Alarm(scope, `${id}-${metric.period.toMinutes()}`, {
            metric,
            threshold: above,
            evaluationPeriods: 1,
            alarmDescription: describe(id, text),
            comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
            treatMissingData: TreatMissingData.NOT_BREACHING,
          }),
      );
      compose(id, AlarmRule.allOf(...children), text);
    },
    outage: (text) => {
      compose('Outage', AlarmRule.anyOf(...outages), text);
    },
    all: () => ({ waking, others }),
  };
}

function describe(id: string, { impact, action, runbook = kebab(id) }: Text): string {
  return `${impact} ${action} docs/runbook.md#${runbook}`;
}

/** `DeadLetters` becomes `dead-letters`. */
export function kebab(id: string): string {
  return id.replaceAll(/\B[A-Z]/gu, '-$&').toLowerCase();
}

const fiveMinutes = Duration.minutes(5);

/** A metric that the functions of one environment write, by dimensions by which they write it. */
export type Business = <Name extends MetricName>(
  metricName: Name,
  dimensions: DimensionsOf<Name>,
  statistic?: string,
  period?: Duration,
) => Metric;

export function businessOf({ name }: EnvironmentSettings): Business {
  const namespace = metricNamespace(name);
  return (metricName, dimensionsMap, statistic = Stats.SUM, period = fiveMinutes) =>
    new Metric({ namespace, metricName, dimensionsMap, period, statistic });
}

/**
 * Returns the sum of at most ten metrics, CloudWatch's limit for an alarm. A metric without a point counts as 0.
 * Otherwise the sum has no point either, and an alarm on a metric of AWS/DynamoDB keeps its state until the next point.
 */
export function sum(label: string, metrics: readonly IMetric[], period = fiveMinutes): IMetric {
  return sumOf(label, metrics, period, (name) => `FILL(${name}, 0)`);
}

/** Returns the sum of at most ten metrics that has a point only where each of them has one. */
export function sumOfAll(label: string, metrics: readonly IMetric[], period: Duration): IMetric {
  return sumOf(label, metrics, period, (name) => name);
}

function sumOf(label: string, metrics: readonly IMetric[], period: Duration, term: (name: string) => string): IMetric {
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  return new MathExpression({
    label,
    expression: Object.keys(usingMetrics).map(term).join(' + '),
    usingMetrics,
    period,
  });
}
