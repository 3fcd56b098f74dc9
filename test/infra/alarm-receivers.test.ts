import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { Stacks } from './synthesized.ts';
import { all, only, synthesize } from './synthesized.ts';

const withEmail = { ...environments.prod, alarms: { email: 'on-call@example.com' } };
const withTopic = { ...environments.prod, alarms: { topicArn: 'arn:aws:sns:sa-east-1:111111111111:on-call' } };
describe('who is told', () => {
  const told = (stack: Stacks) =>
    all(stack('Prod-Monitoring'), 'AWS::CloudWatch::Alarm').map(
      ({ Properties }) => Properties['AlarmActions'] as unknown[] | undefined,
    );

  test('an address of environments.ts, by a topic that refuses what does not come by TLS', () => {
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
    for (const actions of told(stack)) expect(actions).toEqual([{ Ref: topic.id }]);
  });

  test('or a topic that exists', () => {
    const stack = synthesize({ environments: ['prod'], settings: { prod: withTopic } });
    for (const actions of told(stack)) expect(actions).toEqual([withTopic.alarms.topicArn]);
    for (const { id, Properties } of all(stack('Prod-Monitoring'), 'AWS::CloudWatch::Alarm')) {
      const whenSilent = id.includes('Silence') ? [withTopic.alarms.topicArn] : undefined;
      expect(Properties['InsufficientDataActions'], id).toEqual(whenSilent);
    }
  });

  test('what can wait for a working day goes to a topic of its own, where there is one', () => {
    const ticketTopicArn = 'arn:aws:sns:sa-east-1:111111111111:tickets';
    const settings = { ...withTopic, alarms: { ...withTopic.alarms, ticketTopicArn } };
    const stack = synthesize({ environments: ['prod'], settings: { prod: settings } });
    for (const { id, Properties } of all(stack('Prod-Monitoring'), 'AWS::CloudWatch::Alarm')) {
      const waits =
        /^(?:BalanceNotCompared|BankListsPending|CallbackIdsUnread|DeadLettersLeft|CallbacksRefused|TruststoreWarnings|CallbackFailures|MissedByCallback|BankCertificateEnds|CreditsUnmatched|PayoutsReturnedLate)/u.test(
          id,
        );
      expect(Properties['AlarmActions'], id).toEqual([waits ? ticketTopicArn : withTopic.alarms.topicArn]);
    }
  });

  test('or nobody, as long as nobody is named', () => {
    const stack = synthesize({ environments: ['prod'] });
    for (const actions of told(stack)) expect(actions).toBeUndefined();
  });
});
