import { Duration } from 'aws-cdk-lib';
import type { IMetric, IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import {
  AlarmState,
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  Dashboard,
  GraphWidget,
  MathExpression,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { MetricBy, MetricName } from '#shared/platform/metrics.ts';
import { metricNamespace } from '#shared/platform/metrics.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import type { Alarms } from './alarms.ts';
import { businessOf } from './alarms.ts';
import { objectiveWidgets } from './objectives.ts';
import type { Watched } from './watched.ts';

const period = Duration.minutes(5);
const sum = { period, statistic: Stats.SUM };
const maximum = { period, statistic: Stats.MAXIMUM };
/** Half of the page. */
const width = 12;

/**
 * One page for the operator on call: what rings, then the money that waits, banks and objectives, then graphs of the
 * business, the path of a notification, and the machinery.
 */
export function addDashboard(scope: Construct, watched: Watched, alarms: Alarms): void {
  const { name } = watched.settings;
  const dashboard = new Dashboard(scope, 'Dashboard', {
    dashboardName: `banking-order-${name}`,
    defaultInterval: Duration.hours(6),
  });
  const title = new TextWidget({ markdown: `# Banking order service, ${name}`, width: 2 * width, height: 1 });
  const search = searchOf(name);
  const shown = [
    alarmStates(alarms),
    waitingMoney(watched, search),
    banks(search),
    objectiveWidgets(watched),
    business(search),
    notifications(watched, search),
    endpoints(search),
    machinery(watched, search),
  ];
  dashboard.addWidgets(title, ...shown.flat());
}

/** Alarms that one widget of CloudWatch shows. */
const alarmsAtMost = 100;

/** The alarms that wake, in every state, and of all others those that ring. */
function alarmStates({ waking, others }: Alarms): IWidget[] {
  const full = { width: 2 * width, sortBy: AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP };
  const parts = Math.ceil(others.length / alarmsAtMost);
  return [
    new AlarmStatusWidget({ title: 'Alarms that wake', alarms: [...waking], height: 3, ...full }),
    ...Array.from({ length: parts }, (_, part) => {
      const alarms = others.slice(part * alarmsAtMost, (part + 1) * alarmsAtMost);
      const title = `Other alarms that ring, part ${part + 1} of ${parts}: docs/runbook.md has a section for each`;
      return new AlarmStatusWidget({ title, alarms, states: [AlarmState.ALARM], height: 3, ...full });
    }),
  ];
}

/** Kinds of due work for which money of an account is reserved. */
const moneyKinds = [
  'PAYOUT_SUBMISSION',
  'PAYOUT_POLL',
  'REFUND_SUBMISSION',
  'REFUND_POLL',
  'CREDIT_RETURN',
] as const satisfies DueKind[];

function waitingMoney({ settings }: Watched, search: Search): IWidget[] {
  const metricOf = businessOf(settings);
  return [
    graph(
      'Money that waits: the oldest payout, refund or return that is due, seconds late',
      ...moneyKinds.map((kind) => metricOf('OldestJobAge', { kind }, Stats.MAXIMUM)),
    ),
    graph('Money that waits: jobs failed, jobs pending', ...byWorker(search, 'JobsFailed', 'JobsPending')),
  ];
}

function banks(search: Search): IWidget[] {
  const byBank = (...metrics: MetricBy<'bank'>[]) => metrics.map((metric) => search(metric, ['service']));
  return [
    graph(
      'Banks: paused, access refused, responses about others, unknown values',
      ...byBank('BanksPaused', 'BankAccessRefused', 'AnswersAboutOthers', 'BankValuesUnknown'),
    ),
    graph(
      'Banks: money that differs, contradictions, unplaced credits, unsolicited and late returns',
      ...byBank('BalanceDiffers', 'BankContradictions', 'CreditsUnplaced', 'UnsolicitedReturns', 'PayoutsReturnedLate'),
    ),
  ];
}

function business(search: Search): IWidget[] {
  return [
    graph('Requests by operation', search('Requests', ['operationId', 'statusClass'])),
    graph('Duration by operation, p95 ms', search('RequestDuration', ['operationId', 'statusClass'], Stats.p(95))),
    graph(
      'Subscriptions, pay-ins and payouts by the status they reached',
      search('StatusReached', ['resource', 'status']),
    ),
    graph(
      'Notifications: failed, held, deferred to a backlog, queued again',
      ...byWorker(search, 'DeliveriesFailed', 'DeliveriesHeld', 'DeliveriesDeferred', 'DeliveriesSentAgain'),
    ),
    graph('Pay-ins expired, payouts submitted', ...byWorker(search, 'PayInsExpired', 'PayoutsSubmitted')),
    graph(
      'Scheduled payments: resent, released, canceled with their subscription',
      ...byWorker(search, 'PaymentsResent', 'PaymentsReleased', 'PaymentsCanceledWithSubscription'),
    ),
    graph('Disputes: blocked, reminded', ...byWorker(search, 'DisputesBlocked', 'DisputesReminded')),
    graph(
      'Confirmation codes of PIX keys: sent, refused by the address, dropped as no longer valid',
      ...byWorker(search, 'KeyCodesSent', 'KeyCodesKept', 'KeyCodesRefused', 'KeyCodesDropped'),
    ),
    graph(
      'Callbacks of banks by outcome, ids in them, unknown ids and recurrences',
      search('Callbacks', ['outcome']),
      search('CallbackIds', ['outcome']),
      ...byWorker(search, 'CallbackIdsUnknown', 'CallbackIdsUnread', 'RecurrencesUnknown', 'RecurrencesUnclaimed'),
    ),
    graph('Oldest due job by kind, seconds late', search('OldestJobAge', ['kind'], Stats.MAXIMUM)),
  ];
}

function notifications({ queues, workers }: Watched, search: Search): IWidget[] {
  const { deliveries, deadLetters, relayFailures } = queues;
  return [
    graph('Attempts by outcome and number', search('DeliveryAttempts', ['outcome', 'attempt'])),
    graph('From status change to first call, p95 ms', search('DeliveryLatency', ['worker'], Stats.p(95))),
    graph('From callback to applied event, p95 ms', search('BankEventLatency', ['worker'], Stats.p(95))),
    graph(
      'Messages: waiting, in flight until the next attempt, dead letters, skipped by the relay',
      deliveries('ApproximateNumberOfMessagesVisible', maximum),
      deliveries('ApproximateNumberOfMessagesNotVisible', maximum),
      deadLetters('ApproximateNumberOfMessagesVisible', maximum),
      relayFailures('ApproximateNumberOfMessagesVisible', maximum),
    ),
    graph(
      'Age of the oldest message (s) and of the stream (ms)',
      deliveries('ApproximateAgeOfOldestMessage', maximum),
      workers['relay-deliveries']('IteratorAge', maximum),
    ),
  ];
}

function endpoints(search: Search): IWidget[] {
  const counted = [
    'CircuitsOpened',
    'CircuitsHalfOpen',
    'CircuitsClosed',
    'ProbesFailed',
    'EndpointsDisabled',
    'DeliveriesDrained',
  ] as const;
  return [
    graph(
      'Endpoints of partners: circuits, probes, deliveries drained or resent',
      ...counted.map((name) => search(name, ['pipeline'])),
      ...byWorker(search, 'DeliveriesResent'),
    ),
    graph(
      'Longest failing endpoint, oldest delivery of a drained backlog, s',
      search('EndpointFailing', ['pipeline'], Stats.MAXIMUM),
      search('BacklogAge', ['pipeline'], Stats.MAXIMUM),
    ),
  ];
}

function machinery({ stage, workers, table }: Watched, search: Search): IWidget[] {
  return [
    graph('API Gateway: requests, 4xx, 5xx', stage('Count', sum), stage('4XXError', sum), stage('5XXError', sum)),
    graph(
      'API Gateway: p95 ms, and outcomes of tokens',
      stage('Latency', { period, statistic: Stats.p(95) }),
      search('Authorizations', ['outcome']),
    ),
    graph('Errors of workers', ...Object.values(workers).map((worker) => worker('Errors', sum))),
    graph(
      'Table: consumed units, conflicts',
      table.metricConsumedReadCapacityUnits(sum),
      table.metricConsumedWriteCapacityUnits(sum),
      table.metric('TransactionConflict', sum),
    ),
  ];
}

function graph(title: string, ...left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width });
}

function byWorker(search: Search, ...metrics: MetricBy<'worker'>[]): MathExpression[] {
  return metrics.map((metric) => search(metric, ['worker']));
}

/** Finds a metric in every combination of these dimensions, so that a new route appears without a change here. */
type Search = (metric: MetricName, dimensions: readonly string[], statistic?: string) => MathExpression;

function searchOf(environment: string): Search {
  return (metric, dimensions, statistic = Stats.SUM) => {
    const schema = [metricNamespace(environment), ...dimensions].join(',');
    return new MathExpression({
      expression: `SEARCH('{${schema}} MetricName="${metric}"', '${statistic}', ${period.toSeconds()})`,
      label: '',
      usingMetrics: {},
      period,
    });
  };
}
