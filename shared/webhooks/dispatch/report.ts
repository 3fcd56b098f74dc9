import { epochMs, millisecondsBetween } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { Backlog } from '../backlog/model.ts';
import type { CallResult } from '../deliveries/states.ts';
import type { ReceivedMessage } from './queue.ts';
import { nowMs } from '#shared/platform/clock.ts';
import type { LogFields } from '#shared/platform/log.ts';
import { log } from '#shared/platform/log.ts';
import type { Metric, MetricName } from '#shared/platform/metrics.ts';
import { emit } from '#shared/platform/metrics.ts';

/** An event for log and metrics. `delivery`: the state after it. */
export type DeliveryEvent =
  | {
      readonly kind: 'attempt';
      readonly delivery: Delivery;
      readonly message: ReceivedMessage;
      readonly result: CallResult;
    }
  | { readonly kind: 'first-call' | 'held' | 'deferred' | 'failed' | 'recording-lost'; readonly delivery: Delivery }
  | { readonly kind: 'passed-over'; readonly message: ReceivedMessage; readonly because: string };

const reported = {
  held: ['info', 'delivery held', 'DeliveriesHeld'],
  deferred: ['info', 'delivery waits for its endpoint', 'DeliveriesDeferred'],
  failed: ['warn', 'delivery failed', 'DeliveriesFailed'],
  'recording-lost': ['error', 'attempt not recorded', undefined],
} as const;

/** One log line for each attempt, and the metrics of the alarms. An address may hold a secret: it logs the host. */
export function report(event: DeliveryEvent): void {
  switch (event.kind) {
    case 'passed-over': {
      const { because } = event;
      const { id: messageId, ...message } = event.message;
      log(because === 'absent' ? 'error' : 'info', 'message passed over', { ...message, messageId, because });
      count('StaleMessages');
      return;
    }
    case 'first-call': {
      const { createdAt, claim } = event.delivery;
      const value = claim === undefined ? nowMs() - epochMs(createdAt) : millisecondsBetween(createdAt, claim.at);
      const latency: Metric = { name: 'DeliveryLatency', unit: 'Milliseconds', value };
      emit(nowMs(), { worker: 'deliver-notification' }, [latency]);
      return;
    }
    case 'attempt':
      reportAttempt(event);
      if (event.delivery.status === 'FAILED') report({ kind: 'failed', delivery: event.delivery });
      return;
    default: {
      const [level, text, metric] = reported[event.kind];
      log(level, text, fieldsOf(event.delivery));
      if (metric !== undefined) count(metric);
    }
  }
}

function reportAttempt({ delivery, message, result }: Extract<DeliveryEvent, { kind: 'attempt' }>): void {
  const attempt = delivery.attempts.length;
  const { outcome, error, httpStatus, durationMs } = result;
  const call = { attempt, outcome, error, httpStatus, durationMs, host: hostOf(delivery.endpoint) };
  const { receives, id: messageId } = message;
  log('info', 'delivery attempt', { ...fieldsOf(delivery), ...call, receives, messageId });
  emit(nowMs(), { outcome, attempt: String(attempt) }, [
    { name: 'DeliveryAttempts', unit: 'Count', value: 1 },
    { name: 'AttemptDuration', unit: 'Milliseconds', value: durationMs ?? 0 },
  ]);
}

function fieldsOf(delivery: Delivery): LogFields {
  const { companyId, id: deliveryId, event, status, dispatch, requestId } = delivery;
  return { companyId, deliveryId, event, status, dispatch, requestId };
}

function hostOf(endpoint: string | undefined): string | undefined {
  return endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint).host : undefined;
}

export function count(name: MetricName): void {
  emit(nowMs(), { worker: 'deliver-notification' }, [{ name, unit: 'Count', value: 1 }]);
}

/** An event for log and metrics. `backlog`: the state after it. */
export type BacklogEvent = {
  readonly kind: 'circuit-opened' | 'circuit-closed' | 'probe-failed' | 'endpoint-disabled' | 'delivery-released';
  readonly backlog: Backlog;
};

const counted: Readonly<Record<BacklogEvent['kind'], MetricName>> = {
  'circuit-opened': 'CircuitsOpened',
  'circuit-closed': 'CircuitsClosed',
  'probe-failed': 'ProbesFailed',
  'endpoint-disabled': 'EndpointsDisabled',
  'delivery-released': 'DeliveriesReleased',
};

/** Log and metrics of a backlog, after its write. Of the address only the host is logged, as above. */
export function reportBacklog({ kind, backlog }: BacklogEvent): void {
  const { companyId, name, endpoint, open } = backlog;
  const atMs = nowMs();
  const failingSeconds = open === undefined ? undefined : Math.floor((atMs - epochMs(open.failingSince)) / 1000);
  if (kind !== 'delivery-released') {
    const fields = { companyId, backlog: name, host: hostOf(endpoint), failingSeconds };
    log(kind === 'circuit-closed' ? 'info' : 'warn', kind, fields);
  }
  const failing: readonly Metric[] =
    failingSeconds === undefined ? [] : [{ name: 'EndpointFailing', unit: 'Seconds', value: failingSeconds }];
  emit(atMs, { pipeline: 'deliveries' }, [{ name: counted[kind], unit: 'Count', value: 1 }, ...failing]);
}
