import { env } from './env.ts';
import type { WorkerName } from './jobs/worker-names.ts';
import { output } from './output.ts';

/** Every metric of the functions: alarms and dashboard take their names from here. */
export const metricNames = [
  'AttemptDuration',
  'Authorizations',
  'BacklogAge',
  'BalanceDiffers',
  'BalanceNotCompared',
  'BankAccessRefused',
  'BankCertificateEnds',
  'BankContradictions',
  'BanksPaused',
  'CallbackIds',
  'CallbackIdsUnknown',
  'CallbackIdsUnread',
  'Callbacks',
  'CircuitsClosed',
  'CircuitsHalfOpen',
  'CircuitsOpened',
  'CommandsMissed',
  'CommandsSubmitted',
  'CreditsUnmatched',
  'DeadLettersRemoved',
  'DeliveriesDeferred',
  'DeliveriesFailed',
  'DeliveriesHeld',
  'DeliveriesRelayed',
  'DeliveriesDrained',
  'DeliveriesResent',
  'DeliveriesSentAgain',
  'DeliveryAttempts',
  'DeliveryLatency',
  'EndpointFailing',
  'EndpointsDisabled',
  'ForeignReturns',
  'IssuerKeys',
  'JobsFailed',
  'JobsPending',
  'KeyCodesDropped',
  'KeyCodesKept',
  'KeyCodesRefused',
  'KeyCodesSent',
  'MissedByCallback',
  'OldestJobAge',
  'PayInsExpired',
  'PaymentsCanceledWithSubscription',
  'PaymentsReleased',
  'PaymentsResent',
  'PayoutsPostponed',
  'PayoutsReturnedLate',
  'PayoutsSubmitted',
  'ProbesFailed',
  'RecurrencesOrphaned',
  'RecurrencesUnknown',
  'RequestDuration',
  'Requests',
  'ResendsMissed',
  'StaleMessages',
  'StatusReached',
  'TruststoreWarnings',
] as const;
export type MetricName = (typeof metricNames)[number];
type Unit = 'Count' | 'Milliseconds' | 'Seconds';
export type Metric = { readonly name: MetricName; readonly unit: Unit; readonly value: number };

/** Few and bounded: each combination is a metric of its own. */
export type Dimensions = Readonly<Record<string, string>> & { readonly worker?: WorkerName };

/** Alarms of one environment must not see the metrics of another one in the same account. */
export function metricNamespace(environment: string): string {
  return `BankingOrderService/${environment}`;
}

/** Writes metrics as one line of CloudWatch's embedded metric format: no call, no permission, no latency. */
export function emit(atMs: number, dimensions: Dimensions, metrics: readonly Metric[]): void {
  const values = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  const definition = {
    Namespace: env('METRIC_NAMESPACE'),
    Dimensions: [Object.keys(dimensions)],
    Metrics: metrics.map(({ name, unit }) => ({ Name: name, Unit: unit })),
  };
  const line = { _aws: { Timestamp: atMs, CloudWatchMetrics: [definition] }, ...dimensions, ...values };
  output().metric(`${JSON.stringify(line)}\n`);
}
