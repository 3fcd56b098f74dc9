import * as z from 'zod';
import { isLocalDate } from '../domain/brasilia-time.ts';

/** A day of the calendar, `YYYY-MM-DD`, up to the year 2999: room for arithmetic behind every date that is accepted. */
export const LocalDate = z
  .string()
  .refine((text) => isLocalDate(text) && text < '3000-01-01', {
    error: 'Must be a date, YYYY-MM-DD.',
    params: { issue: 'INVALID_FORMAT' },
  })
  .meta({ format: 'date' });

/** A date as the service writes it. */
export const DateOnly = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/u)
  .meta({ format: 'date' });
