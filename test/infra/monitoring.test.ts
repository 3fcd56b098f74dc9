import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { environments } from '../../infra/environments.ts';
import { workerNames } from '../../infra/workers.ts';
import { all, only, synthesize, type Properties, type Stacks } from './synthesized.ts';

const withEmail = { ...environments.prod, alarms: { email: 'on-call@example.com' } };
const withTopic = { ...environments.prod, alarms: { topicArn: 'arn:aws:sns:sa-east-1:111111111111:on-call' } };
const service = synthesize({ environments: ['prod'] })('Prod-Service');
const alarms = all(service, 'AWS::CloudWatch::Alarm');

const expressionOf = (properties: Properties): string | undefined =>
  (properties['Metrics'] as { Expression?: string }[] | undefined)?.find(({ Expression }) => Expression)?.Expression;
/** The alarm by the id that the constructs give it. */
const alarm = (id: string): Properties =>
  alarms.find((candidate) => candidate.id.startsWith(`Monitoring${id.replaceAll('-', '')}`))!.Properties;

test('every alarm says what it means, what to do, and where to read on', () => {
  for (const { id, Properties } of alarms) {
    expect(Properties['AlarmDescription'], id).toMatch(/^[A-Z][^]{30,}\. [A-Z][^]{20,}\. docs\/runbook\.md#[a-z-]+$/);
    expect((Properties['AlarmDescription'] as string).length).toBeLessThan(1024);
  }
});

test('every alarm leads to a section of the runbook', () => {
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  for (const { Properties } of alarms) {
    const [, anchor] = /#([a-z-]+)$/.exec(Properties['AlarmDescription'] as string)!;
    expect(runbook).toContain(`\n## ${anchor!}\n`);
  }
});

test('silence is no alarm, except where something must keep running', () => {
  for (const { id, Properties } of alarms) {
    expect(Properties['TreatMissingData'], id).toBe(id.includes('Silence') ? 'breaching' : 'notBreaching');
  }
});

describe('on the way of a notification', () => {
  test.each([
    ['DeadLetters', 'ApproximateNumberOfMessagesVisible', 0],
    ['RelayFailures', 'ApproximateNumberOfMessagesVisible', 0],
    ['ScheduleFailures', 'ApproximateNumberOfMessagesVisible', 0],
    ['DeliveriesInFlight', 'ApproximateNumberOfMessagesNotVisible', 90_000],
    ['StreamAge', 'IteratorAge', 60_000],
  ])('%s rings when %s is above %i', (id, MetricName, Threshold) => {
    expect(alarm(id)).toMatchObject({ MetricName, Threshold, ComparisonOperator: 'GreaterThanThreshold' });
  });

  test('a delivery is late when it is older than all its waits and their jitter', () => {
    const waits = environments.prod.deliveries.retryDelaysSeconds.reduce((total, wait) => total + wait, 0);
    const { MetricName, Threshold } = alarm('DeliveryQueueAge');
    expect(MetricName).toBe('ApproximateAgeOfOldestMessage');
    expect(Threshold).toBeGreaterThan(waits * 1.2);
    expect(Threshold).toBeLessThan(waits * 1.2 + 3600);
  });
});

describe('functions', () => {
  test.each(workerNames.filter((name) => name !== 'authorizer'))('%s rings when it fails or is throttled', (name) => {
    expect(alarm(`Errors-${name}`)).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Errors', Threshold: 0 });
    expect(alarm(`WorkFailed-${name}`)).toMatchObject({
      Namespace: 'BankingOrderService',
      MetricName: 'WorkFailed',
      Dimensions: [{ Name: 'worker', Value: name }],
    });
    expect(alarm(`Throttles-${name}`)).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Throttles',
      Threshold: 0,
    });
  });

  test('the authorizer rings when it cannot judge a token, not when it refuses one', () => {
    expect(alarm('Errors-authorizer')).toMatchObject({
      Namespace: 'BankingOrderService',
      MetricName: 'Authorizations',
      Dimensions: [{ Name: 'outcome', Value: 'FAILED' }],
    });
  });

  test.each(['sweep-deliveries', 'expire-pay-ins', 'submit-payouts'])(
    '%s rings when it has not run for ten minutes',
    (name) => {
      expect(alarm(`Silence-${name}`)).toMatchObject({
        MetricName: 'Invocations',
        Period: 300,
        EvaluationPeriods: 2,
        ComparisonOperator: 'LessThanOrEqualToThreshold',
        Threshold: 0,
      });
    },
  );

  test('the errors of every endpoint are watched, area by area', () => {
    const watched = new Set(
      alarms
        .filter(({ id }) => id.includes('Errorsendpoints'))
        .flatMap(({ Properties }) => JSON.stringify(Properties).match(/\w+Function[0-9A-F]{8}/g)),
    );
    expect(watched.size).toBe(routes.filter(({ simulation }) => simulation !== true).length);
  });
});

describe('API and table', () => {
  test('one failed request in a hundred rings, and one slow in twenty', () => {
    expect(alarm('ApiServerErrors')).toMatchObject({ MetricName: '5XXError', Statistic: 'Average', Threshold: 0.01 });
    expect(alarm('ApiLatency')).toMatchObject({ MetricName: 'Latency', ExtendedStatistic: 'p95', Threshold: 2000 });
  });

  test('a flood that the firewall stops rings', () => {
    expect(alarm('FirewallBlocked')).toMatchObject({
      Namespace: 'AWS/WAFV2',
      MetricName: 'BlockedRequests',
      Dimensions: expect.arrayContaining([{ Name: 'WebACL', Value: 'Firewall' }]) as unknown,
    });
  });

  test('throttles of the table and both indexes ring, system errors and conflicts too', () => {
    expect(expressionOf(alarm('TableThrottles'))).toBe('m0 + m1 + m2 + m3 + m4 + m5');
    expect(JSON.stringify(alarm('TableThrottles'))).toMatch(/GSI1.*GSI2/);
    expect(expressionOf(alarm('TableSystemErrors'))).toContain('m0 + m1');
    expect(alarm('TransactionConflicts')).toMatchObject({ MetricName: 'TransactionConflict' });
  });
});

test('the switch leaves out alarms over metric math, and nothing else', () => {
  const plain = synthesize({ environments: ['prod'], context: { withoutMathAlarms: 'true' } })('Prod-Service');
  const kept = all(plain, 'AWS::CloudWatch::Alarm').map(({ id }) => id);
  expect(kept).toEqual(alarms.filter(({ Properties }) => expressionOf(Properties) === undefined).map(({ id }) => id));
  expect(kept.length).toBeLessThan(alarms.length);
  expect(plain.resources.length - kept.length).toBe(service.resources.length - alarms.length);
});

describe('who is told', () => {
  const told = (stack: Stacks) =>
    all(stack('Prod-Service'), 'AWS::CloudWatch::Alarm').map(
      ({ Properties }) => Properties['AlarmActions'] as unknown[] | undefined,
    );

  test('an address of environments.ts, by a topic that refuses what does not come by TLS', () => {
    const stack = synthesize({ environments: ['prod'], settings: { prod: withEmail } });
    const topic = only(stack('Prod-Service'), 'AWS::SNS::Topic');
    expect(only(stack('Prod-Service'), 'AWS::SNS::Subscription').Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'on-call@example.com',
    });
    expect(
      only(stack('Prod-Service'), 'AWS::SNS::TopicPolicy').Properties['PolicyDocument'].Statement[0],
    ).toMatchObject({
      Effect: 'Deny',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
    for (const actions of told(stack)) expect(actions).toEqual([{ Ref: topic.id }]);
  });

  test('or a topic that exists', () => {
    const stack = synthesize({ environments: ['prod'], settings: { prod: withTopic } });
    for (const actions of told(stack)) expect(actions).toEqual([withTopic.alarms.topicArn]);
  });

  test('or nobody, as long as nobody is named', () => {
    for (const { Properties } of alarms) expect(Properties['AlarmActions']).toBeUndefined();
  });
});

test('the dashboard shows business metrics, the way of a notification, and the machinery', () => {
  const dashboard = only(service, 'AWS::CloudWatch::Dashboard').Properties;
  const body = JSON.stringify(dashboard['DashboardBody']);
  for (const shown of [
    'BankingOrderService,operationId,statusClass',
    'IteratorAge',
    '5XXError',
    'TransactionConflict',
  ]) {
    expect(body).toContain(shown);
  }
});
