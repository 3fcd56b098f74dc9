import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { workerNames, workers } from '#functions/workers.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { AlarmMaker, AlarmProps, Business } from './alarms.ts';
import { businessOf, sum } from './alarms.ts';
import type { MetricOf, Watched } from './watched.ts';

const fiveMinutes = { period: Duration.minutes(5), statistic: Stats.SUM };
/** The limit of CloudWatch. */
const alarmMetrics = 10;

/** Failures of the functions themselves. A rejected request or delivery is no error. */
export function addFunctionAlarms(add: AlarmMaker, watched: Watched): void {
  const business = businessOf(watched.settings);
  for (const name of workerNames) {
    const worker = watched.workers[name];
    if (worker !== undefined) addWorkerAlarms(add, business, name, worker);
  }
  add.above('ResendsMissed', {
    metric: business('ResendsMissed', { kind: 'SETTLEMENT_RESEND' }),
    impact: 'Charges that a settlement error canceled were not sent again by 21:00, and are not sent any more.',
    action: 'See in the log of advance-scheduled-payments which they are, and why resend-settlement-errors did not.',
    runbook: 'missed-resends',
  });
  add.above('ResendsMissedByBank', {
    metric: business('ResendsMissed', { kind: 'CHARGE_POLL' }),
    impact:
      'Charges that banks owed another attempt after a settlement error got none by 21:00: they are not collected.',
    action: 'See in the log of advance-scheduled-payments which they are, and ask their bank.',
    runbook: 'missed-resends',
  });
  add.above('CommandsMissed', {
    metric: business('CommandsMissed', { worker: 'advance-scheduled-payments' }),
    impact: 'Charges, or requests to cancel them, did not reach the bank before their hour: they ended unsent.',
    action: 'See in the log of advance-scheduled-payments which they are, and since when the bank did not answer.',
    runbook: 'missed-commands',
  });
  addEndpointAlarms(add, watched.endpoints);
}

function addWorkerAlarms(alarms: AlarmMaker, business: Business, name: WorkerName, worker: MetricOf): void {
  const { impact, schedule, due = {} } = workers[name];
  const add = (id: string, props: Omit<AlarmProps, 'impact'> & Partial<AlarmProps>): void => {
    alarms.above(id, { impact, ...props });
  };
  if (name === 'authorizer') {
    // It throws what it cannot judge, and answers a bad token.
    add(`Errors-${name}`, {
      metric: worker('Errors', fiveMinutes),
      action: 'See whether the issuer publishes its keys and the table answers.',
      runbook: 'authorizer-errors',
    });
    add('IssuerKeys', {
      // It repeats a failed refresh within a minute; 15 minutes of failures are an outage.
      metric: business('IssuerKeys', { outcome: 'FAILED' }),
      periods: 3,
      impact: 'Soon no partner gets in: the issuer does not give its keys, and the last good ones end after 24 hours.',
      action: 'See whether the address of the keys answers, and tell the operator of the issuer.',
    });
  } else {
    add(`Errors-${name}`, {
      metric: worker('Errors', fiveMinutes),
      action: `Read the errors of ${name} in its log.`,
      runbook: 'worker-errors',
    });
    // What it does not take has an alarm of its own (CallbacksFailed): the bank calls again.
    if (name !== 'receive-callbacks')
      add(`JobsFailed-${name}`, {
        // The next run retries; 15 minutes of failures do not pass by themselves.
        metric: business('JobsFailed', { worker: name }),
        periods: 3,
        action: `Some of the work of ${name} fails again and again: read which in its log.`,
        runbook: 'worker-errors',
      });
  }
  add(`Throttles-${name}`, {
    metric: worker('Throttles', fiveMinutes),
    action: 'Raise the concurrency of the account, and look for who uses it up.',
    runbook: 'throttled-functions',
  });
  for (const [kind, above] of Object.entries(due))
    add(`Late-${kind}`, {
      metric: business('OldestJobAge', { kind }, Stats.MAXIMUM),
      above,
      periods: 2,
      action: `The oldest due work of ${name} (${kind}) is late: see what its log says of it, and whether runs end in time.`,
      runbook: 'late-work',
    });
  if (schedule !== 'every minute') return;
  alarms.silent(`Silence-${name}`, {
    metric: worker('Invocations', { ...fiveMinutes, period: Duration.minutes(1) }),
    periods: 10,
    impact,
    action: `No run of ${name} for ten minutes: see whether its schedule is enabled and may call it.`,
    runbook: 'silent-schedules',
  });
}

/** Endpoints by area: functions/payouts/create belongs to payouts. */
function addEndpointAlarms(add: AlarmMaker, endpoints: Watched['endpoints']): void {
  const areas = Map.groupBy(endpoints, (endpoint) => endpoint.route.folder.split('/')[0] ?? '');
  for (const [area, members] of areas) {
    for (let part = 0; part * alarmMetrics < members.length; part += 1) {
      const some = members.slice(part * alarmMetrics, (part + 1) * alarmMetrics);
      add.above(`Errors-endpoints-${area}${part === 0 ? '' : `-${part + 1}`}`, {
        metric: sum(
          `Errors of ${area}`,
          some.map((endpoint) => endpoint.metric('Errors', fiveMinutes)),
        ),
        impact: `Requests to ${area} end with 500 or 504: a function crashed or ran out of time.`,
        action: 'Read the errors in the log of the function that the dashboard shows.',
        runbook: 'endpoint-errors',
      });
    }
  }
  add.above('Throttles-endpoints', {
    // No dimension: all functions of the account share its concurrency.
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...fiveMinutes }),
    impact: 'Requests end with 503: the account runs as many functions at once as it may.',
    action: 'Raise the concurrency of the account, and look for who uses it up.',
    runbook: 'throttled-functions',
  });
}
