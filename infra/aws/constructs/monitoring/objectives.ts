import { Duration } from 'aws-cdk-lib';
import type { IWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { MathExpression, SingleValueWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { workers } from '#functions/workers.ts';
import type { AlarmMaker, Business } from './alarms.ts';
import { businessOf, kebab } from './alarms.ts';
import type { MetricOf, Watched } from './watched.ts';

/**
 * Burn rates that ring, each over both of its windows: how many times faster than allowed failures come. `Fast` spends
 * 2 % of the failures of 30 days in an hour, `Slow` 5 % in six hours (Google, The Site Reliability Workbook, "Alerting
 * on SLOs", table 5-8).
 */
const burns = {
  Fast: { factor: 14.4, windows: [Duration.minutes(5), Duration.hours(1)], severity: 'outage' },
  Slow: { factor: 6, windows: [Duration.minutes(30), Duration.hours(6)], severity: 'ticket' },
} as const;

/** A window with fewer failures counts as one without: at night one failure is a large share of the requests. */
const leastFailures = 3;

/** Metrics by their names in the sums `failures` and `events`. One without a point counts as 0. */
type Measured = {
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly failures: string;
  readonly events: string;
};
type Objective = {
  /** The share of the events of 28 days that must not be failures. */
  readonly target: number;
  readonly burns: readonly (keyof typeof burns)[];
  readonly measure: (watched: Watched, business: Business, period: Duration) => Measured;
  readonly impact: string;
  readonly action: string;
};

/** Milliseconds of the objectives on time. */
const limitsMs = { payout: 2_000, firstAttempt: 60_000, bankEvent: 120_000, token: 1_000 } as const;

/** Every objective of the service. docs/alarms.md says what it promises. */
const objectives: Readonly<Record<string, Objective>> = {
  PayoutsCreated: {
    target: 0.999,
    burns: ['Fast', 'Slow'],
    measure: ({ endpoints }, business, period) => {
      const requests = (statusClass: string) =>
        business('Requests', { operationId: 'createPayout', statusClass }, Stats.SUM, period);
      const endpoint = endpoints.find(({ route }) => route.contract.operationId === 'createPayout');
      const failures = 'failed + crashed + throttled';
      return {
        metrics: { created: requests('2xx'), failed: requests('5xx'), ...crashes(endpoint?.metric, period) },
        failures,
        events: `created + ${failures}`,
      };
    },
    impact: 'Partners cannot create payouts: too many requests get a 5xx response.',
    action: 'Check the table and the account, then the errors in the log of createPayout.',
  },
  PayoutLatency: {
    target: 0.99,
    burns: ['Slow'],
    measure: (_watched, business, period) =>
      within(limitsMs.payout, (statistic) =>
        business('RequestDuration', { operationId: 'createPayout', statusClass: '2xx' }, statistic, period),
      ),
    impact: 'Payouts are created slowly: more than one request in a hundred takes over two seconds.',
    action: 'Find the slow part in the traces of createPayout: table, bank, cold start, or one busy account.',
  },
  NotificationsBegun: {
    target: 0.995,
    burns: ['Fast', 'Slow'],
    measure: (_watched, business, period) =>
      within(limitsMs.firstAttempt, (statistic) =>
        business('DeliveryLatency', { worker: 'deliver-notification' }, statistic, period),
      ),
    impact: 'Notifications are late: too many first attempts begin over a minute after the status change.',
    action: 'Check relay-deliveries and deliver-notification for errors, throttles, and the age of stream and queue.',
  },
  SettlementsApplied: {
    target: 0.995,
    burns: ['Fast', 'Slow'],
    measure: ({ workers }, business, period) => {
      const worker = { worker: 'apply-callbacks' } as const;
      const latency = within(limitsMs.bankEvent, (statistic) =>
        business('BankEventLatency', worker, statistic, period),
      );
      const failed = business('BankEventsFailed', worker, Stats.SUM, period);
      const refused = business('Callbacks', { outcome: 'FAILED' }, Stats.SUM, period);
      const { crashed } = crashes(workers['apply-callbacks'], period);
      return {
        metrics: { ...latency.metrics, failed, refused, crashed },
        failures: `${latency.failures} + failed + refused + crashed`,
        events: `${latency.events} + failed + refused + crashed`,
      };
    },
    impact: 'Payments that banks reported are applied late: balances and notifications lag behind.',
    action: 'Read the errors of receive-callbacks and apply-callbacks. The hourly lists apply what was lost.',
  },
  TokensChecked: {
    target: 0.9995,
    burns: ['Fast', 'Slow'],
    measure: ({ workers: { authorizer } }, _business, period) => ({
      // It throws only when it cannot check a token: a bad token is no error.
      metrics: { called: authorizer('Invocations', { period, statistic: Stats.SUM }), ...crashes(authorizer, period) },
      failures: 'crashed + throttled',
      events: 'called + throttled',
    }),
    impact: workers.authorizer.impact,
    action: 'Check that the issuer publishes its keys and that the table responds.',
  },
  TokenLatency: {
    target: 0.99,
    burns: ['Slow'],
    measure: ({ workers: { authorizer } }, _business, period) =>
      within(limitsMs.token, (statistic) => authorizer('Duration', { period, statistic })),
    impact: 'Every request is slow: more than one token in a hundred takes over a second to check.',
    action: 'Check for cold starts, a slow issuer and a slow table in the traces of the authorizer.',
  },
};

function crashes(lambda: MetricOf | undefined, period: Duration): Readonly<Record<'crashed' | 'throttled', Metric>> {
  if (lambda === undefined) throw new Error('An objective measures a function that is not deployed.');
  const options = { period, statistic: Stats.SUM };
  return { crashed: lambda('Errors', options), throttled: lambda('Throttles', options) };
}

/** Returns the events of a duration; those that took longer are failures. */
function within(limitMs: number, metric: (statistic: string) => Metric): Measured {
  return {
    metrics: { measured: metric(Stats.SAMPLE_COUNT), inTime: metric(`PR(:${limitMs})`) },
    failures: 'measured * (1 - inTime / 100)',
    events: 'measured',
  };
}

/** Returns the share of failures, from 0 to 1; 0 where there are fewer than the least that count. */
function failureShare(
  { metrics, failures, events }: Measured,
  period: Duration,
  least = leastFailures,
): MathExpression {
  const filled = (sum: string): string => sum.replaceAll(/\b[a-z]\w*/gu, (name) => `FILL(${name}, 0)`);
  const [bad, all] = [filled(failures), filled(events)];
  return new MathExpression({
    label: 'Share of failures',
    expression: `IF(${bad} > ${least - 0.5}, (${bad}) / (${all}), 0)`,
    usingMetrics: metrics,
    period,
  });
}

/** Adds the alarms on the burn rates of all objectives, and the one on payouts that busy accounts refuse. */
export function addObjectives(add: AlarmMaker, watched: Watched): void {
  const business = businessOf(watched.settings);
  for (const [name, { target, burns: wanted, measure, impact, action }] of Object.entries(objectives))
    for (const burn of wanted) {
      const { factor, windows, severity } = burns[burn];
      add.burning(`${name}-${burn}`, {
        windows: windows.map((period) => failureShare(measure(watched, business, period), period)),
        above: factor * (1 - target),
        severity,
        impact,
        action,
        runbook: kebab(name),
      });
    }
  const hour = Duration.hours(1);
  const created = business('Requests', { operationId: 'createPayout', statusClass: '2xx' }, Stats.SUM, hour);
  const shed = business('RequestsShed', { kind: 'createPayout' }, Stats.SUM, hour);
  add.above('PayoutsShed', {
    metric: failureShare({ metrics: { created, shed }, failures: 'shed', events: 'created + shed' }, hour),
    above: 0.01,
    impact:
      'More than one payout in a hundred gets 429: an account has more payments at a time than its balance takes.',
    action: 'Find the company of the requests with 429 in the log of createPayout, and give its account more shards.',
    runbook: 'table-throttles',
  });
}

/** Shows the failures of 28 days, one number for each objective. */
export function objectiveWidgets(watched: Watched): IWidget[] {
  const day = Duration.days(1);
  return Object.entries(objectives).map(
    ([name, { target, measure }]) =>
      new SingleValueWidget({
        title: `${name}: share of failures in 28 days, at most ${Number((1 - target).toFixed(4))}`,
        metrics: [failureShare(measure(watched, businessOf(watched.settings), day), day, 0)],
        setPeriodToTimeRange: true,
        fullPrecision: true,
        start: '-P28D',
        width: 4,
      }),
  );
}
