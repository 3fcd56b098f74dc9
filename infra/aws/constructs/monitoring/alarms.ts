import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IAlarmAction, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Alarm, ComparisonOperator, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { OfWorkers } from '#functions/workers.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { Dimensions, MetricName } from '#shared/platform/metrics.ts';
import { metricNamespace } from '#shared/platform/metrics.ts';
import type { DeliveryQueues } from '../delivery-pipeline.ts';
import type { Endpoint } from '../partner-api.ts';
import type { ScheduledWork } from '../scheduled-work.ts';

/** What alarms and dashboard watch. */
export type Watched = {
  readonly settings: EnvironmentSettings;
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
  readonly schedules: ScheduledWork;
  readonly workers: OfWorkers<IFunction>;
  readonly endpoints: readonly Endpoint[];
  readonly api: RestApi;
};

export type AlarmProps = {
  readonly metric: IMetric;
  /** Threshold. Default: 0. */
  readonly above?: number;
  /** Consecutive periods above the threshold. Default: 1. */
  readonly periods?: number;
  /** Alarms at or below the threshold instead, and without data: for what must keep running. */
  readonly orSilent?: true;
  /** Default: `page` wakes the operator on call; `ticket` can wait for a working day. */
  readonly severity?: keyof AlarmTargets;
  /** The effect on partners: the operator on call reads it first. */
  readonly impact: string;
  /** What to do now. */
  readonly action: string;
  /** Anchor in docs/runbook.md. Default: the id in kebab case. */
  readonly runbook?: string;
};

/** Adds an alarm and notifies the target of its severity. */
export type AddAlarm = (id: string, props: AlarmProps) => void;

/** Without a target an alarm notifies no one. */
export type AlarmTargets = { readonly page: IAlarmAction | undefined; readonly ticket: IAlarmAction | undefined };

/** @param math False leaves out alarms over metric math (switches.ts). */
export function alarmMaker(scope: Construct, targets: AlarmTargets, math: boolean): AddAlarm {
  return (id, { metric, impact, action, orSilent, ...props }) => {
    const { above = 0, periods = 1, severity = 'page', runbook = kebab(id) } = props;
    if (!math && metric instanceof MathExpression) return;
    const { LESS_THAN_OR_EQUAL_TO_THRESHOLD, GREATER_THAN_THRESHOLD } = ComparisonOperator;
    const alarm = new Alarm(scope, id, {
      metric,
      threshold: above,
      evaluationPeriods: periods,
      alarmDescription: `${impact} ${action} docs/runbook.md#${runbook}`,
      comparisonOperator: orSilent ? LESS_THAN_OR_EQUAL_TO_THRESHOLD : GREATER_THAN_THRESHOLD,
      treatMissingData: orSilent ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    const target = targets[severity];
    if (target !== undefined) {
      alarm.addAlarmAction(target);
      alarm.addOkAction(target);
    }
  };
}

/** `DeadLetters` becomes `dead-letters`. */
function kebab(id: string): string {
  return id.replaceAll(/\B[A-Z]/gu, '-$&').toLowerCase();
}

const fiveMinutes = Duration.minutes(5);

/** A metric that the functions write. */
export function business(
  metricName: MetricName,
  dimensionsMap: Dimensions,
  statistic = Stats.SUM,
  period = fiveMinutes,
): Metric {
  return new Metric({ namespace: metricNamespace, metricName, dimensionsMap, period, statistic });
}

/** The sum of at most ten metrics, the limit of CloudWatch in an alarm. */
export function sum(label: string, metrics: readonly IMetric[]): IMetric {
  const [only] = metrics;
  if (only !== undefined && metrics.length === 1) return only;
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  return new MathExpression({
    label,
    expression: Object.keys(usingMetrics).join(' + '),
    usingMetrics,
    period: fiveMinutes,
  });
}
