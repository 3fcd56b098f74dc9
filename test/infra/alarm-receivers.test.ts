import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { Stacks, Statement, Template } from './synthesized.ts';
import { actionsOf, all, only, resourcesOf, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

const withEmail = { ...environments.prod, alarms: { email: 'on-call@example.com' } };
const withTopic = { ...environments.prod, alarms: { topicArn: 'arn:aws:sns:sa-east-1:111111111111:on-call' } };
/** Every topic of a template that an alarm, a rule or a budget publishes to, and as which service. */
function publishersOf(template: Template) {
  const topics = new Set(all(template, 'AWS::SNS::Topic').map(({ id }) => id));
  const refs = (value: unknown): string[] =>
    [...JSON.stringify(value ?? []).matchAll(/"Ref":"(\w+)"/gu)].map(([, id]) => id!);
  const actions = {
    'AWS::CloudWatch::Alarm': 'cloudwatch',
    'AWS::CloudWatch::CompositeAlarm': 'cloudwatch',
    'AWS::Events::Rule': 'events',
    'AWS::Budgets::Budget': 'budgets',
  };
  return Object.entries(actions).flatMap(([type, service]) =>
    all(template, type).flatMap(
      ({ Properties: { AlarmActions, OKActions, InsufficientDataActions, Targets, NotificationsWithSubscribers } }) =>
        refs([AlarmActions, OKActions, InsufficientDataActions, Targets, NotificationsWithSubscribers])
          .filter((id) => topics.has(id))
          .map((topic) => ({ template, topic, publisher: `${service}.amazonaws.com` })),
    ),
  );
}

/** Whether the policy of a topic grants it: a policy replaces the one that SNS gives a topic by itself. */
function mayPublish(template: Template, publisher: string, topic: string): boolean {
  const statements = all(template, 'AWS::SNS::TopicPolicy')
    .filter(({ Properties }) => JSON.stringify(Properties['Topics']).includes(`"${topic}"`))
    .flatMap(
      ({ Properties }) =>
        Properties['PolicyDocument'].Statement as (Statement & { Principal?: { Service?: unknown } })[],
    );
  return statements.some(
    (one) =>
      one.Effect === 'Allow' &&
      actionsOf(one).includes('sns:Publish') &&
      [one.Principal?.Service].flat().includes(publisher) &&
      resourcesOf(one).some((resource) => resource.includes(topic)),
  );
}

describe('the receiver of alarms', () => {
  const readAlarmActions = (stack: Stacks) =>
    all(stack('Prod-Monitoring'), 'AWS::CloudWatch::Alarm').map(
      ({ Properties }) => Properties['AlarmActions'] as unknown[] | undefined,
    );

  test('is an address of environments.ts, through a topic that refuses requests without TLS', () => {
    const stack = synthesize({ environments: ['prod'], settings: { prod: withEmail } });
    const topic = only(stack('Prod-Monitoring'), 'AWS::SNS::Topic');
    expect(only(stack('Prod-Monitoring'), 'AWS::SNS::Subscription').Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'on-call@example.com',
    });
    expect(
      only(stack('Prod-Monitoring'), 'AWS::SNS::TopicPolicy').Properties['PolicyDocument'].Statement[0],
    ).toMatchObject({
      Effect: 'Deny',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
    for (const actions of readAlarmActions(stack)) expect(actions).toEqual([{ Ref: topic.id }]);
  });

  test('gets alarms of its own account alone, because CloudWatch publishes for every account', () => {
    const stack = synthesize({ environments: ['prod'], settings: { prod: withEmail } });
    const { Statement: statements } = only(stack('Prod-Monitoring'), 'AWS::SNS::TopicPolicy').Properties[
      'PolicyDocument'
    ] as { readonly Statement: readonly object[] };
    expect(statements.filter((one) => JSON.stringify(one).includes('cloudwatch.amazonaws.com'))).toMatchObject([
      { Action: 'sns:Publish', Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } } },
    ]);
  });

  test.each(['dev', 'hml', 'prod'] as const)(
    'in %s has topics on which each service of an action or a rule may publish',
    (name) => {
      const settings = {
        ...environments[name],
        target: { region: 'sa-east-1', account: '111111111111' },
        alarms: { ...environments[name].alarms, email: 'on-call@example.com' },
        data: { ...environments[name].data, copies: { account: '222222222222', days: 35 } },
      };
      const stacks = synthesize({ environments: [name], settings: { [name]: settings } });
      const publishers = stacks.names.flatMap((one) => publishersOf(stacks(one)));
      expect(publishers.length).toBeGreaterThan(100);
      for (const { template, publisher, topic } of publishers)
        expect(mayPublish(template, publisher, topic), `${publisher} to ${topic}`).toBe(true);
      expect(new Set(publishers.map(({ publisher }) => publisher))).toEqual(
        new Set(['cloudwatch.amazonaws.com', 'events.amazonaws.com']),
      );
    },
  );

  test('is an existing topic when the settings name one', () => {
    const stack = synthesize({ environments: ['prod'], settings: { prod: withTopic } });
    for (const actions of each(readAlarmActions(stack))) expect(actions).toEqual([withTopic.alarms.topicArn]);
    for (const { id, Properties } of each(all(stack('Prod-Monitoring'), 'AWS::CloudWatch::Alarm'))) {
      const whenSilent = id.includes('Silence') ? [withTopic.alarms.topicArn] : undefined;
      expect(Properties['InsufficientDataActions'], id).toEqual(whenSilent);
    }
  });

  test('is the ticket topic, when one is set, for alarms that can wait for a working day', () => {
    const ticketTopicArn = 'arn:aws:sns:sa-east-1:111111111111:tickets';
    const settings = { ...withTopic, alarms: { ...withTopic.alarms, ticketTopicArn } };
    const stack = synthesize({ environments: ['prod'], settings: { prod: settings } });
    for (const { id, Properties } of each(all(stack('Prod-Monitoring'), 'AWS::CloudWatch::Alarm'))) {
      const waits =
        /^(?:BalanceNotCompared|CallbackIdsUnread|DeadLettersLeft|CallbacksRefused|TruststoreWarnings|CallbackFailures|MissedByCallback|BankCertificateEnds|CreditsUnmatched|PayoutsReturnedLate)/u.test(
          id,
        );
      expect(Properties['AlarmActions'], id).toEqual([waits ? ticketTopicArn : withTopic.alarms.topicArn]);
    }
  });

  test('is missing, and no alarm has an action, when the settings name no address and no topic', () => {
    const stack = synthesize({ environments: ['prod'] });
    for (const actions of each(readAlarmActions(stack))) expect(actions).toBeUndefined();
  });
});
