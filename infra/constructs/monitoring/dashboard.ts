import { Duration } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  MathExpression,
  Stats,
  TextWidget,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { METRIC_NAMESPACE } from '../../../shared/runtime/metrics.ts';
import type { Watched } from './monitoring.ts';

const period = Duration.minutes(5);
const SUM = { period, statistic: Stats.SUM };
const MAXIMUM = { period, statistic: Stats.MAXIMUM };
const P95 = { period, statistic: Stats.p(95) };
/** Half of the page. */
const WIDTH = 12;

/** One page for whoever is on call: business first, then the path of a notification, then the machinery. */
export function addDashboard(scope: Construct, watched: Watched): void {
  const { name } = watched.settings;
  const dashboard = new Dashboard(scope, 'Dashboard', {
    dashboardName: `banking-order-${name}`,
    defaultInterval: Duration.hours(6),
  });
  const title = new TextWidget({ markdown: `# Banking order service, ${name}`, width: 2 * WIDTH, height: 1 });
  for (const row of [[title], ...business(), ...notifications(watched), ...machinery(watched)]) {
    dashboard.addWidgets(...row);
  }
}

function business(): IWidget[][] {
  return [
    [
      graph('Requests by operation', [every('Requests', ['operationId', 'statusClass'], Stats.SUM)]),
      graph('Duration by operation, p95 ms', [every('RequestDuration', ['operationId', 'statusClass'], Stats.p(95))]),
    ],
    [
      graph('Subscriptions, pay-ins and payouts by the status they reached', [
        every('StatusReached', ['resource', 'status'], Stats.SUM),
      ]),
      graph('Notifications failed, held, sent anew, released', [
        ...['DeliveriesFailed', 'DeliveriesHeld', 'DeliveriesSentAnew', 'DeliveriesReleased'].map(byWorker),
      ]),
    ],
    [
      graph('Pay-ins expired, payouts submitted, work that failed', [
        ...['PayInsExpired', 'PayoutsSubmitted', 'WorkFailed'].map(byWorker),
      ]),
    ],
  ];
}

function notifications({ queues, workers }: Watched): IWidget[][] {
  const { deliveries, deadLetters, relayFailures } = queues;
  return [
    [
      graph('Attempts by outcome and number', [every('DeliveryAttempts', ['outcome', 'attempt'], Stats.SUM)]),
      graph('From change to queue and to first call, p95 ms', [
        every('RelayLatency', ['worker'], Stats.p(95)),
        every('DeliveryLatency', ['worker'], Stats.p(95)),
      ]),
    ],
    [
      graph('Messages waiting, hidden until the next attempt, dead, given up by the relay', [
        deliveries.metricApproximateNumberOfMessagesVisible(MAXIMUM),
        deliveries.metricApproximateNumberOfMessagesNotVisible(MAXIMUM),
        deadLetters.metricApproximateNumberOfMessagesVisible(MAXIMUM),
        relayFailures.metricApproximateNumberOfMessagesVisible(MAXIMUM),
      ]),
      graph('Age: oldest message s, stream ms', [
        deliveries.metricApproximateAgeOfOldestMessage(MAXIMUM),
        workers['relay-deliveries'].metric('IteratorAge', MAXIMUM),
      ]),
    ],
  ];
}

function machinery({ api, workers, table }: Watched): IWidget[][] {
  const stage = api.deploymentStage;
  return [
    [
      graph('Edge: requests, 4xx, 5xx', [
        stage.metricCount(SUM),
        stage.metricClientError(SUM),
        stage.metricServerError(SUM),
      ]),
      graph('Edge: p95 ms, and what became of tokens', [
        stage.metricLatency(P95),
        every('Authorizations', ['outcome'], Stats.SUM),
      ]),
    ],
    [
      graph(
        'Errors of workers',
        Object.values(workers).map((worker) => worker.metricErrors(SUM)),
      ),
      graph('Table: consumed units, conflicts', [
        table.metricConsumedReadCapacityUnits(SUM),
        table.metricConsumedWriteCapacityUnits(SUM),
        table.metric('TransactionConflict', SUM),
      ]),
    ],
  ];
}

function graph(title: string, left: readonly IMetric[]): GraphWidget {
  return new GraphWidget({ title, left: [...left], width: WIDTH });
}

function byWorker(metric: string): MathExpression {
  return every(metric, ['worker'], Stats.SUM);
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
