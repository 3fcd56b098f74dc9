import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { lateAfterSeconds, workerNames, workers } from '#functions/workers.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilies } from '#shared/platform/jobs/due-kinds.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { AlarmMaker, AlarmProps, Business } from './alarms.ts';
import { businessOf, sum, sumOfAll } from './alarms.ts';
import type { MetricOf, Watched } from './watched.ts';

const fiveMinutes = { period: Duration.minutes(5), statistic: Stats.SUM };
/** Late, they cost money or stop all partners' notifications before a working day begins. */
const urgent: readonly DueKind[] = ['DELIVERY', 'PAYOUT_SUBMISSION', 'SETTLEMENT_RESEND', 'CHARGE_COMMAND'];
/** Metrics of one alarm: the limit of CloudWatch. */
const alarmMetrics = 10;

/** Adds the alarms on failures of the functions themselves. A rejected request or delivery is no error. */
export function addFunctionAlarms(add: AlarmMaker, watched: Watched): void {
  const business = businessOf(watched.settings);
  for (const name of workerNames) {
    const worker = watched.workers[name];
    if (worker !== undefined) addWorkerAlarms(add, business, name, worker);
  }
  const everyMinute = Duration.minutes(1);
  const scheduled = workerNames.flatMap((name) =>
    workers[name].schedule === 'every minute' ? (watched.workers[name] ?? []) : [],
  );
  add.silent('Silence', {
    metric: sumOfAll(
      'Runs of all workers',
      scheduled.map((worker) => worker('Invocations', { ...fiveMinutes, period: everyMinute })),
      everyMinute,
    ),
    periods: 10,
    severity: 'page',
    impact: 'Due work stands still: payouts, charges, expiries or notifications are not sent.',
    action:
      'Find the worker that has not run for ten minutes, and check that its schedule is enabled and may invoke it.',
    runbook: 'silent-schedules',
  });
  add.above('ResendsMissed', {
    metric: business('ResendsMissed', { kind: 'SETTLEMENT_RESEND' }),
    impact:
      'Charges that a settlement error canceled were not resent by 21:00: the service does not resend them any more.',
    action:
      'Find the charges in the log of advance-scheduled-payments, and the cause in the log of resend-settlement-errors.',
    runbook: 'missed-resends',
  });
  add.above('ResendsMissedByBank', {
    metric: business('ResendsMissed', { kind: 'CHARGE_POLL' }),
    impact: 'Banks did not retry charges after a settlement error by 21:00: the charges are not collected.',
    action: 'Find the charges in the log of advance-scheduled-payments, and ask their bank.',
    runbook: 'missed-resends',
  });
  add.above('CommandsMissed', {
    metric: business('CommandsMissed', { worker: 'advance-scheduled-payments' }),
    impact: 'Charges, or requests to cancel them, did not reach the bank before its deadline: they ended unsent.',
    action:
      'Find the charges in the log of advance-scheduled-payments, and check since when the bank has not responded.',
    runbook: 'missed-commands',
  });
  addEndpointAlarms(add, watched.endpoints);
}

function addWorkerAlarms(alarms: AlarmMaker, business: Business, name: WorkerName, worker: MetricOf): void {
  const { impact, due } = workers[name];
  const add = (id: string, props: Omit<AlarmProps, 'impact'> & Partial<AlarmProps>): void => {
    alarms.above(id, { impact, ...props });
  };
  if (name === 'authorizer') {
    add('IssuerKeys', {
      // It repeats a failed refresh within a minute; 15 minutes of failures are an outage.
      metric: business('IssuerKeys', { outcome: 'FAILED' }),
      periods: 3,
      severity: 'page',
      impact:
        'Partners get 503 soon: the issuer does not return its keys, and the last good keys expire after 24 hours.',
      action: 'Check that the address of the keys responds, and contact the operator of the issuer.',
    });
  } else {
    add(`Errors-${name}`, {
      metric: worker('Errors', fiveMinutes),
      action: `Read the errors in the log of ${name}.`,
      runbook: 'worker-errors',
    });
    // Of callbacks the objective counts what the service failed to do, not the silence of a bank.
    if (name !== 'receive-callbacks' && name !== 'apply-callbacks')
      add(`JobsFailed-${name}`, {
        // The next run retries; 15 minutes of failures do not pass by themselves.
        metric: business('JobsFailed', { worker: name }),
        periods: 3,
        action: `Find the failing work in the log of ${name}.`,
        runbook: 'worker-errors',
      });
  }
  for (const kind of due === undefined ? [] : dueFamilies[due])
    add(`Late-${kind}`, {
      metric: business('OldestJobAge', { kind }, Stats.MAXIMUM),
      above: lateAfterSeconds[kind],
      periods: 2,
      severity: urgent.includes(kind) ? 'outage' : 'ticket',
      action: `Find the oldest due work (${kind}) in the log of ${name}, and check that its runs end in time.`,
      runbook: 'late-work',
    });
}

/** Endpoints by area: functions/payouts/create belongs to payouts. */
function addEndpointAlarms(add: AlarmMaker, endpoints: Watched['endpoints']): void {
  const areas = Map.groupBy(endpoints, (endpoint) => endpoint.route.folder.split('/')[0] ?? '');
  for (const [area, members] of areas) {
    for (let part = 0; part * alarmMetrics < members.length; part += 1) {
      const group = members.slice(part * alarmMetrics, (part + 1) * alarmMetrics);
      add.above(`Errors-endpoints-${area}${part === 0 ? '' : `-${part + 1}`}`, {
        metric: sum(
          `Errors of ${area}`,
          group.map((endpoint) => endpoint.metric('Errors', fiveMinutes)),
        ),
        impact: `Requests to ${area} get 500 or 504: a function crashed or timed out.`,
        action: 'Find the function in the dashboard, and read the errors in its log.',
        runbook: 'endpoint-errors',
      });
    }
  }
  add.above('Throttles', {
    // No dimension: all functions of the account share its concurrency.
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...fiveMinutes }),
    impact: 'Requests get 503: the account has reached its Lambda concurrency limit.',
    action: 'Raise the concurrency limit of the account, and find the function that uses it up.',
    runbook: 'throttled-functions',
  });
}
