import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { handler as receiveCallbacks } from '#functions/workers/receive-callbacks/handler.ts';
import { environments } from '#infra/environments.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { nowMs } from '#shared/platform/clock.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { scheduledWorker } from '#shared/platform/jobs/scheduled-worker.ts';
import { requestLog } from '#shared/platform/http/middlewares/request-log.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { ItemContended, StoreUnavailable } from '#shared/platform/table/store.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { workCallbacks } from '#shared/bank-events/work-callbacks.ts';
import { report as reportDelivery, reportDrain, reportHealth } from '#shared/webhooks/dispatch/report.ts';
import { connect } from '../bank-events/bank-events-world.ts';
import { companyOne, payInBody } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { each } from '../support/each.ts';
import { memoryStore } from '../support/memory-store.ts';
import { paymentWorld } from '../support/payment-world.ts';
import type { Points } from './emitted-points.ts';
import { emittedPoints, metricKey } from './emitted-points.ts';
import type { Minute } from './played-minutes.ts';
import { alarmsOf, keyOf, metricsOf, notified, playMinutes } from './played-minutes.ts';
import { all, synthesize } from './synthesized.ts';

/*
 * The objectives are played minute by minute: what the code writes about an event is its point, so many times a minute.
 * Points of AWS/Lambda have the names that infra/aws/names.ts gives functions.
 */

const namespace = 'BankingOrderService/prod';
const page = 'arn:aws:sns:sa-east-1:111111111111:page';
const ticket = 'arn:aws:sns:sa-east-1:111111111111:ticket';
const prod = {
  ...environments.prod,
  alarms: { ...environments.prod.alarms, topicArn: page, ticketTopicArn: ticket },
  caller: { secretArn: 'arn:aws:secretsmanager:sa-east-1:111111111111:secret:caller-a1b2c3' },
};
const template = synthesize({ environments: ['prod'], settings: { prod } })('Prod-Monitoring');

const at = '2026-01-15T12:00:00.000Z';

/** What the code writes while it does this. */
async function written(act: () => unknown): Promise<Points> {
  const lines: string[] = [];
  vi.stubEnv('METRIC_NAMESPACE', namespace);
  vi.stubEnv('TABLE_NAME', 'table');
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  await act();
  output.mockRestore();
  vi.unstubAllEnvs();
  return emittedPoints(lines);
}

const ofLambda = (name: string, values: Readonly<Record<string, number>>): Points =>
  new Map(
    Object.entries(values).map(([metric, value]) => [
      metricKey('AWS/Lambda', metric, { FunctionName: `banking-order-prod-${name}` }),
      [value],
    ]),
  );

const payout = (statusCode: number, durationMs = 100, error?: Error) =>
  written(() =>
    requestLog(CreatePayout).after?.({
      context: { startedMs: nowMs() - durationMs, requestId: 'r' },
      response: { statusCode },
      error,
    } as never),
  );

const notification = { id: 'd', event: 'E', resource: { type: 'PAY_IN', id: 'o' }, target: { type: 'PAYIN' } } as const;
const delivery = newDelivery('c', { ...notification, body: '{}', createdAt: at, requestId: 'r' });
const firstCall = (afterSeconds: number, more: Partial<typeof delivery> = {}) => {
  const claim = { id: 'c', number: 1, at: plusSeconds(at, afterSeconds), leaseUntil: at };
  return written(() => {
    reportDelivery({ kind: 'first-call', delivery: { ...delivery, claim, ...more } });
  });
};

/** A callback about a paid pay-in: how long after it the event is applied, and what is broken meanwhile. */
async function callback(agoSeconds: number, broken?: 'bank' | 'table'): Promise<Points> {
  const world = await paymentWorld();
  const bank = await connect(world);
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: 'k' });
  const events = bank.pays(1, (body as { id: string }).id.replaceAll('-', ''), 2500);
  bank.known.isSilent = broken === 'bank';
  const write = () => Promise.reject(new StoreUnavailable('None.'));
  const store = broken === 'table' ? { ...bank.events.store, write } : bank.events.store;
  const message = { messageId: 'm', body: JSON.stringify({ companyId: companyOne, connectionId, events }) };
  const received = { ...message, receives: 1, sentMs: nowMs() - 1000 * agoSeconds };
  return written(() => workCallbacks([received], { ...bank.events, store, hide: () => Promise.resolve() }));
}

const shed = () =>
  written(() =>
    createOnce(
      {
        store: { ...memoryStore(), write: () => Promise.reject(new ItemContended('Busy.')) },
        now: () => at,
        realNow: () => at,
      },
      { caller: { companyId: 'c' }, fingerprint: 'f', idempotencyKey: 'k', contextDetails: [] },
      {
        ...{ operation: CreatePayout.operationId, keyLife: 'WEEK', find: (read) => read([]) },
        ...{ decide: () => 'o', idOf: String, response: () => '', replay: () => Promise.resolve('') },
        change: () => ({ writes: [{ put: keys.order('c', 'o'), when: { is: 'absent' } }] }),
      },
    ).catch(() => undefined),
  );

const open = { name: 'address:0a', url: 'https://partner.example/', state: 'OPEN', reason: 'DNS', probes: 1 } as const;
const circuit = { ...open, since: at, failingSince: at, probeAt: at, probedAt: at };

type Events =
  'created' | 'slow' | 'failed' | 'rejected' | 'shed' | 'begun' | 'begunLate' | 'drained' | 'brokenEndpoint';
type More =
  'bankDown' | 'applied' | 'appliedLate' | 'notApplied' | 'silentBank' | 'refusedCallback' | 'checked' | 'unchecked';
type Other = 'slowToken' | 'crash' | 'runs' | 'callerFails' | 'latePayout';
let points: Readonly<Record<Events | More | Other, Points>>;
beforeAll(async () => {
  points = {
    ...{
      created: await payout(201),
      slow: await payout(201, 3000),
      failed: await payout(503),
      rejected: await payout(409),
    },
    ...{ shed: await shed(), begun: await firstCall(2), begunLate: await firstCall(90) },
    drained: await firstCall(7200, { backlog: 'address:0a' }),
    brokenEndpoint: await written(() => {
      reportDelivery({ kind: 'deferred', delivery });
      reportDelivery({ kind: 'failed', delivery });
      reportHealth({ kind: 'probe-failed', companyId: 'c', circuit });
      reportDrain({ drained: 1, oldestSeconds: 86_400 });
    }),
    ...{ applied: await callback(2), appliedLate: await callback(300), notApplied: await callback(2, 'table') },
    bankDown: await payout(503, 100, new BankUnavailable('None.')),
    silentBank: await callback(2, 'bank'),
    refusedCallback: await written(() => receiveCallbacks({} as Parameters<typeof receiveCallbacks>[0])),
    ...{ checked: ofLambda('authorizer', { Invocations: 1, Duration: 20 }) },
    unchecked: ofLambda('authorizer', { Invocations: 1, Errors: 1, Duration: 20 }),
    slowToken: ofLambda('authorizer', { Invocations: 1, Duration: 3000 }),
    crash: ofLambda('createPayout', { Errors: 1 }),
    runs: new Map(
      [
        'sweep-deliveries',
        'expire-pay-ins',
        'submit-payouts',
        'advance-scheduled-payments',
        'submit-commands',
        'send-key-codes',
      ]
        .flatMap((name) => [...ofLambda(name, { Invocations: 1 })])
        .concat([...ofLambda('synthetic-caller', { Invocations: 1 })]),
    ),
    callerFails: ofLambda('synthetic-caller', { Errors: 1 }),
    latePayout: await written(() =>
      scheduledWorker('submit-payouts', () =>
        Promise.resolve({ due: { PAYOUT_SUBMISSION: { pending: 0, lateSeconds: 7200 } } }),
      )({}, { getRemainingTimeInMillis: () => 1000 }),
    ),
  };
}, 60_000);
afterAll(() => {
  vi.unstubAllEnvs();
});

type Mix = Readonly<Partial<Record<keyof typeof points, number>>>;
const healthy: Mix = { created: 60, begun: 100, applied: 60, checked: 100 };
const minute = (mix: Mix): Minute => [
  [points.runs, 1],
  ...Object.entries(mix).map(([name, times]) => [points[name as keyof typeof points], times] as const),
];
/** So many minutes of each mix of events, one after the other. */
const played = (...parts: readonly (readonly [minutes: number, mix: Mix | ((at: number) => Mix)])[]) => {
  const minutes = parts.flatMap(([length, mix]) => {
    if (typeof mix === 'function') return Array.from({ length }, (_, index) => minute(mix(index)));
    return Array<Minute>(length).fill(minute(mix));
  });
  const states = playMinutes(template, minutes);
  return { pages: notified(template, states, page), tickets: notified(template, states, ticket), states };
};
const names = (rings: ReadonlyMap<string, readonly number[]>): readonly string[] => [...rings.keys()].toSorted();

/** Each objective: its failures beside its healthy events, and the share of failures that its target allows. */
type Played = readonly [name: string, events: Mix, failure: keyof typeof points, allowed: number];
const objectives: readonly Played[] = [
  ['PayoutsCreated', { created: 1000 }, 'failed', 0.001],
  ['PayoutsCreated', { created: 1000 }, 'crash', 0.001],
  ['NotificationsBegun', { begun: 1000 }, 'begunLate', 0.005],
  ['SettlementsApplied', { applied: 1000 }, 'appliedLate', 0.005],
  ['SettlementsApplied', { applied: 1000 }, 'notApplied', 0.005],
  ['SettlementsApplied', { applied: 1000 }, 'refusedCallback', 0.005],
  ['TokensChecked', { checked: 1000 }, 'unchecked', 0.0005],
];

/** Objectives that open tickets alone. */
const latencies: readonly Played[] = [
  ['PayoutLatency', { created: 1000 }, 'slow', 0.01],
  ['TokenLatency', { checked: 1000 }, 'slowToken', 0.01],
];

/** Failures that come so many times as fast as allowed, beside a thousand healthy events. */
const burning = (events: Mix, failure: string, allowed: number, factor: number): Mix => ({
  ...events,
  [failure]: (1000 * factor * allowed) / (1 - factor * allowed),
});

describe.each(objectives)('the objective %s, of events %o, with failures %s', (name, events, failure, allowed) => {
  test('the objective raises no alarm while its target is kept', () => {
    const { pages, tickets } = played([420, burning(events, failure, allowed, 0.9)]);
    expect([names(pages), names(tickets).filter((one) => !one.startsWith('Errors'))]).toEqual([[], []]);
  });

  test('pages once, within the hour, when failures come 20 times as fast, and is over soon after their end', () => {
    const { pages, states } = played([370, events], [90, burning(events, failure, allowed, 20)], [60, events]);
    expect(names(pages)).toEqual(['Outage']);
    const [rings = 0, ...more] = pages.get('Outage') ?? [];
    expect(more).toEqual([]);
    expect(rings).toBeGreaterThanOrEqual(370);
    expect(rings).toBeLessThan(430);
    const outage = [...states].find(([id]) => id.startsWith('Outage'))?.[1] ?? [];
    expect(outage.slice(466)).not.toContain('ALARM');
  });

  test('the objective opens a ticket, without a page, when failures come 8 times as fast', () => {
    const { pages, tickets } = played([370, events], [360, burning(events, failure, allowed, 8)]);
    expect(names(pages)).toEqual([]);
    expect(names(tickets)).toContain(`${name}Slow`);
  });

  test('the objective raises no alarm when one of a few events at night fails, and pages when all of them do', () => {
    const [[event] = ['created']] = Object.entries(events);
    const night = (index: number): Mix => (index % 20 === 19 ? { [index === 399 ? failure : event]: 1 } : {});
    const quiet = played([480, night]);
    expect([names(quiet.pages), names(quiet.tickets).filter((one) => !one.startsWith('Errors'))]).toEqual([[], []]);
    const { pages } = played([370, night], [30, { [failure]: 1 }], [60, {}]);
    expect([names(pages), pages.get('Outage')]).toEqual([['Outage'], [372]]);
  });
});

test.each([
  ['PayoutLatencySlow', { created: 100 }, 'slow'],
  ['TokenLatencySlow', { checked: 100 }, 'slowToken'],
  ['PayoutsShed', { created: 100 }, 'shed'],
] as const)('%s opens a ticket when events of %o are joined by one in ten that is %s', (name, events, slow) => {
  expect(names(played([420, events]).tickets)).toEqual([]);
  const { pages, tickets } = played([370, events], [240, { ...events, [slow]: 10 }]);
  expect([names(pages), names(tickets)]).toEqual([[], [name]]);
});

test('docs/alarms.md lists what each objective allows, and how soon it rings', () => {
  const file = new URL('../../docs/alarms.md', import.meta.url);
  const rows = [...objectives, ...latencies]
    .filter(([name], at, played) => played.findIndex(([other]) => other === name) === at)
    .map(([name, events, failure, allowed]) => {
      const after = (mix: Mix): readonly string[] => {
        const { pages, tickets } = played([370, events], [360, mix]);
        return [pages.get('Outage'), tickets.get(`${name}Slow`)].map((rings) =>
          rings?.[0] === undefined ? '' : `${rings[0] - 369}`,
        );
      };
      const [all, fast, slow] = [
        { [failure]: 1000 },
        burning(events, failure, allowed, 20),
        burning(events, failure, allowed, 8),
      ];
      const share = `${Number((100 * (1 - allowed)).toFixed(2))} %`;
      return [name, share, `${Math.round(28 * 1440 * allowed)}`, after(all)[0], after(fast)[0], after(slow)[1]].join(
        ' | ',
      );
    });
  const head =
    'Objective | Good, 28 days | Minutes it allows | All fail: page | 20 times too many: page | 8 times: ticket';
  const table = [`| ${head} |`, '|---|--:|--:|--:|--:|--:|', ...rows.map((row) => `| ${row} |`)].join('\n');
  const known = readFileSync(file, 'utf8');
  const current = known.replace(/<!-- objectives -->\n[^]*?\n\n/u, `<!-- objectives -->\n${table}\n\n`);
  if (process.env['UPDATE_ALARMS'] === '1') writeFileSync(file, current);
  expect(readFileSync(file, 'utf8')).toBe(current);
});

test('one outage that every objective, the synthetic caller and the due work notice pages once', () => {
  const broken = (index: number): Mix => ({
    ...{ failed: 60, begunLate: 100, notApplied: 60, unchecked: 100 },
    ...(index % 5 === 0 && { callerFails: 1 }),
    ...(index > 10 && { latePayout: 1 }),
  });
  const { pages, states } = played([370, healthy], [40, broken], [12, { ...healthy, latePayout: 1 }], [60, healthy]);
  const began = [...states].flatMap(([id, all]) => (all.includes('ALARM') ? [id.replace(/[0-9A-F]{8}$/u, '')] : []));
  const below = ['PayoutsCreatedFast', 'NotificationsBegunFast', 'SettlementsAppliedFast', 'TokensCheckedFast'];
  expect(began).toEqual(expect.arrayContaining([...below, 'SyntheticCall', 'LatePAYOUTSUBMISSION']));
  expect(names(pages)).toEqual(['Outage']);
  expect(pages.get('Outage')).toEqual([370]);
});

test('partners’ broken endpoints, silent banks and rejected requests neither page nor open a ticket of an objective', () => {
  const { pages, tickets } = played([
    420,
    { ...healthy, brokenEndpoint: 50, drained: 50, silentBank: 30, bankDown: 30, rejected: 500 },
  ]);
  expect(names(pages)).toEqual([]);
  expect(names(tickets)).toEqual([]);
});

test('the code writes each metric that an objective counts, with the dimensions that are watched', () => {
  const emitted = new Set(Object.values(points).flatMap((one) => [...one.keys()]));
  const watched = all(template, 'AWS::CloudWatch::Alarm')
    .filter(({ Properties }) => Properties['Metrics'] !== undefined)
    .flatMap(({ Properties }) => metricsOf(Properties))
    .filter(({ Namespace }) => Namespace === namespace)
    .map(keyOf);
  for (const key of each([...new Set(watched)])) expect([...emitted]).toContain(key);
});

describe('the limits of CloudWatch', () => {
  const alarms = all(template, 'AWS::CloudWatch::Alarm');
  const composites = all(template, 'AWS::CloudWatch::CompositeAlarm');

  test('are kept by every alarm: at most ten metrics, and the days that it may look back', () => {
    for (const { id, Properties } of each(alarms)) {
      const metrics = (Properties['Metrics'] ?? []) as { MetricStat?: { Period: number }; Expression?: string }[];
      const stats = metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
      expect(stats.length, id).toBeLessThanOrEqual(10);
      for (const { Expression = '' } of metrics) expect(Expression.length, id).toBeLessThanOrEqual(1024);
      const period = (Properties['Period'] as number | undefined) ?? stats[0]?.Period ?? 0;
      // "For alarms with a period of less than one hour, the total evaluation period can't be longer than one day."
      expect(period * (Properties['EvaluationPeriods'] as number), id).toBeLessThanOrEqual(
        period < 3600 ? 86_400 : 604_800,
      );
    }
    expect(template.resources.length).toBeLessThan(500);
  });

  test('every composite alarm keeps the limits of CloudWatch, and the alarms below one notify no one themselves', () => {
    expect(composites.length).toBeGreaterThan(8);
    const below = new Set(composites.flatMap(({ Properties }) => alarmsOf(Properties)));
    for (const { id, Properties } of [...alarms, ...composites])
      for (const actions of ['AlarmActions', 'OKActions', 'InsufficientDataActions'])
        if (below.has(id)) expect(Properties[actions], id).toBeUndefined();
    for (const { id, Properties } of composites) {
      expect(alarmsOf(Properties).length, id).toBeLessThanOrEqual(100);
      // The role of a release may delete alarms of its own stacks alone.
      expect(Properties['AlarmName']).toMatch(/^Prod-Monitoring-[\w-]+$/u);
      expect(below.has(id), id).toBe(id.includes('Fast'));
    }
  });
});
