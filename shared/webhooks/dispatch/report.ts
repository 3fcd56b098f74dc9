import { millisecondsBetween, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { isTest } from '#shared/platform/outbox/delivery.ts';
import type { CallResult, AttemptSource } from '../deliveries/states.ts';
import type { Circuit } from '../health/circuit.ts';
import type { CompanyHealth } from '../health/health.ts';
import type { ReceivedMessage } from './queue.ts';
import { nowMs, systemClock } from '#shared/platform/clock.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import type { LogFields } from '#shared/platform/log.ts';
import { log } from '#shared/platform/log.ts';
import type { MetricBy } from '#shared/platform/metrics.ts';
import { emit } from '#shared/platform/metrics.ts';

/** An event for log and metrics. `delivery`: the state after it. */
export type DeliveryEvent =
  | {
      readonly kind: 'attempt';
      readonly delivery: Delivery;
      readonly source: AttemptSource | ReceivedMessage;
      readonly result: CallResult;
    }
  | { readonly kind: 'first-call' | 'held' | 'deferred' | 'failed' | 'recording-lost'; readonly delivery: Delivery }
  | { readonly kind: 'passed-over'; readonly message: ReceivedMessage; readonly because: string };

const deliveryEvents = {
  held: ['info', 'Delivery held', 'DeliveriesHeld'],
  deferred: ['info', 'Delivery deferred to the backlog of its endpoint', 'DeliveriesDeferred'],
  failed: ['warn', 'Delivery failed', 'DeliveriesFailed'],
  'recording-lost': ['error', 'Cannot record an attempt', undefined],
} as const;

/**
 * Logs an event, except `first-call`, and writes its metrics. A partner's test of its endpoint raises no alarm. An
 * address may hold a secret: only its host is logged.
 */
export function report(event: DeliveryEvent): void {
  if (event.kind === 'passed-over') {
    const { because } = event;
    const { id: messageId, ...message } = event.message;
    log(because === 'absent' ? 'error' : 'info', 'Message skipped', { ...message, messageId, because });
    count('StaleMessages');
  } else if (event.kind === 'first-call') {
    const { createdAt, nextAttemptAt = createdAt, claim, backlog } = event.delivery;
    // The first call of a drain waited for the partner's endpoint, and a held delivery until its release.
    if (isTest(event.delivery) || backlog !== undefined) return;
    // The clocks of two machines differ, and CloudWatch has no percentiles of a metric with negative values.
    const value = Math.max(0, millisecondsBetween(nextAttemptAt, claim?.at ?? systemClock()));
    emit(nowMs(), 'worker', { worker: 'deliver-notification' }, [
      { name: 'DeliveryLatency', unit: 'Milliseconds', value },
    ]);
  } else if (event.kind === 'attempt') {
    reportAttempt(event);
    if (event.delivery.status === 'FAILED') report({ kind: 'failed', delivery: event.delivery });
  } else {
    const [level, text, metric] = deliveryEvents[event.kind];
    log(level, text, fieldsOf(event.delivery));
    if (metric !== undefined && !isTest(event.delivery)) count(metric);
  }
}

function reportAttempt({ delivery, source, result }: Extract<DeliveryEvent, { kind: 'attempt' }>): void {
  const attempt = delivery.attempts.length;
  const { outcome, error, httpStatus, durationMs } = result;
  const call = { attempt, outcome, error, httpStatus, durationMs, host: hostOf(delivery.endpoint) };
  const by = typeof source === 'string' ? { by: source } : { receives: source.receives };
  log('info', 'Delivery attempt ended', { ...fieldsOf(delivery), ...call, ...by, messageId: delivery.messageId });
  if (isTest(delivery)) return;
  emit(nowMs(), 'attempt', { outcome, attempt: String(attempt) }, [
    { name: 'DeliveryAttempts', unit: 'Count', value: 1 },
    { name: 'AttemptDuration', unit: 'Milliseconds', value: durationMs ?? 0 },
  ]);
}

function fieldsOf(delivery: Delivery): LogFields {
  const { companyId, id: deliveryId, event, status, dispatch, requestId } = delivery;
  return { companyId, deliveryId, event, status, dispatch, requestId };
}

function hostOf(endpoint = ''): string | undefined {
  return URL.parse(endpoint)?.host;
}

export function count(name: MetricBy<'worker'>, worker: WorkerName = 'deliver-notification'): void {
  emit(nowMs(), 'worker', { worker }, [{ name, unit: 'Count', value: 1 }]);
}

const circuitEvents = {
  'circuit-opened': ['warn', 'CircuitsOpened'],
  'circuit-half-open': ['info', 'CircuitsHalfOpen'],
  'circuit-closed': ['info', 'CircuitsClosed'],
  'probe-failed': ['warn', 'ProbesFailed'],
  'endpoint-disabled': ['warn', 'EndpointsDisabled'],
} as const;

/** An event for log and metrics. `circuit`: the state after it, or before it when it closed. */
export type HealthEvent = {
  readonly kind: keyof typeof circuitEvents;
  readonly companyId: string;
  readonly circuit: Circuit;
};

/** Returns the events of the circuits that a change of the health changed. */
export function healthEvents({ circuits: before }: CompanyHealth, after: CompanyHealth): readonly HealthEvent[] {
  const kindOf = (current: Circuit | undefined, next: Circuit | undefined): HealthEvent['kind'] | undefined => {
    const wasOpen = current?.state === 'OPEN';
    if (next?.state === 'OPEN')
      return !wasOpen ? 'circuit-opened' : next.probes > current.probes ? 'probe-failed' : undefined;
    if (next?.state === 'HALF_OPEN') return wasOpen ? 'circuit-half-open' : undefined;
    if (next?.state === 'HELD') return wasOpen && next.by === 'CIRCUIT' ? 'endpoint-disabled' : undefined;
    return current?.state === 'HALF_OPEN' ? 'circuit-closed' : undefined;
  };
  const names = [...new Set([...before, ...after.circuits].map(({ name }) => name))];
  return names.flatMap((name) => {
    const [current, next] = [before, after.circuits].map((circuits) =>
      circuits.find((candidate) => candidate.name === name),
    );
    const [kind, circuit] = [kindOf(current, next), next ?? current];
    return kind === undefined || circuit === undefined ? [] : [{ kind, companyId: after.companyId, circuit }];
  });
}

/** Logs the event of a circuit after its write, and writes its metrics. Only the host of the address is logged. */
export function reportHealth({ kind, companyId, circuit }: HealthEvent): void {
  const [level, name] = circuitEvents[kind];
  const failingSeconds =
    circuit.state === 'OPEN' ? Math.floor(secondsBetween(circuit.failingSince, systemClock())) : undefined;
  log(level, kind, { companyId, circuit: circuit.name, host: hostOf(circuit.url), failingSeconds });
  emit(nowMs(), 'deliveries', { pipeline: 'deliveries' }, [
    { name, unit: 'Count', value: 1 },
    ...(failingSeconds === undefined
      ? []
      : [{ name: 'EndpointFailing', unit: 'Seconds', value: failingSeconds } as const]),
  ]);
}

/** Deliveries sent by a drain since its last report, and the age of the oldest that waits for a working endpoint. */
export type DrainReport = { readonly drained: number; readonly oldestSeconds: number };

export function reportDrain({ drained, oldestSeconds }: DrainReport): void {
  emit(nowMs(), 'deliveries', { pipeline: 'deliveries' }, [
    { name: 'DeliveriesDrained', unit: 'Count', value: drained },
    { name: 'BacklogAge', unit: 'Seconds', value: oldestSeconds },
  ]);
}
