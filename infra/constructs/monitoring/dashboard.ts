import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, MathExpression, Stats, TextWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { METRIC_NAMESPACE } from '../../../shared/runtime/metrics.ts';
import type { Watched } from './monitoring.ts';

const period = Duration.minutes(5);
const WIDTH = 12;

/** One page for whoever is on call: business first, then the path of a notification, then the machinery. */
export function addDashboard(scope: Construct, watched: Watched): void {
  const { settings, workers, table, api } = watched;
  const { deliveries, deadLetters, relayFailures } = watched.queues;
  const stage = api.deploymentStage;
  const dashboard = new Dashboard(scope, 'Dashboard', {
    dashboardName: `banking-order-${settings.name}`,
    defaultInterval: Duration.hours(6),
  });
  dashboard.addWidgets(
    new TextWidget({ markdown: `# Banking order service, ${settings.name}`, width: 2 * WIDTH, height: 1 }),
  );
  dashboard.addWidgets(
    graph('Requests by operation', [every('Requests', ['operationId', 'statusClass'], Stats.SUM)]),
    graph('Duration by operation, p95 ms', [every('RequestDuration', ['operationId', 'statusClass'], Stats.p(95))]),
  );
  dashboard.addWidgets(
    graph('Edge: requests, 4xx, 5xx', [
      stage.metricCount({ period, statistic: Stats.SUM }),
      stage.metricClientError({ period, statistic: Stats.SUM }),
      stage.metricServerError({ period, statistic: Stats.SUM }),
    ]),
    graph('Edge: latency ms, median and p95', [
      stage.metricLatency({ period, statistic: Stats.p(50) }),
      stage.metricLatency({ period, statistic: Stats.p(95) }),
    ]),
  );
  dashboard.addWidgets(
    graph('Delivery queue: waiting, hidden until the next attempt, dead', [
      deliveries.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
      deliveries.metricApproximateNumberOfMessagesNotVisible({ period, statistic: Stats.MAXIMUM }),
      deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
      relayFailures.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
    ]),
    graph('Age: oldest delivery s, stream ms', [
      deliveries.metricApproximateAgeOfOldestMessage({ period, statistic: Stats.MAXIMUM }),
      workers['relay-deliveries'].metric('IteratorAge', { period, statistic: Stats.MAXIMUM }),
    ]),
  );
  dashboard.addWidgets(
    graph(
      'Errors of workers',
      Object.values(workers).map((worker) => worker.metricErrors({ period, statistic: Stats.SUM })),
    ),
    graph('Table: consumed units, conflicts', [
      table.metricConsumedReadCapacityUnits({ period, statistic: Stats.SUM }),
      table.metricConsumedWriteCapacityUnits({ period, statistic: Stats.SUM }),
      table.metric('TransactionConflict', { period, statistic: Stats.SUM }),
    ]),
  );
}

function graph(title: string, left: readonly IMetric[]): GraphWidget {
  return new GraphWidget({ title, left: [...left], width: WIDTH });
}

/** Every combination of dimensions that was ever written: a new route appears by itself. */
function every(metric: string, dimensions: readonly string[], statistic: string): MathExpression {
  const schema = [METRIC_NAMESPACE, ...dimensions].join(',');
  return new MathExpression({
    expression: `SEARCH('{${schema}} MetricName="${metric}"', '${statistic}', ${period.toSeconds()})`,
    label: '',
    usingMetrics: {},
    period,
  });
}
