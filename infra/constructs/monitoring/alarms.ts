import { Duration } from 'aws-cdk-lib';
import type { IAlarmAction, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Alarm, ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

export type AlarmProps = {
  readonly metric: IMetric;
  /** The alarm rings above it. */
  readonly above: number;
  /** Periods in a row that must be above; 1 unless given. */
  readonly periods?: number;
  /** Rings at or below it instead, and when nothing is measured at all: for what must keep running. */
  readonly orSilent?: true;
  /** What it means for partners: the first thing that whoever is woken reads. */
  readonly impact: string;
  /** What to do now. */
  readonly action: string;
  /** Heading of docs/runbook.md, as an anchor. */
  readonly runbook: string;
};

/** Makes alarms that all ring at the same place. */
export type AddAlarm = (scope: Construct, id: string, props: AlarmProps) => void;

/**
 * @param target Who is told; undefined: nobody.
 * @param math Whether alarms over metric math are made (switches.ts).
 */
export function alarmMaker(target: IAlarmAction | undefined, math: boolean): AddAlarm {
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
    if (target !== undefined) {
      alarm.addAlarmAction(target);
      alarm.addOkAction(target);
    }
  };
}

/** The sum of metrics of one kind: at most ten, as CloudWatch allows in an alarm. */
export function sum(label: string, metrics: readonly IMetric[], period = Duration.minutes(5)): IMetric {
  const [only] = metrics;
  if (only !== undefined && metrics.length === 1) return only;
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  return new MathExpression({ label, expression: Object.keys(usingMetrics).join(' + '), usingMetrics, period });
}
