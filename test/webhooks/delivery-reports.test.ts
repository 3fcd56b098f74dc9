import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { DeliveryEvent } from '#shared/webhooks/dispatch/report.ts';
import { healthEvents, report, reportDrain, reportHealth } from '#shared/webhooks/dispatch/report.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Circuit } from '#shared/webhooks/health/circuit.ts';
import { newHealth } from '#shared/webhooks/health/health.ts';
import { aNotification } from '../support/builders.ts';
import type { CircuitState } from '../support/circuit.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const endpoint = 'https://partner.example:8443/hooks?secret=1';
const fresh: Delivery = newDelivery('c-1', aNotification(t0));
const fields = {
  ...{ companyId: 'c-1', deliveryId: 'd-1', event: 'ORDER-PAYIN.PAID' },
  ...{ status: 'PENDING', dispatch: 1, requestId: 'r-1' },
};

type Line = Readonly<Record<string, unknown>> & {
  readonly _aws?: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
};
let lines: Line[];
beforeEach(() => {
  lines = [];
  vi.useFakeTimers({ now: new Date(plusSeconds(t0, 90)) });
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text)) as Line) > 0);
});
afterEach(() => {
  vi.useRealTimers();
});

/** What was logged, and what was counted: by which dimensions, each with its unit. */
function readReported(): { readonly logged: readonly Line[]; readonly counted: readonly unknown[] } {
  const counted = lines.flatMap(({ _aws, ...rest }) => {
    const [definition] = _aws?.CloudWatchMetrics ?? [];
    if (definition === undefined) return [];
    expect(_aws?.Timestamp).toBe(Date.parse(plusSeconds(t0, 90)));
    const dimensions = Object.fromEntries((definition.Dimensions[0] ?? []).map((name) => [name, rest[name]]));
    const metrics = definition.Metrics.map(({ Name, Unit }) => `${Name} ${String(rest[Name])} ${Unit}`);
    return [{ ...dimensions, metrics }];
  });
  return { logged: lines.filter(({ _aws }) => _aws === undefined), counted };
}
const worker = 'deliver-notification';

describe('the report of a delivery', () => {
  it.each([
    ['held', 'info', 'Delivery held', ['DeliveriesHeld 1 Count']],
    ['deferred', 'info', 'Delivery deferred to the backlog of its endpoint', ['DeliveriesDeferred 1 Count']],
    ['failed', 'warn', 'Delivery failed', ['DeliveriesFailed 1 Count']],
    ['recording-lost', 'error', 'Cannot record an attempt', undefined],
  ] as const)('is logged and counted when it is %s', (kind, level, message, metrics) => {
    report({ kind, delivery: fresh });
    const counted = metrics === undefined ? [] : [{ worker, metrics }];
    expect(readReported()).toEqual({ logged: [{ level, message, ...fields }], counted });
  });

  it.each([
    ['absent', 'error'],
    ['stale-copy', 'info'],
  ])('logs and counts the message that is skipped as %s', (because, level) => {
    report({
      kind: 'passed-over',
      message: { companyId: 'c-1', deliveryId: 'd-1', dispatch: 2, id: 'm', receives: 3 },
      because,
    });
    const message = { companyId: 'c-1', deliveryId: 'd-1', dispatch: 2, receives: 3, messageId: 'm' };
    expect(readReported()).toEqual({
      logged: [{ level, ...message, message: 'Message skipped', because }],
      counted: [{ worker, metrics: ['StaleMessages 1 Count'] }],
    });
  });

  it('counts the latency from its creation to the claim of its first call', () => {
    const claim = { id: 'c', number: 1, at: plusSeconds(t0, 1.5), leaseUntil: plusSeconds(t0, 20) };
    report({ kind: 'first-call', delivery: { ...fresh, claim } });
    report({ kind: 'first-call', delivery: fresh });
    const metrics = (value: number) => ({ worker, metrics: [`DeliveryLatency ${value} Milliseconds`] });
    expect(readReported()).toEqual({ logged: [], counted: [metrics(1500), metrics(90_000)] });
    // Released after an hour, and a claim by a clock that is behind.
    report({ kind: 'first-call', delivery: { ...fresh, nextAttemptAt: plusSeconds(t0, 3600), claim } });
    report({ kind: 'first-call', delivery: { ...fresh, claim: { ...claim, at: plusSeconds(t0, -1) } } });
    expect(readReported().counted.slice(2)).toEqual([metrics(0), metrics(0)]);
  });

  it('counts no latency of a first call from a backlog, which waited for the partner’s endpoint', () => {
    report({ kind: 'first-call', delivery: { ...fresh, backlog: 'address:0a' } });
    expect(readReported()).toEqual({ logged: [], counted: [] });
  });

  const attempts = [{ number: 1, claimId: 'c', at: t0, outcome: 'FAILED' as const }];
  const attempted: Delivery = { ...fresh, endpoint, messageId: 'm-1', attempts };
  const failed = { outcome: 'FAILED', error: 'STATUS', httpStatus: 500, durationMs: 12 } as const;
  const attempt = (more: Partial<Extract<DeliveryEvent, { kind: 'attempt' }>> = {}): DeliveryEvent => ({
    ...{ kind: 'attempt', delivery: attempted, source: { dispatch: 1, receives: 2 }, result: failed },
    ...more,
  });
  const call = {
    ...fields,
    attempt: 1,
    host: 'partner.example:8443',
    messageId: 'm-1',
    message: 'Delivery attempt ended',
  };
  const ofAttempt = (duration: number, outcome = 'FAILED', number = '1') => ({
    ...{ outcome, attempt: number },
    metrics: ['DeliveryAttempts 1 Count', `AttemptDuration ${duration} Milliseconds`],
  });

  it('logs one line for each attempt of a message or a probe, with only the host of the address', () => {
    report(attempt());
    report(attempt({ source: 'probe' }));
    const line = { level: 'info', ...call, ...failed };
    expect(readReported()).toEqual({
      logged: [
        { ...line, receives: 2 },
        { ...line, by: 'probe' },
      ],
      counted: [ofAttempt(12), ofAttempt(12)],
    });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('is logged but not counted when it is of a test notification, so that no alarm goes off', () => {
    const ofTest = { resource: { type: 'WEBHOOK_TEST', id: 't-1' } } as const;
    for (const kind of ['first-call', 'held', 'deferred', 'failed'] as const)
      report({ kind, delivery: { ...fresh, ...ofTest } });
    report(attempt({ delivery: { ...attempted, ...ofTest, status: 'FAILED' } }));
    expect(readReported().logged.map(({ message }) => message)).toEqual([
      ...[
        'Delivery held',
        'Delivery deferred to the backlog of its endpoint',
        'Delivery failed',
        'Delivery attempt ended',
        'Delivery failed',
      ],
    ]);
    expect(readReported().counted).toEqual([]);
  });

  it('omits the unknown fields of an attempt, and also logs the delivery as failed when it was the last one', () => {
    const { endpoint: _, ...nowhere } = attempted;
    const both = [...attempts, { ...attempts[0]!, number: 2 }];
    report(attempt({ delivery: { ...nowhere, status: 'FAILED', attempts: both }, result: { outcome: 'FAILED' } }));
    const { host: _host, ...known } = { ...call, level: 'info', outcome: 'FAILED', receives: 2, attempt: 2 };
    const status = 'FAILED';
    expect(readReported()).toEqual({
      logged: [
        { ...known, status },
        { level: 'warn', ...fields, status, message: 'Delivery failed' },
      ],
      counted: [ofAttempt(0, 'FAILED', '2'), { worker, metrics: ['DeliveriesFailed 1 Count'] }],
    });
  });
});

describe('a circuit', () => {
  const named = { name: 'address:00', url: endpoint } as const;
  const states: Record<string, CircuitState> = {
    closed: { state: 'CLOSED', until: t0 },
    busy: { state: 'BUSY', until: t0 },
    open: { state: 'OPEN', since: t0, failingSince: t0, reason: 'TLS', probes: 1, probeAt: t0, probedAt: t0 },
    probed: { state: 'OPEN', since: t0, failingSince: t0, reason: 'TLS', probes: 2, probeAt: t0, probedAt: t0 },
    'half-open': { state: 'HALF_OPEN', since: t0 },
    'given up': { state: 'HELD', since: t0, by: 'CIRCUIT' },
    stopped: { state: 'HELD', since: t0, by: 'OPERATOR' },
  };
  const circuitOf = (name: string): Circuit[] => {
    const state = states[name];
    return state === undefined ? [] : [{ ...named, ...state }];
  };
  const reportedKinds: Record<string, string> = {
    ...{ 'none > open': 'circuit-opened', 'closed > open': 'circuit-opened', 'busy > open': 'circuit-opened' },
    ...{
      'half-open > open': 'circuit-opened',
      'given up > open': 'circuit-opened',
      'stopped > open': 'circuit-opened',
    },
    ...{
      'half-open > probed': 'circuit-opened',
      'none > probed': 'circuit-opened',
      'closed > probed': 'circuit-opened',
    },
    ...{
      'busy > probed': 'circuit-opened',
      'given up > probed': 'circuit-opened',
      'stopped > probed': 'circuit-opened',
    },
    'open > probed': 'probe-failed',
    ...{ 'open > half-open': 'circuit-half-open', 'probed > half-open': 'circuit-half-open' },
    ...{ 'open > given up': 'endpoint-disabled', 'probed > given up': 'endpoint-disabled' },
    ...{
      'half-open > none': 'circuit-closed',
      'half-open > closed': 'circuit-closed',
      'half-open > busy': 'circuit-closed',
    },
  };

  it('has an event when it opens, fails a probe, half-opens, closes or is given up, and for no other change', () => {
    const all = ['none', ...Object.keys(states)];
    for (const before of all)
      for (const after of all) {
        const health = (circuits: Circuit[]) => ({ ...newHealth('c-1'), circuits });
        const events = healthEvents(health(circuitOf(before)), health(circuitOf(after)));
        const kind = reportedKinds[`${before} > ${after}`];
        const [circuit] = after === 'none' ? circuitOf(before) : circuitOf(after);
        const expected = kind === undefined ? [] : [{ kind, companyId: 'c-1', circuit }];
        expect([before, after, events]).toEqual([before, after, expected]);
      }
  });

  it('is the one named in its event when the company has other circuits', () => {
    const other: Circuit = { name: 'origin:11', url: 'https://partner.example', ...states['open']! };
    const [open, halfOpen] = [circuitOf('open'), circuitOf('half-open')];
    const health = (circuits: Circuit[]) => ({ ...newHealth('c-1'), circuits });
    const events = healthEvents(health([...open, other]), health([other, ...halfOpen]));
    expect(events).toEqual([{ kind: 'circuit-half-open', companyId: 'c-1', circuit: halfOpen[0] }]);
  });

  it.each([
    ['circuit-opened', 'open', 'warn', ['CircuitsOpened 1 Count', 'EndpointFailing 90 Seconds']],
    ['probe-failed', 'probed', 'warn', ['ProbesFailed 1 Count', 'EndpointFailing 90 Seconds']],
    ['circuit-half-open', 'half-open', 'info', ['CircuitsHalfOpen 1 Count']],
    ['circuit-closed', 'closed', 'info', ['CircuitsClosed 1 Count']],
    ['endpoint-disabled', 'given up', 'warn', ['EndpointsDisabled 1 Count']],
  ] as const)('is logged with its host, and counted, when its event is %s', (kind, state, level, metrics) => {
    reportHealth({ kind, companyId: 'c-1', circuit: circuitOf(state)[0]! });
    const failing = metrics.length > 1 ? { failingSeconds: 90 } : {};
    const line = { companyId: 'c-1', circuit: 'address:00', host: 'partner.example:8443', ...failing };
    expect(readReported()).toEqual({
      logged: [{ level, message: kind, ...line }],
      counted: [{ pipeline: 'deliveries', metrics }],
    });
  });
});

it('a drain counts what it sent, and how long the oldest has waited', () => {
  reportDrain({ drained: 7, oldestSeconds: 11 });
  const metrics = ['DeliveriesDrained 7 Count', 'BacklogAge 11 Seconds'];
  expect(readReported()).toEqual({ logged: [], counted: [{ pipeline: 'deliveries', metrics }] });
});
