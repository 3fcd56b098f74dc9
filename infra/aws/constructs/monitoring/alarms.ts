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

type AlarmProps = {
  readonly metric: IMetric;
  /** The alarm goes off above it. */
  readonly above: number;
  /** Periods in a row that must be above; 1 unless given. */
  readonly periods?: number;
  /** Goes off at or below it instead, and when nothing is measured at all: for what must keep running. */
  readonly orSilent?: true;
  /** `ticket`: can wait for a working day. Default: the person on call is woken. */
  readonly severity?: 'ticket';
  /** What it means for partners: the first thing that the person on call reads. */
  readonly impact: string;
  /** What to do now. */
  readonly action: string;
  /** Heading of docs/runbook.md, as an anchor. */
  readonly runbook: string;
};

/** Adds an alarm, which tells the target of its severity. */
export type AddAlarm = (scope: Construct, id: string, props: AlarmProps) => void;

/** Who is told; undefined: nobody. */
export type AlarmTargets = { readonly page: IAlarmAction | undefined; readonly ticket: IAlarmAction | undefined };

/**
 * @param math Whether alarms over metric math are made (switches.ts).
 */
export function alarmMaker(targets: AlarmTargets, math: boolean): AddAlarm {
  return (scope, id, props) => {
    if (!math && props.metric instanceof MathExpression) return;
    const alarm = new Alarm(scope, id, {
      metric: props.metric,
      threshold: props.above,
      evaluationPeriods: props.periods ?? 1,
      alarmDescription: `${props.impact} ${props.action} docs/runbook.md#${props.runbook}`,
      ...(props.orSilent === true
        ? {
            comparisonOperator: ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
            treatMissingData: TreatMissingData.BREACHING,
          }
        : {
            comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
            treatMissingData: TreatMissingData.NOT_BREACHING,
          }),
    });
    const target = targets[props.severity ?? 'page'];
    if (target !== undefined) {
      alarm.addAlarmAction(target);
      alarm.addOkAction(target);
    }
  };
}

/** A metric that the functions write, over five minutes. */
export function business(metricName: MetricName, dimensions: Dimensions, statistic = Stats.SUM): Metric {
  const period = Duration.minutes(5);
  return new Metric({ namespace: metricNamespace, metricName, dimensionsMap: { ...dimensions }, period, statistic });
}

/** The sum of metrics of one kind: at most ten, as CloudWatch allows in an alarm. */
export function sum(label: string, metrics: readonly IMetric[], period = Duration.minutes(5)): IMetric {
  const [only] = metrics;
  if (only !== undefined && metrics.length === 1) return only;
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  return new MathExpression({ label, expression: Object.keys(usingMetrics).join(' + '), usingMetrics, period });
}
