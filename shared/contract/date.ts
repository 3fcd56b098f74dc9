import * as z from 'zod';
import { isLocalDate, parseInstant } from '../core/brasilia-time.ts';
import { customIssue } from './text.ts';

/** A day, `YYYY-MM-DD`, up to 2999: later dates must be computable. */
export const LocalDate = z
  .string()
  .refine((text) => isLocalDate(text) && text < '3000-01-01', {
    error: 'Must be a date, YYYY-MM-DD.',
    params: { issue: 'INVALID_FORMAT' },
  })
  .meta({ format: 'date', openapi: { pattern: '^(19|2[0-9])[0-9]{2}-[0-9]{2}-[0-9]{2}$', examples: ['2030-01-10'] } });

export const DateOnly = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/u)
  .meta({ format: 'date', description: 'A day in Brasilia.', examples: ['2030-01-10'] });

/** A caller's RFC 3339 time with any offset, parsed to UTC. */
export const Moment = z
  .string()
  .transform((text, context): string => {
    const instant = parseInstant(text);
    if (instant !== undefined) return instant;
    const message = 'Must be a date and time with an offset, such as 2026-01-15T12:00:00Z.';
    context.issues.push({ ...customIssue('INVALID_FORMAT', message), input: text });
    return z.NEVER;
  })
  .meta({
    format: 'date-time',
    openapi: {
      pattern: '^(19[0-9]{2}|[2-9][0-9]{3})-',
      examples: ['2026-01-15T09:00:00-03:00', '2026-01-15T12:00:00Z'],
    },
  });
