import { workerNames, workers } from '#functions/workers.ts';
import { resourceName } from '#infra/aws/names.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { Deployed } from './deployed.ts';
import type { Measured } from './measured.ts';
import type { Priced, Region } from './prices.ts';
import { assumed, dollarsOf } from './prices.ts';

/** A line of the bill: what, and how much of what is priced. */
export type Line = { readonly what: string; readonly parts: Readonly<Partial<Record<Priced, number>>> };

export type BillOf = {
  readonly settings: EnvironmentSettings;
  readonly deployed: Deployed;
  readonly measured: Measured;
};

const gigabyte = 1_000_000_000;
const million = 1_000_000;
const minutes = 60 * assumed.monthHours;

/** Dollars of a line, and of several. */
export function dollars(lines: readonly Line[], region: Region): number {
  return lines
    .flatMap(({ parts }) => Object.entries(parts))
    .reduce((sum, [what, quantity]) => sum + dollarsOf(what as Priced, quantity, region), 0);
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Returns the work of schedules in a month without due jobs: their runs, processor time and reads. */
function scheduledWork({ settings, deployed, measured }: BillOf) {
  const { calls, reads } = measured.idleKind;
  const jobs = workerNames.flatMap((name) => {
    const functionName = resourceName(settings, name);
    const runs = deployed.runs[functionName];
    const kinds = Object.keys(workers[name].due ?? {}).length;
    return runs === undefined ? [] : [{ runs, kinds, memory: deployed.memory[functionName] ?? NaN }];
  });
  const ms = ({ kinds }: { readonly kinds: number }): number => kinds * calls * assumed.databaseMs;
  return {
    runs: sum(jobs.map(({ runs }) => runs)),
    gigabyteSeconds: sum(jobs.map((job) => job.runs * job.memory * (ms(job) / 1000))),
    reads: sum(jobs.map(({ runs, kinds }) => runs * kinds * reads)),
  };
}

/** Returns the work of the synthetic caller in a month: a read, a test notification and its delivery. */
function callerWork({ settings, deployed, measured }: BillOf) {
  const name = resourceName(settings, 'synthetic-caller');
  const runs = deployed.runs[name] ?? 0;
  const [caller = 0, receiver = 0] = [deployed.memory[name], deployed.memory[`${name}-receiver`]];
  const own = caller * (assumed.callerMs / 1000) + receiver * (assumed.receiverMs / 1000);
  const authorizer = (2 * authorizerMemory({ settings, deployed }) * assumed.authorizerMs) / 1000;
  // Both requests of a round cost what a short one costs.
  const { request, delivery, test } = measured;
  return {
    runs,
    requests: 2 * runs,
    /** Invocations of the caller and its receiver; of two requests, their authorizer, the relay and the notifier. */
    invocations: 8 * runs,
    gigabyteSeconds: runs * (own + authorizer + 2 * request.gigabyteSeconds + delivery.gigabyteSeconds),
    reads: runs * (1 + test.reads),
    writes: runs * test.writes,
    secrets: runs === 0 ? 0 : 1,
  };
}

const authorizerMemory = ({ settings, deployed }: Pick<BillOf, 'settings' | 'deployed'>): number =>
  deployed.memory[resourceName(settings, 'authorizer')] ?? NaN;

/** A month in which no partner calls. */
export function idleMonth(of: BillOf): readonly Line[] {
  const { deployed } = of;
  const work = scheduledWork(of);
  const caller = callerWork(of);
  const logBytes = (work.runs + caller.invocations) * assumed.logBytes;
  return [
    {
      what: 'alarms, dashboard, metrics that alarms watch',
      parts: {
        alarmMetric: deployed.alarmMetrics,
        dashboard: deployed.dashboards,
        metric: deployed.watchedMetrics,
      },
    },
    {
      what: 'instances that are ready',
      parts: { readyGigabyteSecond: deployed.readyMemory * assumed.monthHours * 3600 },
    },
    { what: 'firewall', parts: { firewall: deployed.firewalls, firewallRule: deployed.firewallRules } },
    { what: 'keys of encryption', parts: { encryptionKey: deployed.encryptionKeys } },
    { what: 'counted keys of the table', parts: { countedKeys: deployed.countedKeys } },
    {
      what: 'schedules: runs, functions, reads of what is due',
      parts: {
        scheduledRun: work.runs,
        invocation: work.runs,
        gigabyteSecond: work.gigabyteSeconds,
        readUnit: work.reads,
      },
    },
    {
      what: 'queues, asked by Lambda',
      parts: { queueRequest: deployed.queuesPolled * assumed.pollsAMinute * minutes },
    },
    { what: 'logs', parts: { logGigabyte: logBytes / gigabyte } },
    {
      what: 'synthetic caller',
      parts: {
        scheduledRun: caller.runs,
        apiRequest: caller.requests,
        firewallRequest: caller.requests,
        invocation: caller.invocations,
        gigabyteSecond: caller.gigabyteSeconds,
        readUnit: caller.reads,
        writeUnit: caller.writes,
        queueRequest: caller.runs * assumed.queueRequests,
        secret: caller.secrets,
        secretRead: 2 * caller.runs,
        trace: caller.requests * deployed.tracedShare,
      },
    },
  ];
}

/**
 * A million payouts, each created by a request, paid by a callback of the bank, and notified by a delivery that
 * succeeds at the first attempt, spread over a month.
 */
export function millionPayouts({ settings, deployed, measured }: BillOf): readonly Line[] {
  const { payout } = measured;
  const requests = 2;
  const invocations = requests * 2 + 2;
  const relayMemory = deployed.memory[resourceName(settings, 'relay-deliveries')] ?? NaN;
  const ownSeconds =
    (requests * authorizerMemory({ settings, deployed }) * assumed.authorizerMs + relayMemory * assumed.relayMs) / 1000;
  const stored = (payout.bytesKept * million) / gigabyte;
  const logBytes = invocations * assumed.logBytes + requests * assumed.accessLogBytes;
  return [
    { what: 'table: units', parts: { writeUnit: payout.writes * million, readUnit: payout.reads * million } },
    { what: 'API requests', parts: { apiRequest: requests * million } },
    {
      what: 'functions: endpoint, authorizer, relay, notifier',
      parts: {
        invocation: invocations * million,
        gigabyteSecond: (payout.gigabyteSeconds + ownSeconds) * million,
      },
    },
    { what: 'queue', parts: { queueRequest: assumed.queueRequests * million } },
    { what: 'firewall', parts: { firewallRequest: requests * million } },
    { what: 'logs', parts: { logGigabyte: (logBytes * million) / gigabyte } },
    { what: 'traces', parts: { trace: requests * deployed.tracedShare * million } },
    { what: 'metrics of what is called', parts: { metric: assumed.trafficMetrics } },
    {
      what: 'kept for a month: table and recovery',
      parts: { storage: stored, ...(deployed.recovery && { recovery: stored }) },
    },
    { what: 'data to the internet', parts: { gigabyteOut: ((requests + 1) * assumed.bytesOut * million) / gigabyte } },
  ];
}

/** Units of the table that a payout takes, in both ways to pay for them. */
export function tableOfAMillion(
  { measured: { payout } }: Pick<BillOf, 'measured'>,
  region: Region,
  utilization: number,
): { readonly onDemand: number; readonly provisioned: number } {
  const seconds = 3600 * utilization;
  return {
    onDemand: dollars(
      [{ what: '', parts: { writeUnit: payout.writes * million, readUnit: payout.reads * million } }],
      region,
    ),
    provisioned: dollars(
      [
        {
          what: '',
          parts: {
            writeCapacity: (payout.writes * million) / seconds,
            readCapacity: (payout.reads * million) / seconds,
          },
        },
      ],
      region,
    ),
  };
}

/** Dollars a month of the least capacity of the table and each of its indexes. */
export function leastCapacity(units: number, parts: number, region: Region): number {
  const hours = units * parts * assumed.monthHours;
  return dollars([{ what: '', parts: { writeCapacity: hours, readCapacity: hours } }], region);
}
