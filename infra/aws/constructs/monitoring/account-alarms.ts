import { createHash } from 'node:crypto';
import { Duration } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { AlarmMaker } from './alarms.ts';
import type { Watched } from './watched.ts';

/** Amazon SES reviews an account above these rates, and pauses it at twice the first and five times the second. */
const reviewedBounces = 0.05;
const reviewedComplaints = 0.001;
/** Share of a limit at which there is time to have it raised. */
const nearLimit = 0.8;

/**
 * Adds the alarms on messages with confirmation codes: the account's reputation at Amazon SES, and its spending at
 * Amazon SNS. These metrics have no dimension: they cover the whole account.
 */
export function addAccountAlarms(add: AlarmMaker, { settings }: Watched): void {
  const metric = (namespace: string, metricName: string): Metric =>
    new Metric({ namespace, metricName, period: Duration.hours(1), statistic: Stats.MAXIMUM });
  if (settings.keys.senders === undefined) return;
  const mail = {
    impact: 'Confirmation codes by e-mail stop soon: Amazon SES pauses accounts with too many bounces or complaints.',
    runbook: 'mail-reputation',
  };
  add.above('MailBounces', {
    metric: metric('AWS/SES', 'Reputation.BounceRate'),
    above: reviewedBounces,
    action: 'Find the company that creates keys for addresses that do not exist.',
    ...mail,
  });
  add.above('MailComplaints', {
    metric: metric('AWS/SES', 'Reputation.ComplaintRate'),
    above: reviewedComplaints,
    action: 'Find the company that creates keys for addresses of other people.',
    ...mail,
  });
  const { monthlyDollars } = settings.alarms;
  if (monthlyDollars === undefined) return;
  add.above('TextSpending', {
    metric: metric('AWS/SNS', 'SMSMonthToDateSpentUSD'),
    above: nearLimit * monthlyDollars.messages,
    impact: 'Confirmation codes to phones stop soon: Amazon SNS has nearly reached its spending limit of the month.',
    action: 'Raise the spending limit, and check whether one company requests many codes.',
  });
}

/** Reports the account's bill by AWS Budgets: billing metrics are only in us-east-1. The budget stops nothing. */
export function addBudget(scope: Construct, { name, alarms }: EnvironmentSettings): void {
  const { monthlyDollars, topicArn, email } = alarms;
  const subscriber =
    topicArn !== undefined
      ? { subscriptionType: 'SNS', address: topicArn }
      : email !== undefined && { subscriptionType: 'EMAIL', address: email };
  if (monthlyDollars === undefined || subscriber === false) return;
  const above = (notificationType: 'ACTUAL' | 'FORECASTED', percent: number) => ({
    notification: {
      notificationType,
      comparisonOperator: 'GREATER_THAN',
      thresholdType: 'PERCENTAGE',
      threshold: percent,
    },
    subscribers: [subscriber],
  });
  const notificationsWithSubscribers = [above('ACTUAL', 100 * nearLimit), above('FORECASTED', 100)];
  // Other subscribers replace the budget: the new budget needs another name while the former one still exists.
  const subscribers = createHash('sha256').update(JSON.stringify(notificationsWithSubscribers)).digest('hex');
  new CfnBudget(scope, 'Budget', {
    budget: {
      budgetName: `banking-order-${name}-${subscribers.slice(0, 8)}`,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyDollars.account, unit: 'USD' },
    },
    notificationsWithSubscribers,
  });
}

/** Reports a failed backup or a failed copy, by the event of its job. */
export function addCopyEvents(scope: Construct, { data }: EnvironmentSettings, topic: ITopic | undefined): void {
  if (data.copies === undefined || topic === undefined) return;
  const text =
    'The last day has no copy of the table in the other account: a backup or its copy failed. Find the failed job and its cause. ' +
    'docs/runbook.md#copies-failed';
  new Rule(scope, 'CopiesFailed', {
    description: 'Failed backups of the table, and failed copies of them',
    eventPattern: {
      source: ['aws.backup'],
      detailType: ['Backup Job State Change', 'Copy Job State Change'],
      detail: { state: ['FAILED', 'ABORTED', 'EXPIRED'], resourceType: ['DynamoDB'] },
    },
    targets: [new SnsTopic(topic, { message: RuleTargetInput.fromText(text) })],
  });
}
