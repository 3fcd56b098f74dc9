import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { environments } from '#infra/environments.ts';
import { allRetryDelays } from '#shared/webhooks/deliveries/states.ts';
import { workerNames, workers } from '#functions/workers.ts';
import type { MetricName } from '#shared/platform/metrics.ts';
import { metricNames } from '#shared/platform/metrics.ts';
import { dueKinds } from '#shared/platform/jobs/due-kinds.ts';
import type { Properties } from './synthesized.ts';
import { all, only, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

const stacks = synthesize({ environments: ['prod'] });
const monitoring = stacks('Prod-Monitoring');
const alarms = all(monitoring, 'AWS::CloudWatch::Alarm');
const inProduction = workerNames.filter((name) => workers[name].simulation !== true);

const expressionOf = (properties: Properties): string | undefined =>
  (properties['Metrics'] as { Expression?: string }[] | undefined)?.find(({ Expression }) => Expression)?.Expression;
/** The alarm by the id that the constructs give it. */
const alarm = (id: string): Properties =>
  alarms.find((candidate) => new RegExp(`^${id.replaceAll('-', '')}[0-9A-F]{8}$`).test(candidate.id))!.Properties;

test('every alarm description has its meaning, an action and a link to the runbook', () => {
  for (const { id, Properties } of each(alarms)) {
    expect(Properties['AlarmDescription'], id).toMatch(/^[A-Z][^]{30,}\. [A-Z][^]{20,}\. docs\/runbook\.md#[a-z-]+$/);
    expect((Properties['AlarmDescription'] as string).length).toBeLessThan(1024);
  }
});

test('every alarm leads to a section of the runbook', () => {
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  for (const { Properties } of each(alarms)) {
    const [, anchor] = /#([a-z-]+)$/.exec(Properties['AlarmDescription'] as string)!;
    expect(runbook).toContain(`\n## ${anchor!}\n`);
  }
});

/** Written, and shown by no alarm and no graph: they are looked up where a number is doubted. */
const forReference: readonly MetricName[] = [
  'AttemptDuration',
  'CommandsSubmitted',
  'DeadLettersRemoved',
  'DeliveriesRelayed',
  'EntriesChained',
  'EntriesNoted',
  'PayoutsPostponed',
  'StaleMessages',
];

test('every metric that the functions write is shown by an alarm or a graph, or is known to be for reference', () => {
  const shown = JSON.stringify([alarms, all(monitoring, 'AWS::CloudWatch::Dashboard')]);
  const hidden = metricNames.filter((name) => !shown.includes(`"${name}`) && !shown.includes(`=\\\\\\"${name}`));
  expect(hidden).toEqual(forReference);
});

test('every metric of the list is written by a function', () => {
  const code = ['../../shared/', '../../functions/'].flatMap((folder) =>
    readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && path !== 'platform/metrics.ts')
      .map((path) => readFileSync(new URL(`${folder}${path}`, import.meta.url), 'utf8')),
  );
  expect(metricNames.filter((name) => !code.some((text) => text.includes(name)))).toEqual([]);
});

test('missing data does not ring an alarm, except the alarms of silence', () => {
  for (const { id, Properties } of each(alarms))
    expect(Properties['TreatMissingData'], id).toBe(id.includes('Silence') ? 'missing' : 'notBreaching');
});

describe('the delivery of notifications', () => {
  test.each([
    ['DeadLettersLeft', 'ApproximateAgeOfOldestMessage', 4 * 86_400],
    ['RelayFailures', 'NumberOfMessagesSent', 0],
    ['ScheduleFailures', 'NumberOfMessagesSent', 0],
    ['DeliveriesInFlight', 'ApproximateNumberOfMessagesNotVisible', 90_000],
    ['StreamAge', 'IteratorAge', 60_000],
  ])('%s rings when %s is above %i', (id, MetricName, Threshold) => {
    expect(alarm(id)).toMatchObject({ MetricName, Threshold, ComparisonOperator: 'GreaterThanThreshold' });
  });

  test('EndpointsDisabled rings by the circuit metric of the workers', () => {
    expect(alarm('EndpointsDisabled')).toMatchObject({
      ...{ Namespace: 'BankingOrderService/prod', MetricName: 'EndpointsDisabled', Statistic: 'Sum' },
      ...{ Threshold: 0, Period: 900, Dimensions: [{ Name: 'pipeline', Value: 'deliveries' }] },
    });
  });

  test.each(['DeliveriesFailed', 'EndpointFailing', 'BacklogAge', 'TransactionConflict'])(
    '%s, which one company causes, is a graph and no alarm',
    (name) => {
      expect(JSON.stringify(alarms)).not.toContain(`"${name}"`);
      expect(JSON.stringify(all(monitoring, 'AWS::CloudWatch::Dashboard'))).toContain(name);
    },
  );

  test('a delivery is late when it is older than all its waits and their jitter', () => {
    const waits = allRetryDelays(environments.prod.deliveries.retryDelaysSeconds).reduce(
      (total, wait) => total + wait,
      0,
    );
    const { MetricName, Threshold } = alarm('DeliveryQueueAge');
    expect(MetricName).toBe('ApproximateAgeOfOldestMessage');
    expect(Threshold).toBeGreaterThan(waits * 1.2);
    expect(Threshold).toBeLessThan(waits * 1.2 + 3600);
  });
});

describe('functions', () => {
  test.each(inProduction.filter((name) => name !== 'authorizer'))('%s rings when it fails', (name) => {
    expect(alarm(`Errors-${name}`)).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Errors', Threshold: 0 });
    // Of callbacks an objective counts what the service does not apply.
    if (name === 'receive-callbacks' || name === 'apply-callbacks') return;
    expect(alarm(`JobsFailed-${name}`)).toMatchObject({
      ...{ Namespace: 'BankingOrderService/prod', MetricName: 'JobsFailed' },
      Dimensions: [{ Name: 'worker', Value: name }],
    });
  });

  test('the throttles of all functions of the account ring', () => {
    const { Dimensions, ...throttles } = alarm('Throttles');
    expect(throttles).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Throttles', Threshold: 0 });
    expect(Dimensions).toBeUndefined();
  });

  test('IssuerKeys rings within an hour when the issuer gives no keys', () => {
    const { Period, EvaluationPeriods, ...more } = alarm('IssuerKeys');
    expect(more).toMatchObject({
      Namespace: 'BankingOrderService/prod',
      MetricName: 'IssuerKeys',
      Dimensions: [{ Name: 'outcome', Value: 'FAILED' }],
      Threshold: 0,
    });
    expect(Period * EvaluationPeriods).toBeLessThanOrEqual(3600);
  });

  test('a worker of every minute rings when it has not run for ten minutes', () => {
    const silence = alarm('Silence');
    expect(silence).toMatchObject({
      EvaluationPeriods: 10,
      ComparisonOperator: 'LessThanOrEqualToThreshold',
      Threshold: 0,
    });
    // Without a point of one of them the sum has none.
    expect(expressionOf(silence)).toBe('m0 + m1 + m2 + m3 + m4 + m5 + m6 + m7');
    const scheduled = inProduction.filter((name) => workers[name].schedule === 'every minute');
    const watched = JSON.stringify(silence).match(/(?<=banking-order-prod-)[\w-]+/gu);
    expect(watched?.toSorted()).toEqual(scheduled.toSorted());
  });

  test.each(dueKinds)('the job %s rings when its oldest item is late, with any backlog', (kind) => {
    expect(alarm(`Late-${kind.replaceAll('_', '')}`)).toMatchObject({
      Namespace: 'BankingOrderService/prod',
      MetricName: 'OldestJobAge',
      Dimensions: [{ Name: 'kind', Value: kind }],
      Statistic: 'Maximum',
      EvaluationPeriods: 2,
    });
  });

  test.each([
    ['a resend of the service', 'ResendsMissed', 'SETTLEMENT_RESEND'],
    ['a resend of the bank', 'ResendsMissedByBank', 'CHARGE_POLL'],
  ])('one missed resend of 21:00 rings when it is %s', (_whose, name, kind) => {
    expect(alarm(name)).toMatchObject({
      Namespace: 'BankingOrderService/prod',
      MetricName: 'ResendsMissed',
      Dimensions: [{ Name: 'kind', Value: kind }],
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      EvaluationPeriods: 1,
    });
  });

  test('one command that the bank did not get before its hour rings', () => {
    expect(alarm('CommandsMissed')).toMatchObject({
      Namespace: 'BankingOrderService/prod',
      MetricName: 'CommandsMissed',
      Dimensions: [{ Name: 'worker', Value: 'advance-scheduled-payments' }],
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      EvaluationPeriods: 1,
    });
  });

  test('the errors of every endpoint are watched, area by area', () => {
    const watched = new Set(
      alarms
        .filter(({ id }) => id.includes('Errorsendpoints'))
        .flatMap(({ Properties }) => JSON.stringify(Properties).match(/(?<="Value":")banking-order-prod-\w+/gu) ?? []),
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
      Dimensions: expect.arrayContaining([{ Name: 'WebACL', Value: 'Firewall-prod' }]) as unknown,
    });
  });

  test('throttles of the table and all its indexes ring, and system errors too', () => {
    expect(expressionOf(alarm('TableThrottles'))).toMatch(/^(?:FILL\(m[0-7], 0\)(?: \+ |$)){8}$/);
    expect(JSON.stringify(alarm('TableThrottles'))).toMatch(/GSI1.*GSI2.*GSI3/);
    expect(expressionOf(alarm('TableSystemErrors'))).toContain('FILL(m0, 0) + FILL(m1, 0)');
  });
});

type Widget = { readonly type: string; readonly properties: { readonly title?: string; readonly alarms?: unknown[] } };

test('the dashboard begins with the state of every alarm, at most a hundred a widget, then money, banks, objectives', () => {
  const { DashboardBody } = only(monitoring, 'AWS::CloudWatch::Dashboard').Properties;
  const parts = (DashboardBody as { 'Fn::Join': [string, readonly unknown[]] })['Fn::Join'][1];
  const ids: string[] = [];
  const text = parts.map((part) => {
    const [id = ''] = (part as { 'Fn::GetAtt'?: [string, string] })['Fn::GetAtt'] ?? [];
    if (id !== '') ids.push(id);
    return typeof part === 'string' ? part : 'x';
  });
  const { widgets } = JSON.parse(text.join('')) as { readonly widgets: readonly Widget[] };
  const shown = widgets.filter(({ type }) => type === 'alarm');
  expect(widgets.slice(1, 1 + shown.length)).toEqual(shown);
  for (const { properties } of each(shown)) expect(properties.alarms?.length).toBeLessThanOrEqual(100);
  const every = [...alarms, ...all(monitoring, 'AWS::CloudWatch::CompositeAlarm')].map(({ id }) => id);
  // Windows of an objective are parts of its composite alarm.
  const isPart = (id: string) => /^[A-Za-z]+(?:Fast|Slow)\d+[0-9A-F]{8}$/u.test(id);
  expect(ids.toSorted()).toEqual(every.filter((id) => !isPart(id)).toSorted());
  const titles = widgets.slice(1 + shown.length).map(({ properties: { title = '' } }) => title.split(':')[0]);
  expect(titles.slice(0, 5)).toEqual([...['Money that waits', 'Money that waits', 'Banks', 'Banks'], 'PayoutsCreated']);
});

test('the dashboard shows business metrics, the way of a notification, and the machinery', () => {
  const dashboard = only(monitoring, 'AWS::CloudWatch::Dashboard').Properties;
  const body = JSON.stringify(dashboard['DashboardBody']);
  for (const shown of [
    'BankingOrderService/prod,operationId,statusClass',
    'IteratorAge',
    '5XXError',
    'TransactionConflict',
  ]) {
    expect(body).toContain(shown);
  }
});
