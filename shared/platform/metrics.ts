import { env } from './env.ts';
import type { WorkerName } from './jobs/worker-names.ts';
import type { LogFields, LogLevel } from './log.ts';
import { log } from './log.ts';
import { output } from './output.ts';

/**
 * The dimensions by which functions write metrics, with their values. Each combination of values is a metric of its
 * own.
 */
type DimensionSets = {
  readonly worker: { readonly worker: WorkerName };
  readonly kind: { readonly kind: string };
  readonly bank: { readonly service: 'bank' };
  readonly deliveries: { readonly pipeline: 'deliveries' };
  readonly outcome: { readonly outcome: string };
  readonly attempt: { readonly outcome: string; readonly attempt: string };
  readonly status: { readonly resource: string; readonly status: string };
  readonly operation: { readonly operationId: string; readonly statusClass: string };
};
type DimensionSet = keyof DimensionSets;

/** Every metric of the functions, with the dimensions by which it is written: an alarm can use no others. */
const metrics = {
  AnswersAboutOthers: ['bank'],
  AttemptDuration: ['attempt'],
  Authorizations: ['outcome'],
  BacklogAge: ['deliveries'],
  BalanceDiffers: ['bank'],
  BalanceNotCompared: ['bank'],
  BankAccessRefused: ['bank'],
  BankCertificateEnds: ['bank'],
  BankContradictions: ['bank'],
  BankEventLatency: ['worker'],
  BankEventsFailed: ['worker'],
  BankValuesUnknown: ['bank'],
  BanksPaused: ['bank'],
  CallbackIds: ['outcome'],
  CallbackIdsUnknown: ['worker'],
  CallbackIdsUnread: ['worker'],
  Callbacks: ['outcome'],
  CircuitsClosed: ['deliveries'],
  CircuitsHalfOpen: ['deliveries'],
  CircuitsOpened: ['deliveries'],
  CommandsMissed: ['worker', 'kind'],
  CommandsSubmitted: ['worker', 'kind'],
  CreditsUnplaced: ['bank'],
  DeadLettersRemoved: ['worker'],
  DeliveriesDeferred: ['worker'],
  DeliveriesFailed: ['worker'],
  DeliveriesHeld: ['worker'],
  DeliveriesRelayed: ['worker'],
  DeliveriesDrained: ['deliveries'],
  DeliveriesResent: ['worker'],
  DeliveriesSentAgain: ['worker'],
  DeliveryAttempts: ['attempt'],
  DeliveryLatency: ['worker'],
  DisputesBlocked: ['worker', 'kind'],
  DisputesReminded: ['worker', 'kind'],
  EndpointFailing: ['deliveries'],
  EntriesChained: ['worker'],
  EntriesNoted: ['worker'],
  EndpointsDisabled: ['deliveries'],
  UnsolicitedReturns: ['bank'],
  IssuerKeys: ['outcome'],
  JobsFailed: ['worker'],
  JobsPending: ['worker'],
  KeyCodesDropped: ['worker', 'kind'],
  KeyCodesKept: ['worker', 'kind'],
  KeyCodesRefused: ['worker', 'kind'],
  KeyCodesSent: ['worker', 'kind'],
  MissedByCallback: ['worker'],
  OldestJobAge: ['kind'],
  PayInsExpired: ['worker', 'kind'],
  PaymentsCanceledWithSubscription: ['worker', 'kind'],
  PaymentsReleased: ['worker', 'kind'],
  PaymentsResent: ['worker', 'kind'],
  PayoutsPostponed: ['worker', 'kind'],
  PayoutsReturnedLate: ['bank'],
  PayoutsSubmitted: ['worker', 'kind'],
  ProbesFailed: ['deliveries'],
  RecurrencesUnclaimed: ['worker', 'kind'],
  RecurrencesUnknown: ['worker', 'kind'],
  RequestDuration: ['operation'],
  Requests: ['operation'],
  RequestsShed: ['kind'],
  ResendsMissed: ['worker', 'kind'],
  StaleMessages: ['worker'],
  StatusReached: ['status'],
  TruststoreWarnings: ['bank'],
} as const satisfies Readonly<Record<string, readonly DimensionSet[]>>;

export type MetricName = keyof typeof metrics;
// An assertion: the names are the keys of the table.
export const metricNames = Object.keys(metrics) as readonly MetricName[];
/** The dimensions by which a metric is written. */
export type DimensionsOf<Name extends MetricName> = DimensionSets[(typeof metrics)[Name][number]];
/** The metrics that are written by some dimensions. */
export type MetricBy<By extends DimensionSet> = {
  [Name in MetricName]: By extends (typeof metrics)[Name][number] ? Name : never;
}[MetricName];

/** The metrics that are written by some dimensions. */
export function metricsBy<By extends DimensionSet>(by: By): readonly MetricBy<By>[] {
  const isBy = (name: MetricName): name is MetricBy<By> => metrics[name].some((dimension) => dimension === by);
  return metricNames.filter(isBy);
}

type Unit = 'Count' | 'Milliseconds' | 'Seconds';
export type Metric<Name extends MetricName = MetricName> = {
  readonly name: Name;
  readonly unit: Unit;
  /** Several values of one line, at most a hundred, are points of their own. */
  readonly value: number | readonly number[];
};

/** Alarms of one environment must not see the metrics of another one in the same account. */
export function metricNamespace(environment: string): string {
  return `BankingOrderService/${environment}`;
}

/** Metrics of one line, with dimensions; the compiler knows the dimensions of each metric. */
type Measured<By extends DimensionSet> = {
  readonly atMs: number;
  readonly by: By;
  readonly dimensions: DimensionSets[By];
  readonly metrics: readonly Metric<MetricBy<By>>[];
};

/**
 * Writes metrics as one line of CloudWatch's embedded metric format: no call, no permission, no latency. `by` is for
 * the compiler, which knows the dimensions of each metric.
 */
export function emit<By extends DimensionSet>(
  atMs: number,
  by: By,
  dimensions: DimensionSets[By],
  metrics: readonly Metric<MetricBy<By>>[],
): void {
  output().metric?.(`${JSON.stringify(embedded({ atMs, by, dimensions, metrics }))}\n`);
}

/** Writes a log line from which CloudWatch also reads metrics. Their common fields are written and paid for once. */
export function logMeasured<By extends DimensionSet>(
  level: LogLevel,
  message: string,
  fields: LogFields,
  measured: Measured<By>,
): void {
  log(level, message, fields, output().metric === undefined ? {} : embedded(measured));
}

/** The members of the embedded metric format. */
function embedded<By extends DimensionSet>({ atMs, dimensions, metrics }: Measured<By>): object {
  const definition = {
    Namespace: env('METRIC_NAMESPACE'),
    Dimensions: [Object.keys(dimensions)],
    Metrics: metrics.map(({ name, unit }) => ({ Name: name, Unit: unit })),
  };
  const values = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  return { _aws: { Timestamp: atMs, CloudWatchMetrics: [definition] }, ...dimensions, ...values };
}
