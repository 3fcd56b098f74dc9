import * as z from 'zod';

/** A schema's fault, named by the issue that the API answers with. */
export function fault(issue: string, message: string): { code: 'custom'; message: string; params: { issue: string } } {
  return { code: 'custom', message, params: { issue } };
}

// Control characters and lone surrogates cannot be shown, signed and stored unchanged everywhere.
const CONTROL = /[\u0000-\u001f\u007f]/u;

/** Text of 1 to `max` characters, without control characters. */
export function text(max: number): z.ZodString {
  return z
    .string()
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed() && !CONTROL.test(value) && (value === '' || value.trim() !== ''), {
      error: 'Must not be blank, nor contain control characters or broken surrogates.',
      params: { issue: 'INVALID_FORMAT' },
    });
}

export const ExternalId = text(64);
export const Name = text(140);
export const Description = text(140);

/** Any UUID, in lower or upper case; kept in lower case, so that one id has one key. */
export const Uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u, 'Must be a UUID.')
  .transform((id) => id.toLowerCase())
  .meta({ format: 'uuid' });

/** What the service answers as an id. */
export const Id = z.string().meta({ format: 'uuid' });
export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)
  .meta({ format: 'date-time', description: 'UTC with milliseconds.' });
