import { Duration } from 'aws-cdk-lib';
import type { IAlarmAction, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Alarm, ComparisonOperator, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
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
  /** Default: `page` wakes the operator on call; `ticket` can wait for a working day. */
  readonly severity?: keyof AlarmTargets;
  /** The effect on partners: the operator on call reads it first. */
  readonly impact: string;
  /** The operator's immediate action. */
  readonly action: string;
  /** Anchor in docs/runbook.md. Default: the id in kebab case. */
  readonly runbook?: string;
};

/** An alarm on a metric that must keep reporting: it rings after some periods without a point. */
type SilenceProps = Pick<AlarmProps, 'metric' | 'impact' | 'action' | 'runbook'> & { readonly periods: number };

/** Adds an alarm and notifies the target of its severity. */
export type AlarmMaker = {
  readonly above: (id: string, props: AlarmProps) => void;
  readonly silent: (id: string, props: SilenceProps) => void;
};

/** Notification targets by severity; undefined: no notification. */
export type AlarmTargets = { readonly page: IAlarmAction | undefined; readonly ticket: IAlarmAction | undefined };

export function alarmMaker(scope: Construct, targets: AlarmTargets): AlarmMaker {
  return {
    above: (id, { metric, above = 0, periods = 1, severity = 'page', ...text }) => {
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
      const target = targets[severity];
      if (target === undefined) return;
      alarm.addAlarmAction(target);
      alarm.addOkAction(target);
    },
    silent: (id, { metric, periods, ...text }) => {
      const alarm = new Alarm(scope, id, {
        metric,
        threshold: 0,
        evaluationPeriods: periods,
        alarmDescription: describe(id, text),
        comparisonOperator: ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
        // A new alarm begins with insufficient data: only a later change to it notifies the target.
        treatMissingData: TreatMissingData.MISSING,
      });
      const target = targets.page;
      if (target === undefined) return;
      alarm.addAlarmAction(target);
      alarm.addInsufficientDataAction(target);
      alarm.addOkAction(target);
    },
  };
}

function describe(id: string, { impact, action, runbook = kebab(id) }: Omit<SilenceProps, 'metric' | 'periods'>) {
  return `${impact} ${action} docs/runbook.md#${runbook}`;
}

/** `DeadLetters` becomes `dead-letters`. */
function kebab(id: string): string {
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
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  return new MathExpression({
    label,
    expression: Object.keys(usingMetrics)
      .map((name) => `FILL(${name}, 0)`)
      .join(' + '),
    usingMetrics,
    period,
  });
}
