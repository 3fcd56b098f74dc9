import { epochMs } from '#shared/core/brasilia-time.ts';
import { nowMs } from '#shared/platform/clock.ts';
import { log } from '#shared/platform/log.ts';
import type { Metric, MetricName } from '#shared/platform/metrics.ts';
import { emit } from '#shared/platform/metrics.ts';
import type { LineEvent } from './dependencies.ts';

const counted: Readonly<Record<LineEvent['kind'], MetricName>> = {
  'circuit-opened': 'CircuitsOpened',
  'circuit-closed': 'CircuitsClosed',
  'probe-failed': 'ProbesFailed',
  'endpoint-given-up': 'EndpointsGivenUp',
  'let-out': 'DeliveriesLetOut',
};

/**
 * Log and metrics of a line; call it after the write. An endpoint is named by its host: the rest of it may hold a
 * secret.
 */
export function reportLine({ kind, line }: LineEvent): void {
  const { companyId, name, endpoint, open } = line;
  const atMs = nowMs();
  const failingSeconds = open === undefined ? undefined : Math.floor((atMs - epochMs(open.failingSince)) / 1000);
  if (kind !== 'let-out') {
    const host = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint).host : undefined;
    log(kind === 'circuit-closed' ? 'info' : 'warn', kind, { companyId, line: name, host, failingSeconds });
  }
  const failing: readonly Metric[] =
    failingSeconds === undefined ? [] : [{ name: 'EndpointFailing', unit: 'Seconds', value: failingSeconds }];
  emit(atMs, { pipeline: 'deliveries' }, [{ name: counted[kind], unit: 'Count', value: 1 }, ...failing]);
}
