import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { indexes } from '#shared/platform/table/store.ts';
import type { AddAlarm } from './alarms.ts';
import { sum } from './alarms.ts';
import type { Watched } from './watched.ts';

const operations = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'TransactWriteItems'] as const;
/** Lost races in five minutes that are still ordinary: two requests at one resource, retried inside. */
const ordinaryConflicts = 100;

/** The table under all of it. */
export function addTableAlarms(scope: Construct, add: AddAlarm, { table }: Watched): void {
  const metric = (metricName: string, dimensions: Record<string, string> = {}): Metric =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName, ...dimensions },
      period: Duration.minutes(5),
      statistic: Stats.SUM,
    });
  const throttled = ['ReadThrottleEvents', 'WriteThrottleEvents'].flatMap((name) => [
    metric(name),
    ...Object.keys(indexes).map((GlobalSecondaryIndexName) => metric(name, { GlobalSecondaryIndexName })),
  ]);
  add(scope, 'TableThrottles', {
    metric: sum('Throttled requests', throttled),
    above: 0,
    periods: 2,
    impact: 'Requests are slow or end with 503: the table refuses more reads or writes than it can carry.',
    action: 'Look for one hot partition or company, and compare the traffic with the limits in environments.ts.',
    runbook: 'table-throttles',
  });
  add(scope, 'TableSystemErrors', {
    metric: sum(
      'System errors',
      operations.map((Operation) => metric('SystemErrors', { Operation })),
    ),
    above: 0,
    periods: 2,
    impact: 'Requests end with 503: DynamoDB itself fails.',
    action: 'See the AWS health dashboard; callers repeat with the same key, and nothing is lost or doubled.',
    runbook: 'table-system-errors',
  });
  add(scope, 'TransactionConflicts', {
    metric: metric('TransactionConflict'),
    above: ordinaryConflicts,
    periods: 2,
    impact: 'Requests at the same account or order are slow, and some end with 503: too many writes meet.',
    action: 'Find the account or order in the log of the slow requests, and spread the load with its partner.',
    runbook: 'transaction-conflicts',
  });
}
