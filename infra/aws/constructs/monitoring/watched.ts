import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { OfWorkers } from '#functions/workers.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { DeliveryQueues } from '../delivery-queues.ts';
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
