import { assumed } from './prices.ts';

type Properties = Readonly<Record<string, unknown>>;
export type DeployedResource = { readonly Type: string; readonly Properties?: Properties };

/** Billed quantities of the deployed stacks in a month, independent of calls. */
export type Deployed = {
  readonly alarmMetrics: number;
  readonly watchedMetrics: number;
  readonly dashboards: number;
  readonly encryptionKeys: number;
  readonly firewalls: number;
  readonly firewallRules: number;
  readonly countedKeys: number;
  readonly queuesPolled: number;
  /** Runs a month of each schedule, by the name of its function. */
  readonly runs: Readonly<Record<string, number>>;
  /** Memory in GB of each function, by its name. */
  readonly memory: Readonly<Record<string, number>>;
  /** Memory in GB of all instances that are ready. */
  readonly readyMemory: number;
  /** Share of the API's requests that are traced. */
  readonly tracedShare: number;
  readonly recovery: boolean;
};

const minutes = 60 * assumed.monthHours;

/** Runs a month of a schedule's expression. @throws Error for one that the service does not have yet. */
export function runsOf(expression: string): number {
  const [, every] = /^rate\((\d+) minutes?\)$/u.exec(expression) ?? [];
  if (every !== undefined) return minutes / Number(every);
  if (/^cron\(\d+ \* \* \* \? \*\)$/u.test(expression)) return assumed.monthHours;
  const [, from, to] = /^cron\(\* (\d+)-(\d+) \* \* \? \*\)$/u.exec(expression) ?? [];
  if (from === undefined || to === undefined) throw new Error(`How often is ${expression}?`);
  return (minutes * (Number(to) - Number(from) + 1)) / 24;
}

/** Returns the value at a path in JSON; undefined if there is none. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((of, name) => (of === undefined ? undefined : (of as Properties)[name]), value);
}

type Metric = { readonly MetricStat?: { readonly Metric: Properties } };

/** Metrics of an alarm, each of which is paid for. */
const metricsOf = (alarm: Properties): readonly Properties[] =>
  alarm['Metrics'] === undefined
    ? [alarm]
    : (alarm['Metrics'] as readonly Metric[]).flatMap(({ MetricStat }) =>
        MetricStat === undefined ? [] : [MetricStat.Metric],
      );

/** Counts what the templates of one environment are billed for. */
export function countDeployed(resources: ReadonlyMap<string, DeployedResource>): Deployed {
  const all = (type: string): readonly Properties[] =>
    [...resources.values()].flatMap(({ Type, Properties }) => (Type === type ? [Properties ?? {}] : []));
  const functions = all('AWS::Lambda::Function');
  const watched = all('AWS::CloudWatch::Alarm').flatMap(metricsOf);
  const own = watched.filter(({ Namespace }) => String(Namespace).startsWith('BankingOrderService/'));
  const schedules = all('AWS::Scheduler::Schedule');
  const [firewall] = all('AWS::WAFv2::WebACL');
  const [table] = all('AWS::DynamoDB::GlobalTable');
  const [replica] = (table?.['Replicas'] ?? []) as readonly Properties[];
  const [rule] = all('AWS::XRay::SamplingRule');
  const indexes = (table?.['GlobalSecondaryIndexes'] ?? []) as readonly Properties[];
  return {
    alarmMetrics: watched.length,
    watchedMetrics: new Set(own.map(({ MetricName, Dimensions }) => JSON.stringify([MetricName, Dimensions]))).size,
    dashboards: all('AWS::CloudWatch::Dashboard').length,
    encryptionKeys: all('AWS::KMS::Key').length,
    firewalls: all('AWS::WAFv2::WebACL').length,
    firewallRules: ((firewall?.['Rules'] ?? []) as readonly Properties[]).length,
    // A rule for the table and for each index.
    countedKeys: at(replica, 'ContributorInsightsSpecification', 'Enabled') === true ? 1 + indexes.length : 0,
    queuesPolled: all('AWS::Lambda::EventSourceMapping').filter((mapping) => 'ScalingConfig' in mapping).length,
    runs: Object.fromEntries(
      schedules.map((schedule) => [targetOf(schedule, resources), runsOf(String(schedule['ScheduleExpression']))]),
    ),
    memory: Object.fromEntries(
      functions.map((lambda) => [String(lambda['FunctionName']), Number(lambda['MemorySize']) / 1024]),
    ),
    readyMemory: all('AWS::Lambda::Alias').reduce((sum, alias) => sum + readyMemoryOf(alias, resources), 0),
    tracedShare: Number(at(rule, 'SamplingRule', 'FixedRate') ?? 0.05),
    recovery: at(replica, 'PointInTimeRecoverySpecification', 'PointInTimeRecoveryEnabled') === true,
  };
}

/** Memory in GB of the instances that an alias keeps ready. */
function readyMemoryOf(alias: Properties, resources: ReadonlyMap<string, DeployedResource>): number {
  const instances = Number(at(alias, 'ProvisionedConcurrencyConfig', 'ProvisionedConcurrentExecutions') ?? 0);
  const target = resources.get(String(at(alias, 'FunctionName', 'Ref')));
  return instances === 0 ? 0 : (instances * Number(target?.Properties?.['MemorySize'])) / 1024;
}

/** Name of the function that a schedule calls, by itself or by an alias. */
function targetOf(schedule: Properties, resources: ReadonlyMap<string, DeployedResource>): string {
  const arn = JSON.stringify(at(schedule, 'Target', 'Arn'));
  const [, id = ''] = /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/u.exec(arn) ?? [];
  const found = resources.get(id);
  if (found?.Type === 'AWS::Lambda::Function') return String(found.Properties?.['FunctionName']);
  const alias = JSON.stringify(found?.Properties?.['FunctionName']);
  const [, of = ''] = /"Ref":"(\w+)"/u.exec(alias) ?? [];
  return String(resources.get(of)?.Properties?.['FunctionName']);
}
