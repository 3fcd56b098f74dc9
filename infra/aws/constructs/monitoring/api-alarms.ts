import { Aws, Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { firewallMetric } from '../firewall.ts';
import type { AddAlarm } from './alarms.ts';
import type { Watched } from './watched.ts';

const period = Duration.minutes(5);

/** What partners see at the edge. */
export function addApiAlarms(scope: Construct, add: AddAlarm, { api, settings }: Watched): void {
  const stage = api.deploymentStage;
  add(scope, 'ApiServerErrors', {
    // The average of a metric that is 1 for a failed request and 0 for another is the share of failed ones.
    metric: stage.metricServerError({ period, statistic: Stats.AVERAGE }),
    above: 0.01,
    periods: 2,
    impact: 'More than one request in a hundred ends with 5xx.',
    action: 'Find the route in the access log, then its function in the dashboard.',
    runbook: 'api-server-errors',
  });
  add(scope, 'ApiLatency', {
    metric: stage.metricLatency({ period, statistic: Stats.p(95) }),
    above: 2_000,
    periods: 3,
    impact: 'One request in twenty takes more than two seconds.',
    action: 'Compare the latency of gateway, authorizer and function in the access log.',
    runbook: 'api-latency',
  });
  if (settings.api.firewallRate === undefined) return;
  add(scope, 'FirewallBlocked', {
    metric: new Metric({
      namespace: 'AWS/WAFV2',
      metricName: 'BlockedRequests',
      dimensionsMap: { WebACL: firewallMetric, Region: Aws.REGION, Rule: 'ALL' },
      period,
      statistic: Stats.SUM,
    }),
    above: 1_000,
    impact: 'More than a thousand requests in five minutes were refused by the firewall: a partner may be among them.',
    action: 'Read the rule and the address in the log of the web ACL.',
    runbook: 'firewall-blocked',
  });
}
