import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { METRIC_NAMESPACE } from '../../../shared/runtime/metrics.ts';
import { workerNames, workers, type WorkerName } from '../../workers.ts';
import type { Endpoint } from '../partner-api.ts';
import { sum, type AddAlarm } from './alarms.ts';
import type { Watched } from './monitoring.ts';

const FIVE_MINUTES = { period: Duration.minutes(5), statistic: Stats.SUM };
/** Metrics that one alarm may add up. */
const ALARM_METRICS = 10;

/** Failures of the functions themselves; a refused request or delivery is an answer, not an error. */
export function addFunctionAlarms(scope: Construct, add: AddAlarm, watched: Watched): void {
  for (const name of workerNames) addWorkerAlarms(scope, add, name, watched.workers[name]);
  addEndpointAlarms(scope, add, watched.endpoints);
}

function addWorkerAlarms(scope: Construct, add: AddAlarm, name: WorkerName, worker: IFunction): void {
  const { impact, schedule } = workers[name];
  if (name === 'authorizer') {
    // It answers 401 by throwing: an error of the function may be no more than a bad token.
    add(scope, `Errors-${name}`, {
      metric: business('Authorizations', { outcome: 'FAILED' }),
      above: 0,
      impact,
      action: 'See whether the issuer publishes its keys and the table answers.',
      runbook: 'authorizer-errors',
    });
  } else {
    add(scope, `Errors-${name}`, {
      metric: worker.metricErrors(FIVE_MINUTES),
      above: 0,
      impact,
      action: `Read the errors of ${name} in its log.`,
      runbook: 'worker-errors',
    });
    add(scope, `WorkFailed-${name}`, {
      // One failure is tried again by itself; a quarter of an hour of them is not a passing one.
      metric: business('WorkFailed', { worker: name }),
      above: 0,
      periods: 3,
      impact,
      action: `Some of the work of ${name} fails again and again: read which in its log.`,
      runbook: 'worker-errors',
    });
  }
  add(scope, `Throttles-${name}`, {
    metric: worker.metricThrottles(FIVE_MINUTES),
    above: 0,
    impact,
    action: 'Raise the concurrency of the account, and look for who uses it up.',
    runbook: 'throttled-functions',
  });
  if (schedule !== 'every minute') return;
  add(scope, `Silence-${name}`, {
    metric: worker.metricInvocations(FIVE_MINUTES),
    above: 0,
    periods: 2,
    orSilent: true,
    impact,
    action: `No run of ${name} for ten minutes: see whether its schedule is enabled and may call it.`,
    runbook: 'silent-schedules',
  });
}

function business(metricName: string, dimensionsMap: Record<string, string>): Metric {
  return new Metric({ namespace: METRIC_NAMESPACE, metricName, dimensionsMap, ...FIVE_MINUTES });
}

/** Endpoints by area: functions/payouts/create belongs to payouts. */
function addEndpointAlarms(scope: Construct, add: AddAlarm, endpoints: readonly Endpoint[]): void {
  const areas = Map.groupBy(endpoints, (endpoint) => endpoint.route.folder.split('/')[0] ?? '');
  for (const [area, members] of areas) {
    for (let part = 0; part * ALARM_METRICS < members.length; part += 1) {
      const some = members.slice(part * ALARM_METRICS, (part + 1) * ALARM_METRICS);
      add(scope, `Errors-endpoints-${area}${part === 0 ? '' : `-${part + 1}`}`, {
        metric: sum(
          `Errors of ${area}`,
          some.map((endpoint) => endpoint.function.metricErrors(FIVE_MINUTES)),
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
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...FIVE_MINUTES }),
    above: 0,
    impact: 'Requests end with 503: the account runs as many functions at once as it may.',
    action: 'Raise the concurrency of the account, and look for who uses it up.',
    runbook: 'throttled-functions',
  });
}
