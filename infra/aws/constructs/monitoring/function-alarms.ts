import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { workerNames, workers } from '#functions/workers.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { Endpoint } from '../partner-api.ts';
import type { AddAlarm, Watched } from './alarms.ts';
import { business, sum } from './alarms.ts';

const fiveMinutes = { period: Duration.minutes(5), statistic: Stats.SUM };
/** Metrics that one alarm may add up. */
const alarmMetrics = 10;

/** Failures of the functions themselves; a refused request or delivery is an answer, not an error. */
export function addFunctionAlarms(scope: Construct, add: AddAlarm, watched: Watched): void {
  for (const name of workerNames) {
    const worker = watched.workers[name];
    if (worker !== undefined) addWorkerAlarms(scope, add, name, worker);
  }
  add(scope, 'ResendsMissed', {
    metric: business('ResendsMissed', { kind: 'SETTLEMENT_RESEND' }),
    above: 0,
    impact: 'Charges that a settlement error canceled were not sent again by 21:00, and are not sent any more.',
    action: 'See in the log of advance-scheduled-payments which they are, and why resend-settlement-errors did not.',
    runbook: 'missed-resends',
  });
  add(scope, 'CommandsMissed', {
    metric: business('CommandsMissed', { worker: 'advance-scheduled-payments' }),
    above: 0,
    impact: 'Charges, or requests to cancel them, did not reach the bank before their hour: they ended unsent.',
    action: 'See in the log of advance-scheduled-payments which they are, and since when the bank did not answer.',
    runbook: 'missed-commands',
  });
  addEndpointAlarms(scope, add, watched.endpoints);
}

function addWorkerAlarms(scope: Construct, add: AddAlarm, name: WorkerName, worker: IFunction): void {
  const { impact, schedule, due = {} } = workers[name];
  if (name === 'authorizer') {
    // It answers 401 by throwing: an error of the function may be no more than a bad token.
    add(scope, `Errors-${name}`, {
      metric: business('Authorizations', { outcome: 'FAILED' }),
      above: 0,
      impact,
      action: 'See whether the issuer publishes its keys and the table answers.',
      runbook: 'authorizer-errors',
    });
    add(scope, 'IssuerKeys', {
      // A failed refresh is repeated within a minute; a quarter of an hour of them is an outage.
      metric: business('IssuerKeys', { outcome: 'FAILED' }),
      above: 0,
      periods: 3,
      impact: 'Soon no partner gets in: the issuer does not give its keys, and the last good ones end after 24 hours.',
      action: 'See whether the address of the keys answers, and tell whoever runs the issuer.',
      runbook: 'issuer-keys',
    });
  } else {
    add(scope, `Errors-${name}`, {
      metric: worker.metricErrors(fiveMinutes),
      above: 0,
      impact,
      action: `Read the errors of ${name} in its log.`,
      runbook: 'worker-errors',
    });
    add(scope, `JobsFailed-${name}`, {
      // One failure is tried again by itself; a quarter of an hour of them is not a passing one.
      metric: business('JobsFailed', { worker: name }),
      above: 0,
      periods: 3,
      impact,
      action: `Some of the work of ${name} fails again and again: read which in its log.`,
      runbook: 'worker-errors',
    });
  }
  add(scope, `Throttles-${name}`, {
    metric: worker.metricThrottles(fiveMinutes),
    above: 0,
    impact,
    action: 'Raise the concurrency of the account, and look for who uses it up.',
    runbook: 'throttled-functions',
  });
  for (const [kind, above] of Object.entries(due))
    add(scope, `Late-${kind}`, {
      metric: business('OldestJobAge', { kind }, Stats.MAXIMUM),
      above,
      periods: 2,
      impact,
      action: `The oldest due work of ${name} (${kind}) is late: see what its log says of it, and whether runs end in time.`,
      runbook: 'late-work',
    });
  if (schedule !== 'every minute') return;
  add(scope, `Silence-${name}`, {
    metric: worker.metricInvocations(fiveMinutes),
    above: 0,
    periods: 2,
    orSilent: true,
    impact,
    action: `No run of ${name} for ten minutes: see whether its schedule is enabled and may call it.`,
    runbook: 'silent-schedules',
  });
}

/** Endpoints by area: functions/payouts/create belongs to payouts. */
function addEndpointAlarms(scope: Construct, add: AddAlarm, endpoints: readonly Endpoint[]): void {
  const areas = Map.groupBy(endpoints, (endpoint) => endpoint.route.folder.split('/')[0] ?? '');
  for (const [area, members] of areas) {
    for (let part = 0; part * alarmMetrics < members.length; part += 1) {
      const some = members.slice(part * alarmMetrics, (part + 1) * alarmMetrics);
      add(scope, `Errors-endpoints-${area}${part === 0 ? '' : `-${part + 1}`}`, {
        metric: sum(
          `Errors of ${area}`,
          some.map((endpoint) => endpoint.function.metricErrors(fiveMinutes)),
        ),
        above: 0,
        impact: `Requests to ${area} end with 502 or 504: a function crashed or ran out of time.`,
        action: 'Read the errors in the log of the function that the dashboard shows.',
        runbook: 'endpoint-errors',
      });
    }
  }
  add(scope, 'Throttles-endpoints', {
    // Without a dimension: all functions of the account, which share its concurrency.
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...fiveMinutes }),
    above: 0,
    impact: 'Requests end with 503: the account runs as many functions at once as it may.',
    action: 'Raise the concurrency of the account, and look for who uses it up.',
    runbook: 'throttled-functions',
  });
}
