import * as z from 'zod';
import { isUuid } from '../core/identifiers.ts';
import { isVisible } from '../core/visible.ts';

/** Returns a zod issue that carries an issue code of the API. */
export function customIssue(
  issue: string,
  message: string,
): { code: 'custom'; message: string; params: { issue: string } } {
  return { code: 'custom', message, params: { issue } };
}

/**
 * Invisible characters of the first Unicode plane, as ranges: JSON Schema advises against Unicode classes in patterns.
 */
const invisibleRanges =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb\\ufffd';
const patterns = {
  noBlanks: `^[^\\s${invisibleRanges}]+$`,
  outerBlanks: `^[^${invisibleRanges}]*[^\\s${invisibleRanges}][^${invisibleRanges}]*$`,
  trimmed: `^[^\\s${invisibleRanges}](?:[^${invisibleRanges}]*[^\\s${invisibleRanges}])?$`,
} as const;

/** Where a text may hold blanks; `outerBlanks`: anywhere. */
type Blanks = keyof typeof patterns;

/** Returns the reason why a text is invalid; undefined for a valid text. */
function textIssue(value: string, blanks: Blanks): string | undefined {
  if (value === '') return undefined;
  if (!isVisible(value)) return 'Must not contain control characters, invisible characters or broken surrogates.';
  if (value.trim() === '') return 'Must not be blank.';
  if (blanks === 'noBlanks' && /\s/u.test(value)) return 'Must not hold a blank.';
  return blanks === 'outerBlanks' || value.trim() === value ? undefined : 'Must not begin or end with a blank.';
}

/** Text of 1 to `max` visible characters. */
export function text(max: number, blanks: Blanks = 'outerBlanks'): z.ZodString {
  return z
    .string()
    .min(1)
    .max(max)
    .superRefine((value, context) => {
      const because = textIssue(value, blanks);
      if (because !== undefined) context.addIssue(customIssue('INVALID_FORMAT', because));
    })
    .meta({ openapi: { pattern: patterns[blanks] } });
}

export const ExternalId = text(64, 'trimmed').meta({
  description: 'Your own identifier. It names one resource of its kind: a second one is 409 `ALREADY_EXISTS`.',
  examples: ['invoice-2026-0042'],
});
export const Name = text(140).meta({ description: 'Full name or company name.', examples: ['Maria Souza'] });
export const Description = text(140).meta({
  description: 'Free text; the other side of the payment may see it.',
  examples: ['Mensalidade de janeiro'],
});

const exampleId = '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e00';

/**
 * Id of an order in a path, which the specification types as string. A text that is no UUID becomes an id that no order
 * has: 404.
 */
export const OrderIdInPath = z.string().overwrite((id) => (isUuid(id) ? id.toLowerCase() : '-'));

/** Any UUID, converted to lower case, so that an id has only one key. */
export const Uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u, 'Must be a UUID.')
  .transform((id) => id.toLowerCase())
  .meta({ format: 'uuid', openapi: { examples: [exampleId] } });

/** An id as the service writes it. */
export const Id = z.string().meta({ format: 'uuid', examples: [exampleId] });
export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)
  .meta({ format: 'date-time', description: 'UTC with milliseconds.', examples: ['2026-01-15T12:05:07.123Z'] });
