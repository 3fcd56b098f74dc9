import * as z from 'zod';

const settingsShape = z
  .array(
    z.object({
      HttpMethod: z.string(),
      ResourcePath: z.string(),
      ThrottlingRateLimit: z.number().optional(),
      ThrottlingBurstLimit: z.number().optional(),
    }),
  )
  .default([]);

/** Says whether a request may pass. */
export type Throttle = (method: string, resourcePath: string) => boolean;

type Bucket = {
  readonly rate: number;
  readonly burst: number;
  tokens: number;
  filledAt: number;
};

/**
 * Token buckets of a stage's method settings: one for the stage (`*`, `/*`), one for each method with limits of its
 * own. Without limits everything passes.
 *
 * @param clock Milliseconds, monotonic.
 */
export function readThrottle(methodSettings: unknown, clock: () => number = () => performance.now()): Throttle {
  const buckets = new Map<string, Bucket>();
  for (const settings of settingsShape.parse(methodSettings ?? [])) {
    const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = settings;
    if (rate === undefined && burst === undefined) continue;
    const size = burst ?? rate ?? 0;
    buckets.set(bucketKey(settings.HttpMethod, pathOf(settings.ResourcePath)), {
      rate: rate ?? size,
      burst: size,
      tokens: size,
      filledAt: clock(),
    });
  }
  return (method, resourcePath) => {
    const bucket = buckets.get(bucketKey(method, resourcePath)) ?? buckets.get(bucketKey('*', '/*'));
    return bucket === undefined || take(bucket, clock());
  };
}

function take(bucket: Bucket, now: number): boolean {
  bucket.tokens = Math.min(bucket.burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * bucket.rate);
  bucket.filledAt = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

const bucketKey = (method: string, path: string): string => `${method} ${path}`;

/** In method settings the path's slashes are written `~1` after the first. */
const pathOf = (resourcePath: string): string =>
  resourcePath === '/*' ? resourcePath : `/${resourcePath.slice(1).replaceAll('~1', '/')}`.replace('//', '/');
