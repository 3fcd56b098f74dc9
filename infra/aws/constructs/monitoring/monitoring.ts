import { Aws, Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { AlarmSettings } from '#infra/settings.ts';
import { indexes } from '#shared/platform/table/store.ts';
import { firewallMetric } from '../firewall.ts';
import type { AlarmMaker, AlarmTargets } from './alarms.ts';
import { alarmMaker, sum } from './alarms.ts';
import { addAccountAlarms, addBudget, addCopyEvents } from './account-alarms.ts';
import { addCallerAlarms } from './caller-alarms.ts';
import { addBankAlarms } from './bank-alarms.ts';
import { addDashboard } from './dashboard.ts';
import { addDeliveryAlarms } from './delivery-alarms.ts';
import { addFunctionAlarms } from './function-alarms.ts';
import { addObjectives } from './objectives.ts';
import type { Watched } from './watched.ts';

/** Adds alarms with their impact on partners, and one dashboard. */
export function addMonitoring(scope: Construct, watched: Watched): void {
  const topic = alarmTopic(scope, watched.settings.alarms);
  const add = alarmMaker(scope, alarmTargets(scope, topic, watched.settings.alarms));
  addDeliveryAlarms(add, watched);
  addFunctionAlarms(add, watched);
  addBankAlarms(add, watched);
  addApiAlarms(add, watched);
  addTableAlarms(add, watched);
  addAccountAlarms(add, watched);
  addCallerAlarms(add, watched);
  addObjectives(add, watched);
  add.outage({
    severity: 'page',
    impact: 'Partners notice an outage: an objective fails fast, the synthetic caller fails, or urgent work is late.',
    action: 'Find the alarms that ring below this one, and begin with those of account and table.',
  });
  addBudget(scope, watched.settings);
  addCopyEvents(scope, watched.settings, topic);
  addDashboard(scope, watched, add.all());
}

function alarmTargets(scope: Construct, topic: ITopic | undefined, alarms: AlarmSettings): AlarmTargets {
  const page = topic && new SnsAction(topic);
  const { ticketTopicArn } = alarms;
  if (ticketTopicArn === undefined) return { page, ticket: page };
  return { page, ticket: new SnsAction(Topic.fromTopicArn(scope, 'TicketTopic', ticketTopicArn)) };
}

function alarmTopic(scope: Construct, alarms: AlarmSettings): ITopic | undefined {
  if (alarms.topicArn !== undefined) return Topic.fromTopicArn(scope, 'Topic', alarms.topicArn);
  if (alarms.email === undefined) return undefined;
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  // A policy replaces the default policy of SNS, which lets alarms of the account publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsOfThisAccount',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  topic.addSubscription(new EmailSubscription(alarms.email));
  return topic;
}

const period = Duration.minutes(5);

/** Adds the alarms on the API as partners see it: errors, latency and refusals of the firewall. */
function addApiAlarms(add: AlarmMaker, { settings, stage }: Watched): void {
  add.above('ApiServerErrors', {
    // The metric is 1 for a failed request, else 0: its average is the error rate.
    metric: stage('5XXError', { period, statistic: Stats.AVERAGE }),
    above: 0.01,
    periods: 2,
    impact: 'More than one request in a hundred gets a 5xx response.',
    action: 'Find the route in the access log, then its function in the dashboard.',
  });
  add.above('ApiLatency', {
    metric: stage('Latency', { period, statistic: Stats.p(95) }),
    above: 2_000,
    periods: 3,
    impact: 'One request in twenty takes more than two seconds.',
    action: 'Compare the latency of gateway, authorizer and function in the access log.',
  });
  if (settings.api.firewallRate === undefined) return;
  add.above('FirewallBlocked', {
    metric: new Metric({
      namespace: 'AWS/WAFV2',
      metricName: 'BlockedRequests',
      dimensionsMap: { WebACL: firewallMetric(settings), Region: Aws.REGION, Rule: 'ALL' },
      period,
      statistic: Stats.SUM,
    }),
    above: 1_000,
    impact: 'The firewall refused more than a thousand requests in five minutes: some may be those of a partner.',
    action: 'Read the rule and the address in the log of the web ACL.',
  });
}

const operations = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'TransactWriteItems'] as const;

function addTableAlarms(add: AlarmMaker, { table }: Watched): void {
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
  add.above('TableThrottles', {
    metric: sum('Throttled requests', throttled),
    periods: 2,
    impact: 'Requests are slow or get 503: DynamoDB throttles reads or writes of the table.',
    action: 'Find a hot partition or company, and compare the traffic with the limits in environments.ts.',
  });
  add.above('TableSystemErrors', {
    metric: sum(
      'System errors',
      operations.map((Operation) => metric('SystemErrors', { Operation })),
    ),
    periods: 2,
    impact: 'Requests get 503: DynamoDB responds with system errors.',
    action: 'Check the AWS Health Dashboard. Callers repeat with the same key, and nothing is lost or doubled.',
  });
}
