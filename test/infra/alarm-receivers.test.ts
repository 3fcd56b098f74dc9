import { readFileSync } from 'node:fs';
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
  const alarmsOf = (stack: Stacks) =>
    ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
      all(stack('Prod-Monitoring'), type),
    );
  /** Of every alarm that does not ring by a composite alarm. */
  const readAlarmActions = (stack: Stacks) => {
    const joined = JSON.stringify(alarmsOf(stack).map(({ Properties }) => Properties['AlarmRule'] as unknown));
    return alarmsOf(stack)
      .filter(({ id }) => !joined.includes(`"${id}"`))
      .map(({ Properties }) => Properties['AlarmActions'] as unknown[] | undefined);
  };

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
      expect(publishers.length).toBeGreaterThan(80);
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

  test('is the ticket topic, when one is set, except for alarms that docs/alarms.md says why they wake', () => {
    const ticketTopicArn = 'arn:aws:sns:sa-east-1:111111111111:tickets';
    const settings = { ...withTopic, alarms: { ...withTopic.alarms, ticketTopicArn } };
    const stack = synthesize({ environments: ['prod'], settings: { prod: settings } });
    for (const actions of readAlarmActions(stack)) expect(actions).toHaveLength(1);
    const woken = alarmsOf(stack).filter(({ Properties }) => {
      const actions = [Properties['AlarmActions']].flat();
      return actions.includes(withTopic.alarms.topicArn);
    });
    const page = readFileSync(new URL('../../docs/alarms.md', import.meta.url), 'utf8');
    const reasons = [...page.matchAll(/^\| `(\w+)` \| [A-Z]/gmu)].map(([, name]) => name);
    expect(woken.map(({ id }) => id.replace(/[0-9A-F]{8}$/u, '')).toSorted()).toEqual(reasons.toSorted());
  });

  test('is missing, and no alarm has an action, when the settings name no address and no topic', () => {
    const stack = synthesize({ environments: ['prod'] });
    for (const actions of each(readAlarmActions(stack))) expect(actions).toBeUndefined();
  });
});
