import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { environments } from '#infra/environments.ts';
import { handler as drainBacklogs } from '#functions/workers/drain-backlogs/handler.ts';
import { handler as receiveCallbacks } from '#functions/workers/receive-callbacks/handler.ts';
import { handler as relayDeliveries } from '#functions/workers/relay-deliveries/handler.ts';
import { workerNames, workers } from '#functions/workers.ts';
import { issuerKeys } from '#shared/access/issuer-keys.ts';
import { report as reportBank, reports } from '#shared/bank/report.ts';
import { checkTruststore } from '#shared/bank-events/truststore.ts';
import { workCallbacks } from '#shared/bank-events/work-callbacks.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilies, familyOf } from '#shared/platform/jobs/due-kinds.ts';
import type { JobDone } from '#shared/platform/jobs/due-worker.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import type { RunReport } from '#shared/platform/jobs/scheduled-worker.ts';
import { scheduledWorker } from '#shared/platform/jobs/scheduled-worker.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { MetricBy } from '#shared/platform/metrics.ts';
import { settingsVariable } from '#shared/platform/settings.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { receivesPerDispatch } from '#shared/webhooks/deliveries/states.ts';
import { deliverBatch } from '#shared/webhooks/dispatch/deliver.ts';
import { reportHealth } from '#shared/webhooks/dispatch/report.ts';
import { connect } from '../bank-events/bank-events-world.ts';
import { companyOne, payInBody } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { each } from '../support/each.ts';
import { memoryStore } from '../support/memory-store.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { play, readAlarm, ringsOf } from './alarm-evaluator.ts';
import { emittedPoints } from './emitted-points.ts';
import { keyOf, metricsOf } from './played-minutes.ts';
import { all, synthesize } from './synthesized.ts';

/*
 * Alarms are played by what the code writes, not by data of the test: the line of a report is the datapoint, and it
 * reaches an alarm only by the very name and dimensions that the template watches.
 */

const namespace = 'BankingOrderService/prod';
const topicArn = 'arn:aws:sns:sa-east-1:111111111111:page';
const prod = { ...environments.prod, alarms: { ...environments.prod.alarms, topicArn } };
const stacks = synthesize({ environments: ['prod'], settings: { prod } });

const watching = all(stacks('Prod-Monitoring'), 'AWS::CloudWatch::Alarm').filter(
  ({ Properties }) => Properties['Namespace'] === namespace,
);
let written: string[] = [];
beforeEach(() => {
  written = [];
  vi.stubEnv('METRIC_NAMESPACE', namespace);
  vi.stubEnv('TABLE_NAME', 'table');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const at = '2026-01-15T12:00:00.000Z';
const open = { name: 'address:0a', url: 'https://partner.example/', state: 'OPEN', reason: 'DNS', probes: 1 } as const;
const circuit = { ...open, since: at, failingSince: at, probeAt: at, probedAt: at };
const run = async (worker: WorkerName, report: RunReport): Promise<void> => {
  await scheduledWorker(worker, () => Promise.resolve(report))({}, { getRemainingTimeInMillis: () => 1000 });
};
/** A job of this kind, which a worker receives from its queue. */
const work = async (worker: WorkerName, kind: DueKind, done: () => Promise<JobDone>): Promise<void> => {
  const body = JSON.stringify({ kind, companyId: 'c', id: 'i', dueAt: at });
  const record = { eventSource: 'aws:sqs', messageId: 'm', body, attributes: { ApproximateReceiveCount: '3' } };
  const context = { getRemainingTimeInMillis: () => 50_000 } as Context;
  await dueWorker(worker, { family: familyOf[kind], doJob: done })({ Records: [record] }, context);
};
const count = (name: MetricBy<'worker'>) => () => Promise.resolve({ counts: { [name]: 1 } });
const kindsOf = (name: WorkerName): readonly DueKind[] => {
  const { due } = workers[name];
  return due === undefined ? [] : dueFamilies[due];
};

/** Callbacks about a pay-in that its bank does not show, for the last time. */
async function callbacks() {
  const world = await paymentWorld();
  const bank = await connect(world);
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: 'k' });
  const events = bank.pays(1, (body as { id: string }).id.replaceAll('-', ''), 2500);
  bank.known.received.clear();
  const message = { messageId: 'm', body: JSON.stringify({ companyId: companyOne, connectionId, events }), sentMs: 0 };
  const deps = { ...bank.events, hide: () => Promise.resolve() };
  return {
    early: () => workCallbacks([{ ...message, receives: receivesPerDispatch }], deps),
  };
}

/** What goes wrong, by alarm: the code that says so. Late and failed work of each worker follow. */
const incidents: Readonly<Record<string, () => void | Promise<void>>> = {
  ...Object.fromEntries(
    (Object.keys(reports) as (keyof typeof reports)[]).map((name) => [
      name,
      () => {
        for (let count = 0; count < 9; count += 1) reportBank(name, { companyId: 'c' });
      },
    ]),
  ),
  TruststoreWarnings: () => checkTruststore(() => Promise.resolve(['EXPIRED'])),
  EndpointsDisabled: () => {
    reportHealth({ kind: 'endpoint-disabled', companyId: 'c', circuit });
  },
  ResendsMissed: () => work('resend-settlement-errors', 'SETTLEMENT_RESEND', count('ResendsMissed')),
  ResendsMissedByBank: () => work('advance-scheduled-payments', 'CHARGE_POLL', count('ResendsMissed')),
  CommandsMissed: () => work('advance-scheduled-payments', 'CHARGE_COMMAND', count('CommandsMissed')),
  'JobsFailed-read-bank-lists': () => run('read-bank-lists', { failed: 1 }),
  'JobsFailed-chain-entries': () => run('chain-entries', { failed: 1 }),
  CallbackIdsUnread: async () => {
    const { early } = await callbacks();
    for (let messages = 0; messages < 11; messages += 1) await early();
  },
  CallbacksRefused: async () => {
    const event = { pathParameters: null, body: null, isBase64Encoded: false, requestContext: { identity: {} } };
    for (let calls = 0; calls < 21; calls += 1) await receiveCallbacks(event);
  },
  IssuerKeys: async () => {
    const store = { ...memoryStore(), read: () => Promise.reject(new StoreUnavailable('None.')) };
    // Port 9 of this machine takes no connection.
    const find = issuerKeys({ jwksUri: 'http://127.0.0.1:9/keys', store, nowMs: () => Date.parse(at) });
    await expect(Promise.resolve(find({ alg: 'RS256', kid: 'k' }, {} as never))).rejects.toThrow();
  },
  'JobsFailed-relay-deliveries': async () => {
    const Keys = { PK: { S: 'C#c#DLV#d' }, SK: { S: 'DISPATCH#' } };
    await relayDeliveries({ Records: [{ eventName: 'INSERT', dynamodb: { SequenceNumber: '1', Keys } }] });
  },
  'JobsFailed-deliver-notification': async () => {
    const record = { messageId: 'm', body: 'no message', attributes: { ApproximateReceiveCount: '1' } };
    await deliverBatch([record] as never, { store: memoryStore() } as never);
  },
  'JobsFailed-drain-backlogs': async () => {
    vi.stubEnv('SETTINGS', settingsVariable(prod));
    await drainBacklogs({ Records: [{ messageId: 'm', body: 'no message' }] } as never, {
      getRemainingTimeInMillis: () => 1000,
    });
  },
  MissedByCallback: () => run('read-bank-lists', { counts: { MissedByCallback: 99 } }),
  ...Object.fromEntries(
    workerNames.flatMap((name) =>
      kindsOf(name).map(
        (kind) => [`Late-${kind}`, () => run(name, { due: { [kind]: { pending: 0, lateSeconds: 86_400 } } })] as const,
      ),
    ),
  ),
  ...Object.fromEntries(
    workerNames.flatMap((name) =>
      kindsOf(name)
        .slice(0, 1)
        .map((kind) => [`JobsFailed-${name}`, () => work(name, kind, () => Promise.reject(new Error('No.')))] as const),
    ),
  ),
};

const plainName = (id: string): string => id.replaceAll(/[-_]/gu, '');
const nameOf = ({ id }: (typeof watching)[number]): string => id.replace(/[0-9A-F]{8}$/u, '');

test('every alarm that watches what the service writes is played', () => {
  const played = new Set(Object.keys(incidents).map(plainName));
  expect(each(watching).filter((one) => !played.has(nameOf(one)))).toEqual([]);
});

describe.each(Object.keys(incidents))('%s', (id) => {
  const found = watching.find((one) => nameOf(one) === plainName(id));

  test('rings by what the code writes when it happens', async () => {
    expect(found, 'no alarm has this name').toBeDefined();
    await incidents[id]!();
    const [watched = ''] = metricsOf(found!.Properties).map(keyOf);
    const points = emittedPoints(written);
    expect([...points.keys()]).toContain(watched);
    const value = points.get(watched)?.reduce((total, one) => total + one, 0);
    const alarm = readAlarm(found!.Properties);
    const series = [
      ...Array<undefined>(5).fill(undefined),
      ...Array<number | undefined>(alarm.periods + 3).fill(value),
    ];
    const states = play(alarm, Object.fromEntries(alarm.metrics.map((name) => [name, series])), { more: 1, late: 0 });
    // Some tell nobody themselves, but by Outage.
    expect(ringsOf({ calls: ['ALARM'] }, states)).toHaveLength(1);
  });
});
