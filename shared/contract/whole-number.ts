import * as z from 'zod';
import { numberText } from './json.ts';
import { customIssue } from './text.ts';

/**
 * Bounds of a whole number. `default` and `examples` are only for the document: the fingerprint covers the request as
 * sent.
 */
type Bounds = {
  readonly min: number;
  readonly max: number;
  readonly default?: number;
  readonly examples?: readonly number[];
};

/**
 * Returns the schema of a whole number in a JSON body, bounds included. It also takes `60.0` (JSON Schema 2020-12,
 * 6.1.1). It rejects an exponent as a probable mistake.
 */
export function wholeNumber({ min, max, examples = [Math.max(min, 60)], ...documented }: Bounds) {
  return z
    .unknown()
    .transform((input, context): number => {
      const [, digits] = /^(-?\d+)(?:\.0+)?$/u.exec(numberText(input) ?? '') ?? [];
      const value = Number(digits);
      if (value >= min && value <= max) return value + 0;
      const issue = input === undefined ? 'REQUIRED' : digits === undefined ? 'INVALID_TYPE' : 'OUT_OF_RANGE';
      const form = `Must be a whole number from ${String(min)} to ${String(max)}, without quotes, fraction or exponent.`;
      context.issues.push({ ...customIssue(issue, issue === 'REQUIRED' ? 'Is required.' : form), input });
      return z.NEVER;
    })
    .meta({ openapi: { type: 'integer', minimum: min, maximum: max, examples, ...documented } });
}
