import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { AlarmSettings } from '#infra/settings.ts';
import { isOn } from '#infra/aws/switches.ts';
import type { AlarmTargets } from './alarms.ts';
import { alarmMaker } from './alarms.ts';
import { addApiAlarms } from './api-alarms.ts';
import { addDashboard } from './dashboard.ts';
import { addDeliveryAlarms } from './delivery-alarms.ts';
import { addFunctionAlarms } from './function-alarms.ts';
import { addTableAlarms } from './table-alarms.ts';
import type { Watched } from './watched.ts';

/** Alarms that notice trouble before the partner does, each saying what it means for partners; and one dashboard. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const add = alarmMaker(alarmTargets(this, watched.settings.alarms), !isOn(this.node, 'withoutMathAlarms'));
    addDeliveryAlarms(this, add, watched);
    addFunctionAlarms(this, add, watched);
    addApiAlarms(this, add, watched);
    addTableAlarms(this, add, watched);
    addDashboard(this, watched);
  }
}

function alarmTargets(scope: Construct, alarms: AlarmSettings): AlarmTargets {
  const topic = alarmTopic(scope, alarms);
  const page = topic && new SnsAction(topic);
  const { ticketTopicArn } = alarms;
  if (ticketTopicArn === undefined) return { page, ticket: page };
  return { page, ticket: new SnsAction(Topic.fromTopicArn(scope, 'TicketTopic', ticketTopicArn)) };
}

function alarmTopic(scope: Construct, alarms: AlarmSettings) {
  if (alarms.topicArn !== undefined) return Topic.fromTopicArn(scope, 'Topic', alarms.topicArn);
  if (alarms.email === undefined) return undefined;
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  topic.addSubscription(new EmailSubscription(alarms.email));
  return topic;
}
