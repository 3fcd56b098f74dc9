export type Unit = 'Count' | 'Milliseconds' | 'Seconds';
export type Metric = { readonly name: string; readonly unit: Unit; readonly value: number };

export const METRIC_NAMESPACE = 'BankingOrderService';

/**
 * Writes metrics as one CloudWatch embedded-metric-format line: no call, no permission, no latency. Dimensions must be few
 * and bounded (a route, an outcome): each combination is a metric of its own. Epoch milliseconds are given by the caller's clock.
 */
export function emit(atMs: number, dimensions: Readonly<Record<string, string>>, metrics: readonly Metric[]): void {
  const values = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  const definition = {
    Namespace: METRIC_NAMESPACE,
    Dimensions: [Object.keys(dimensions)],
    Metrics: metrics.map(({ name, unit }) => ({ Name: name, Unit: unit })),
  };
  const line = { _aws: { Timestamp: atMs, CloudWatchMetrics: [definition] }, ...dimensions, ...values };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
