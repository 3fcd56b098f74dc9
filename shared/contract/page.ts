import * as z from 'zod';
import { Moment } from './date.ts';
import { ExternalId, customIssue, text, Uuid } from './text.ts';

export const defaultLimit = 20;
const maxLimit = 100;

/** `limit` of a listing in the query: 1 to 100, default 20 (specification, 4.7). */
export const Limit = z
  .string()
  .transform((text, context): number => {
    const limit = /^\d{1,6}$/u.test(text) ? Number(text) : Number.NaN;
    if (limit >= 1 && limit <= maxLimit) return limit;
    const message = `Must be a whole number from 1 to ${String(maxLimit)}.`;
    context.issues.push({
      ...customIssue(Number.isNaN(limit) ? 'INVALID_TYPE' : 'OUT_OF_RANGE', message),
      input: text,
    });
    return z.NEVER;
  })
  .meta({
    description: 'How many a page holds at most.',
    openapi: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit, examples: [50] },
  });

/** `cursor` of a listing: `nextCursor` of the page before. */
export const Cursor = text(1024, 'noBlanks').meta({
  description: '`nextCursor` of the page before, with the same filters and `sort`; any other is 400.',
  examples: ['eyJ2IjoxLCJhdCI6Ii4uLiJ9.c2lnbmF0dXJl'],
});

export function statusNow<const T extends readonly string[]>(statuses: T) {
  return z.enum(statuses).optional().meta({ description: 'Only those that have this status now.' });
}

/** Filters of orders and subscriptions. */
export function recordFilters<const T extends readonly string[]>(statuses: T) {
  return {
    accountId: Uuid.optional().meta({ description: 'Only those of this account.' }),
    status: statusNow(statuses),
    externalId: ExternalId.meta({ description: 'Only the one that has this identifier of yours.' }).optional(),
  };
}

export const OfPayment = text(64, 'noBlanks')
  .optional()
  .meta({ description: 'Of the PIX payment.', examples: ['E12345678202601151205A1b2C3d4E5f'] });

export const createdBetween = {
  createdFrom: Moment.optional().meta({
    description: 'Created at this moment or later; any offset, its `+` as `%2B`.',
  }),
  createdTo: Moment.optional().meta({ description: 'Created before this moment; any offset, its `+` as `%2B`.' }),
};

/**
 * Returns the paging parameters of a listing.
 * @param by the time or date by which it is sorted
 */
export function pagedBy(by: string, standard: 'asc' | 'desc' = 'desc') {
  return {
    limit: Limit.optional(),
    sort: z
      .enum(['asc', 'desc'])
      .optional()
      .meta({ description: `Oldest (\`asc\`) or newest (\`desc\`) first, by ${by}.`, openapi: { default: standard } }),
    cursor: Cursor.optional(),
  };
}

/** Returns the schema of one page of a listing. All pages together hold every entry once. */
export function pageOf<T extends z.ZodType>(entry: T) {
  return z.strictObject({
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `cursor` for the next page; `null` on the last one.', examples: [null] }),
    hasNext: z.boolean().meta({ description: 'Whether there is more. Go by this, not by the length of a page.' }),
    data: z.array(entry).meta({ description: 'What this page holds.' }),
  });
}
