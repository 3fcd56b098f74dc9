/** Values of one minute by metric: one for each point that was written. */
export type Points = ReadonlyMap<string, readonly number[]>;

/** The key of a metric of a namespace in points. */
export function metricKey(namespace: string, name: string, dimensions: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).toSorted()]);
}

/** Reads the points that CloudWatch takes from lines in its embedded metric format. */
export function emittedPoints(lines: readonly string[]): Points {
  const points = new Map<string, readonly number[]>();
  for (const line of lines) {
    const one = JSON.parse(line) as Record<string, unknown> & {
      _aws?: {
        CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[];
      };
    };
    for (const { Namespace, Dimensions, Metrics } of one._aws?.CloudWatchMetrics ?? []) {
      const dimensions = Object.fromEntries((Dimensions[0] ?? []).map((name) => [name, String(one[name])]));
      for (const { Name } of Metrics) {
        const key = metricKey(Namespace, Name, dimensions);
        points.set(key, [...(points.get(key) ?? []), ...[one[Name]].flat().map(Number)]);
      }
    }
  }
  return points;
}
