import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { AlarmSettings } from '#infra/settings.ts';
import type { Statement } from './synthesized.ts';
import { actionsOf, all, only, synthesize } from './synthesized.ts';

const secretArn = 'arn:aws:secretsmanager:sa-east-1:111111111111:secret:caller-a1b2c3';
const email = 'on-call@example.com';
const prod = { ...environments.prod, caller: { secretArn }, alarms: { ...environments.prod.alarms, email } };
const stacks = synthesize({ environments: ['prod'], settings: { prod } });

describe('the synthetic caller', () => {
  const stack = stacks('Prod-Caller');

  test('is off until a company for it exists', () => {
    expect(synthesize().names.filter((name) => name.endsWith('Caller'))).toEqual([]);
  });

  test('calls every five minutes, by one schedule that may call no other function', () => {
    const { Properties: schedule } = only(stack, 'AWS::Scheduler::Schedule');
    expect(schedule['ScheduleExpression']).toBe('rate(5 minutes)');
    const role = all(stack, 'AWS::IAM::Role').find(({ id }) => id.includes('ScheduleRole'))!;
    expect(JSON.stringify(role.Properties['Policies'])).toContain(':function:banking-order-prod-synthetic-caller"');
  });

  test('may write logs and read one existing secret, and imports no resource of the service', () => {
    const roles = all(stack, 'AWS::IAM::Role').filter(({ id }) => !id.includes('ScheduleRole'));
    expect(roles).toHaveLength(2);
    for (const { Properties } of roles) {
      const policies = Properties['Policies'] as { PolicyDocument: { Statement: Statement[] } }[];
      const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      expect(statements.flatMap(actionsOf)).toEqual([
        'logs:CreateLogStream',
        'logs:PutLogEvents',
        'secretsmanager:GetSecretValue',
      ]);
      expect(statements[1]?.Resource).toBe(secretArn);
    }
    expect(stack.text).not.toContain('Fn::ImportValue');
  });

  test('has a receiver that the internet reaches', () => {
    expect(only(stack, 'AWS::Lambda::Url').Properties).toMatchObject({ AuthType: 'NONE' });
    expect(Object.keys(stack.outputs).join(' ')).toContain('ReceiverUrl');
  });
});

describe('the budget', () => {
  const budgetsOf = (alarms: AlarmSettings) =>
    all(
      synthesize({ environments: ['prod'], settings: { prod: { ...prod, alarms } } })('Prod-Monitoring'),
      'AWS::Budgets::Budget',
    ).map(({ Properties }) => Properties);
  const { monthlyDollars } = prod.alarms;
  const topicArn = 'arn:aws:sns:sa-east-1:111111111111:page';

  test.each([
    ['a mail', { email }, { SubscriptionType: 'EMAIL', Address: email }],
    ['a topic', { topicArn }, { SubscriptionType: 'SNS', Address: topicArn }],
  ])('notifies by %s when 80 percent are spent, and when the forecast is above the amount', (_how, to, subscriber) => {
    const [budget] = budgetsOf({ ...to, monthlyDollars: monthlyDollars! });
    expect(budget?.['Budget']).toMatchObject({ BudgetLimit: { Amount: monthlyDollars!.account, Unit: 'USD' } });
    const notifications = budget?.['NotificationsWithSubscribers'] as { Notification: object; Subscribers: object[] }[];
    expect(notifications.map(({ Subscribers }) => Subscribers)).toEqual([[subscriber], [subscriber]]);
    expect(notifications).toMatchObject([
      { Notification: { NotificationType: 'ACTUAL', Threshold: 80 } },
      { Notification: { NotificationType: 'FORECASTED', Threshold: 100 } },
    ]);
  });

  test('is not created when the settings have no receiver, or no amount', () => {
    expect(budgetsOf({ monthlyDollars: monthlyDollars! })).toEqual([]);
    expect(budgetsOf({ email })).toEqual([]);
  });
});
