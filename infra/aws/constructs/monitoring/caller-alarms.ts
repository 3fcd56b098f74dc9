import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { callerName } from '../synthetic-caller.ts';
import type { AlarmMaker } from './alarms.ts';
import type { Watched } from './watched.ts';
import { metricOf } from './watched.ts';

const fiveMinutes = { period: Duration.minutes(5), statistic: Stats.SUM };

/** The service as a partner meets it: address, issuer, gateway, table, stream, queue, and a call to the internet. */
export function addCallerAlarms(add: AlarmMaker, { settings }: Watched): void {
  if (settings.caller === undefined) return;
  const caller = metricOf('AWS/Lambda', { FunctionName: callerName(settings) });
  add.above('SyntheticCall', {
    metric: caller('Errors', fiveMinutes),
    // One lost packet between two clouds is no incident.
    periods: 2,
    impact: 'Partners get no token, no response or no notification: a round of the synthetic caller failed twice.',
    action: 'Read in the log of synthetic-caller which step failed.',
  });
  add.silent('Silence-synthetic-caller', {
    metric: caller('Invocations', fiveMinutes),
    periods: 3,
    impact: 'Nobody would notice from outside that the service is gone.',
    action: 'No run of synthetic-caller for a quarter of an hour: see whether its schedule is enabled and may call it.',
    runbook: 'silent-schedules',
  });
}
