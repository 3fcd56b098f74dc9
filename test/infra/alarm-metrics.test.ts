import { describe, expect, test } from 'vitest';
import { all, functionsOf, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

const stacks = synthesize({ environments: ['prod'] });
const service = stacks('Prod-Service');
const monitoring = stacks('Prod-Monitoring');

describe('two environments in one account', () => {
  const both = synthesize({ environments: ['hml', 'prod'] });

  test('write metrics into namespaces of their own, by every function', () => {
    for (const [stack, namespace] of [
      ['Hml-Service', 'BankingOrderService/hml'],
      ['Prod-Service', 'BankingOrderService/prod'],
    ] as const)
      for (const { name, environment } of each(functionsOf(both(stack))))
        expect(environment['METRIC_NAMESPACE'], name).toBe(namespace);
  });

  test('have no two alarms on the same metric, except metrics of the whole account', () => {
    const watched = (stack: string): readonly string[] =>
      all(both(stack), 'AWS::CloudWatch::Alarm').flatMap(
        ({ Properties: { Metrics, Namespace, MetricName, Dimensions } }) => {
          const metric = JSON.stringify({ Metrics, Namespace, MetricName, Dimensions });
          // The firewall's names its region.
          return /"Ref":"(?!AWS::)|"Fn::/u.test(metric) ? [] : [metric];
        },
      );
    const hml = new Set(watched('Hml-Monitoring'));
    expect(hml.size).toBeGreaterThan(20);
    expect(watched('Prod-Monitoring').filter((metric) => hml.has(metric))).toEqual(
      [
        { Namespace: 'AWS/Lambda', MetricName: 'Throttles' },
        { Namespace: 'AWS/SES', MetricName: 'Reputation.BounceRate' },
        { Namespace: 'AWS/SES', MetricName: 'Reputation.ComplaintRate' },
        { Namespace: 'AWS/SNS', MetricName: 'SMSMonthToDateSpentUSD' },
      ].map((metric) => JSON.stringify(metric)),
    );
  });
});

test('every function and queue that an alarm or a graph watches is deployed under the watched name', () => {
  const queues = [service, stacks('Prod-Data')].flatMap((stack) => all(stack, 'AWS::SQS::Queue'));
  const names = [...all(service, 'AWS::Lambda::Function'), ...queues].map(
    ({ Properties }) => (Properties['FunctionName'] ?? Properties['QueueName']) as string,
  );
  const { text } = monitoring;
  const found = text.matchAll(/(?:FunctionName|QueueName)\W+(?:Value\W+)?([\w-]+)/gu);
  const watched = [...found].map(([, name]) => name!);
  expect(watched.length).toBeGreaterThan(60);
  expect(watched.filter((name) => !names.includes(name))).toEqual([]);
  // The sweep requests lost drains again; the lists have the events of lost unknown ids. The age of due jobs is watched
  // by kind, in the index.
  const unwatched = names.filter((name) => !watched.includes(name));
  expect(unwatched.toSorted()).toEqual([
    'banking-order-prod-bank-callback-unknown',
    'banking-order-prod-due-advance-scheduled-payments',
    'banking-order-prod-due-expire-pay-ins',
    'banking-order-prod-due-read-bank-lists',
    'banking-order-prod-due-resend-settlement-errors',
    'banking-order-prod-due-send-key-codes',
    'banking-order-prod-due-submit-commands',
    'banking-order-prod-due-submit-payouts',
    'banking-order-prod-due-sweep-deliveries',
    'banking-order-prod-webhook-drains',
  ]);
  const [api] = all(service, 'AWS::ApiGateway::RestApi');
  const [stage] = all(service, 'AWS::ApiGateway::Stage');
  const dimensions = [
    { Name: 'ApiName', Value: api?.Properties['Name'] as unknown },
    { Name: 'Stage', Value: stage?.Properties['StageName'] as unknown },
  ];
  const ofApi = all(monitoring, 'AWS::CloudWatch::Alarm').filter(({ id }) => id.startsWith('Api'));
  expect(ofApi.map(({ Properties }) => Properties['Dimensions'] as unknown)).toEqual([dimensions, dimensions]);
});
