import * as z from 'zod';
import { fault, text } from './text.ts';

export const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** `limit` of a listing as it stands in the query: a whole number from 1 to 100, 20 if absent (specification, 4.7). */
export const Limit = z
  .string()
  .transform((text, context): number => {
    const limit = /^\d{1,6}$/u.test(text) ? Number(text) : Number.NaN;
    if (limit >= 1 && limit <= MAX_LIMIT) return limit;
    const message = `Must be a whole number from 1 to ${String(MAX_LIMIT)}.`;
    context.issues.push({ ...fault(Number.isNaN(limit) ? 'INVALID_TYPE' : 'OUT_OF_RANGE', message), input: text });
    return z.NEVER;
  })
  .meta({ openapi: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT } });

/** `cursor` of a listing: the `nextCursor` of the page before, with the same filters. */
export const Cursor = text(1024);

/** One page of a listing: exact, so that the pages of a walk hold everything once. */
export function pageOf<T extends z.ZodType>(entry: T) {
  return z.strictObject({ nextCursor: z.string().nullable(), hasNext: z.boolean(), data: z.array(entry) });
}
