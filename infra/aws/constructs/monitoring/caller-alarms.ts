import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { callerName } from '../synthetic-caller.ts';
import type { AlarmMaker } from './alarms.ts';
import type { Watched } from './watched.ts';
import { metricOf } from './watched.ts';

const fiveMinutes = { period: Duration.minutes(5), statistic: Stats.SUM };

/**
 * Adds the alarms on the synthetic caller. It covers what a partner uses: address, issuer, gateway, table, stream,
 * queue, and a call to the internet.
 */
export function addCallerAlarms(add: AlarmMaker, { settings }: Watched): void {
  if (settings.caller === undefined) return;
  const caller = metricOf('AWS/Lambda', { FunctionName: callerName(settings) });
  add.above('SyntheticCall', {
    metric: caller('Errors', fiveMinutes),
    // One lost packet between two clouds is no incident.
    periods: 2,
    severity: 'outage',
    impact: 'Partners get no token, no response or no notification: two runs of the synthetic caller failed.',
    action: 'Find the failed step in the log of synthetic-caller.',
  });
  add.silent('Silence-synthetic-caller', {
    metric: caller('Invocations', fiveMinutes),
    periods: 3,
    impact: 'An outage of the service would stay undetected from outside.',
    action:
      'Check that the schedule of synthetic-caller is enabled and may invoke it: it has not run for a quarter of an hour.',
    runbook: 'silent-schedules',
  });
}
