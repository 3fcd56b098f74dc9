import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import type { AlarmSettings, EnvironmentSettings } from '../../settings.ts';
import { isOn } from '../../switches.ts';
import type { WorkerName } from '../../workers.ts';
import type { DeliveryQueues } from '../delivery-queues.ts';
import type { Endpoint } from '../partner-api.ts';
import type { ScheduledWork } from '../scheduled-work.ts';
import { alarmMaker } from './alarms.ts';
import { addApiAlarms } from './api-alarms.ts';
import { addDashboard } from './dashboard.ts';
import { addDeliveryAlarms } from './delivery-alarms.ts';
import { addFunctionAlarms } from './function-alarms.ts';
import { addTableAlarms } from './table-alarms.ts';

/** What is watched. */
export type Watched = {
  readonly settings: EnvironmentSettings;
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
  readonly schedules: ScheduledWork;
  readonly workers: Readonly<Record<WorkerName, IFunction>>;
  readonly endpoints: readonly Endpoint[];
  readonly api: RestApi;
};

/** Alarms that see trouble before the partner does, each saying what it means for partners; and one dashboard. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const topic = alarmTopic(this, watched.settings.alarms);
    const add = alarmMaker(topic && new SnsAction(topic), !isOn(this.node, 'withoutMathAlarms'));
    addDeliveryAlarms(this, add, watched);
    addFunctionAlarms(this, add, watched);
    addApiAlarms(this, add, watched);
    addTableAlarms(this, add, watched);
    addDashboard(this, watched);
  }
}

function alarmTopic(scope: Construct, alarms: AlarmSettings) {
  if (alarms.topicArn !== undefined) return Topic.fromTopicArn(scope, 'Topic', alarms.topicArn);
  if (alarms.email === undefined) return undefined;
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  topic.addSubscription(new EmailSubscription(alarms.email));
  return topic;
}
