import * as z from 'zod';

/** One number of the bench, as docs/benchmarks.json keeps it: the median of its rounds, and the outermost of them. */
export const Figure = z.strictObject({
  what: z.string(),
  /** Connections, or how many there are of everything. */
  at: z.int().optional(),
  unit: z.string(),
  median: z.number(),
  low: z.number(),
  high: z.number(),
  /** What it is compared with: a floor, or a smaller size, of the same run. */
  against: z.strictObject({ what: z.string(), median: z.number() }).optional(),
  /** `median` by that of `against`. */
  ratio: z.number().optional(),
  /**
   * An absolute target was set on one machine: the figure by the floor of this run, and what the target is by the floor
   * of that machine. It explains the verdict and does not change it.
   */
  byFloor: z.strictObject({ value: z.number(), target: z.number(), of: z.string() }).optional(),
  /** Who of several that work for one thing; its figures are a table of their own. */
  part: z.string().optional(),
  /** What explains it, measured beside it. */
  beside: z.string().optional(),
  target: z
    .strictObject({ of: z.enum(['median', 'ratio']), atMost: z.number().optional(), atLeast: z.number().optional() })
    .optional(),
});
export type Figure = z.infer<typeof Figure>;

export const Results = z.strictObject({
  /** A quick run has small sizes and one round. */
  scale: z.enum(['full', 'quick', 'smoke']),
  machine: z.string(),
  versions: z.string(),
  date: z.string(),
  seconds: z.number(),
  rows: z.array(z.strictObject({ row: z.int(), figures: z.array(Figure) })),
});
export type Results = z.infer<typeof Results>;

type Described = Omit<Figure, 'median' | 'low' | 'high' | 'ratio' | 'against'> & {
  readonly against?: { readonly what: string; readonly rounds: readonly number[] };
};

/** A figure of several rounds; where it is compared, each side by its median. */
export function figureOf(rounds: readonly number[], { against, ...described }: Described): Figure {
  const value = median(rounds);
  const compared = against && { what: against.what, median: tidy(median(against.rounds)) };
  return {
    ...described,
    median: tidy(value),
    low: tidy(Math.min(...rounds)),
    high: tidy(Math.max(...rounds)),
    ...(against && compared && { against: compared, ratio: tidy(value / median(against.rounds)) }),
  };
}

/** Whether a figure is as good as was aimed at; undefined where nothing was. */
export function isMet({ target, median: value, ratio }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  const judged = target.of === 'ratio' ? (ratio ?? Number.NaN) : value;
  return judged <= (target.atMost ?? Infinity) && judged >= (target.atLeast ?? -Infinity);
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Of sorted values the one below which that part of them is. NaN without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Three digits say all that a measurement knows. */
export function tidy(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
