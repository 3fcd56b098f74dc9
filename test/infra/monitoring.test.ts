import { reportHealth, report } from '#shared/webhooks/dispatch/report.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { routes } from '#functions/routes.ts';
import { environments } from '#infra/environments.ts';
import { allRetryDelays } from '#shared/webhooks/deliveries/states.ts';
import { workerNames, workers } from '#functions/workers.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { MetricName } from '#shared/platform/metrics.ts';
import { metricNames } from '#shared/platform/metrics.ts';
import { dueKinds } from '#shared/platform/jobs/due-kinds.ts';
import type { Properties } from './synthesized.ts';
import { all, functionNamed, only, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

const stacks = synthesize({ environments: ['prod'] });
const service = stacks('Prod-Service');
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
  'BankEventsFailed',
  'CommandsSubmitted',
  'DeadLettersRemoved',
  'DeliveriesRelayed',
  'PayoutsPostponed',
  'RequestsShed',
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

  test('DeadLetters rings by the metric of the notifier when a delivery fails, whatever older dead letters exist', () => {
    const alarmed = alarm('DeadLetters');
    expect(alarmed).toMatchObject({ Threshold: 0, Period: 300, ComparisonOperator: 'GreaterThanThreshold' });
    const [{ Name, Value }] = alarmed['Dimensions'] as [{ Name: string; Value: string }];
    const written: string[] = [];
    const { METRIC_NAMESPACE } = functionNamed(service, 'DeliverNotification').environment;
    vi.stubEnv('METRIC_NAMESPACE', METRIC_NAMESPACE as string);
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0);
    const failed = { id: 'd', companyId: 'c', status: 'FAILED', resource: { type: 'PAYIN', id: 'p' } };
    report({ kind: 'failed', delivery: failed as Delivery });
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    const metrics = written.map((line) => JSON.parse(line) as Properties).filter(({ _aws }) => _aws !== undefined);
    expect(metrics).toMatchObject([{ [alarmed['MetricName'] as string]: 1, [Name]: Value }]);
    expect(metrics[0]?.['_aws'].CloudWatchMetrics).toMatchObject([
      { Namespace: alarmed['Namespace'] as string, Dimensions: [[Name]] },
    ]);
  });

  test.each([
    ['EndpointFailing', 'Maximum', 3600],
    ['EndpointsDisabled', 'Sum', 0],
  ])('the alarm %s rings by the circuit metric of the workers', (MetricName, Statistic, Threshold) => {
    const Dimensions = [{ Name: 'pipeline', Value: 'deliveries' }];
    const watched = {
      Namespace: 'BankingOrderService/prod',
      MetricName,
      Dimensions,
      Statistic,
      Threshold,
      Period: 900,
    };
    expect(alarm(MetricName)).toMatchObject(watched);
    const written: string[] = [];
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0);
    const at = '2026-03-02T12:00:00.000Z';
    const times = { since: at, failingSince: at, probeAt: at, probedAt: at };
    const known = { name: 'address:00ff', url: 'https://partner.example/secret' } as const;
    const circuit = { ...known, state: 'OPEN', reason: 'DNS', probes: 1, ...times } as const;
    for (const kind of ['probe-failed', 'endpoint-disabled'] as const) reportHealth({ kind, companyId: 'c', circuit });
    spy.mockRestore();
    const metrics = written.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(metrics.filter((one) => MetricName in one && one['pipeline'] === 'deliveries').length).toBeGreaterThan(0);
    expect(written.join('')).not.toContain('secret');
  });

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
  test.each(inProduction.filter((name) => name !== 'authorizer'))('%s rings when it fails or is throttled', (name) => {
    expect(alarm(`Errors-${name}`)).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Errors', Threshold: 0 });
    // What it does not take, its bank sends again: an alarm by outcomes.
    expect(alarm(name === 'receive-callbacks' ? 'CallbacksFailed' : `JobsFailed-${name}`)).toMatchObject({
      Namespace: 'BankingOrderService/prod',
      ...(name === 'receive-callbacks'
        ? { MetricName: 'Callbacks', Dimensions: [{ Name: 'outcome', Value: 'FAILED' }] }
        : { MetricName: 'JobsFailed', Dimensions: [{ Name: 'worker', Value: name }] }),
    });
    expect(alarm(`Throttles-${name}`)).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Throttles',
      Threshold: 0,
    });
  });

  test('the authorizer rings when it fails, and not when it refuses a token, which throws no error', () => {
    expect(alarm('Errors-authorizer')).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Errors', Threshold: 0 });
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

  test.each([
    'sweep-deliveries',
    'expire-pay-ins',
    'submit-payouts',
    'submit-commands',
    'advance-scheduled-payments',
    'read-bank-lists',
  ])('%s rings when it has not run for ten minutes', (name) => {
    expect(alarm(`Silence-${name}`)).toMatchObject({
      MetricName: 'Invocations',
      Period: 60,
      EvaluationPeriods: 10,
      ComparisonOperator: 'LessThanOrEqualToThreshold',
      Threshold: 0,
    });
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

  test('throttles of the table and all its indexes ring, system errors and conflicts too', () => {
    expect(expressionOf(alarm('TableThrottles'))).toMatch(/^(?:FILL\(m[0-7], 0\)(?: \+ |$)){8}$/);
    expect(JSON.stringify(alarm('TableThrottles'))).toMatch(/GSI1.*GSI2.*GSI3/);
    expect(expressionOf(alarm('TableSystemErrors'))).toContain('FILL(m0, 0) + FILL(m1, 0)');
    expect(JSON.stringify(alarm('TransactionConflicts'))).toContain('"MetricName":"TransactionConflict"');
  });
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
