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

/** What log and metrics report. `delivery` is its state afterwards. */
export type DeliveryEvent =
  | {
      readonly kind: 'attempt';
      readonly delivery: Delivery;
      readonly message: ReceivedMessage;
      readonly result: CallResult;
    }
  | { readonly kind: 'first-call' | 'held' | 'deferred' | 'failed' | 'recording-lost'; readonly delivery: Delivery }
  | { readonly kind: 'passed-over'; readonly message: ReceivedMessage; readonly because: string };

/**
 * One log line for each attempt, and the metrics of the alarms. Of an address only the host: the rest may hold a
 * secret.
 */
export function report(event: DeliveryEvent): void {
  switch (event.kind) {
    case 'passed-over': {
      const { id: messageId, ...message } = event.message;
      log(event.because === 'absent' ? 'error' : 'info', 'message passed over', {
        ...message,
        messageId,
        because: event.because,
      });
      count('StaleMessages');
      return;
    }
    case 'first-call':
      emit(nowMs(), { worker: 'deliver-notification' }, [latency('DeliveryLatency', event.delivery)]);
      return;
    case 'held':
      log('info', 'delivery held', fieldsOf(event.delivery));
      count('DeliveriesHeld');
      return;
    case 'deferred':
      log('info', 'delivery waits for its endpoint', fieldsOf(event.delivery));
      count('DeliveriesDeferred');
      return;
    case 'failed':
      log('warn', 'delivery failed', fieldsOf(event.delivery));
      count('DeliveriesFailed');
      return;
    case 'recording-lost':
      log('error', 'attempt not recorded', fieldsOf(event.delivery));
      return;
    case 'attempt':
      attemptFields(event);
  }
}

function attemptFields({ delivery, message, result }: Extract<DeliveryEvent, { kind: 'attempt' }>): void {
  const attempt = delivery.attempts.length;
  const { outcome, error, httpStatus, durationMs } = result;
  const call = { attempt, outcome, error, httpStatus, durationMs, host: hostOf(delivery.endpoint) };
  const { receives, id: messageId } = message;
  log('info', 'delivery attempt', { ...fieldsOf(delivery), ...call, receives, messageId });
  const duration: Metric = { name: 'AttemptDuration', unit: 'Milliseconds', value: durationMs ?? 0 };
  emit(nowMs(), { outcome, attempt: String(attempt) }, [
    { name: 'DeliveryAttempts', unit: 'Count', value: 1 },
    duration,
  ]);
  if (delivery.status === 'FAILED') {
    log('warn', 'delivery failed', fieldsOf(delivery));
    count('DeliveriesFailed');
  }
}

function fieldsOf(delivery: Delivery): LogFields {
  const { companyId, id: deliveryId, event, status, dispatch, requestId } = delivery;
  return { companyId, deliveryId, event, status, dispatch, requestId };
}

function latency(name: MetricName, { createdAt, claim }: Delivery): Metric {
  const value = claim === undefined ? nowMs() - epochMs(createdAt) : millisecondsBetween(createdAt, claim.at);
  return { name, unit: 'Milliseconds', value };
}

function hostOf(endpoint: string | undefined): string | undefined {
  return endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint).host : undefined;
}

export function count(name: MetricName): void {
  emit(nowMs(), { worker: 'deliver-notification' }, [{ name, unit: 'Count', value: 1 }]);
}

/** `backlog` is the state after it. */
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

/**
 * Log and metrics of a backlog; call it after the write. An endpoint is named by its host: the rest of it may hold a
 * secret.
 */
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
