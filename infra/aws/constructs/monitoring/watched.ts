import type { MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Route } from '#functions/routes.ts';
import type { OfWorkers } from '#functions/workers.ts';
import { resourceName } from '#infra/resource-name.ts';
import { deployedWorkers } from '#infra/aws/service-functions.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { WatchedQueue } from '../delivery-pipeline.ts';
import { queueName } from '#infra/resource-name.ts';
import { watchedQueues } from '../delivery-pipeline.ts';
import { apiName } from '../partner-api.ts';

/** A metric of one resource, by its name in CloudWatch. */
export type MetricOf = (metricName: string, options: MetricOptions) => Metric;

/** The resources that alarms and dashboard watch. All except the table are known only by name. */
export type Watched = {
  readonly settings: EnvironmentSettings;
  readonly table: ITableV2;
  readonly queues: Readonly<Record<WatchedQueue, MetricOf>>;
  readonly workers: OfWorkers<MetricOf>;
  readonly endpoints: readonly { readonly route: Route; readonly metric: MetricOf }[];
  readonly stage: MetricOf;
};

export type MonitoringProps = Pick<Watched, 'settings' | 'table'> & { readonly routes: readonly Route[] };

/** Finds everything that is watched. */
export function findWatched({ settings, table, routes }: MonitoringProps): Watched {
  const lambda = (name: string) => metricOf('AWS/Lambda', { FunctionName: resourceName(settings, name) });
  const queues = watchedQueues.map(
    (key) => [key, metricOf('AWS/SQS', { QueueName: queueName(settings, key) })] as const,
  );
  const workers = deployedWorkers(settings).map((name) => [name, lambda(name)] as const);
  return {
    settings,
    table,
    queues: Object.fromEntries(queues) as Watched['queues'],
    workers: Object.fromEntries(workers) as Watched['workers'],
    endpoints: routes.map((route) => ({ route, metric: lambda(route.contract.operationId) })),
    stage: metricOf('AWS/ApiGateway', { ApiName: apiName(settings), Stage: settings.name }),
  };
}

export function metricOf(namespace: string, dimensionsMap: Readonly<Record<string, string>>): MetricOf {
  return (metricName, options) => new Metric({ namespace, metricName, dimensionsMap, ...options });
}
