import * as z from 'zod';
import type { Centavos } from '../core/money.ts';
import { parseAmount } from '../core/money.ts';
import { numberText } from './json.ts';
import { customIssue } from './text.ts';

const form = 'Must be a decimal number above 0 with at most 10 digits before and 2 behind the point.';
const exponent = 'Must be written without an exponent, as 120.00 for 1.2E2.';

/** A caller's value of an amount, parsed to centavos: string or number (2.1). */
export const AmountValue = z
  .unknown()
  .transform((input, context): Centavos => {
    const text = typeof input === 'string' ? input : numberText(input);
    const centavos = text === undefined ? undefined : parseAmount(text);
    if (centavos !== undefined) return centavos;
    const issue = input === undefined ? 'REQUIRED' : text === undefined ? 'INVALID_TYPE' : 'INVALID_FORMAT';
    const description = issue === 'REQUIRED' ? 'Is required.' : /^\d.*e/iu.test(text ?? '') ? exponent : form;
    context.issues.push({ ...customIssue(issue, description), input });
    return z.NEVER;
  })
  .meta({
    openapi: {
      oneOf: [
        { type: 'string', pattern: '^(0\\.0[1-9]|0\\.[1-9][0-9]?|[1-9][0-9]{0,9}(\\.[0-9]{1,2})?)$' },
        { type: 'number', minimum: 0.01, maximum: 9_999_999_999.99 },
      ],
      description:
        'Above 0, at most 10 digits before and 2 behind the point: a text, or a JSON number written without exponent. ' +
        'It is read as it is written and never rounded.',
      examples: ['29.90', 29.9],
    },
  });

export const Currency = z.literal('BRL').meta({ description: 'The Brazilian real is the only currency.' });

/** The value of the service's amounts; the currency is a field beside it. */
export const Decimal = z
  .string()
  .regex(/^\d+\.\d{2}$/u)
  .meta({ description: 'Decimal text, always with two decimals.', examples: ['29.90'] });

/** The value of an amount that may be negative. */
export const SignedDecimal = z
  .string()
  .regex(/^-?\d+\.\d{2}$/u)
  .meta({ description: 'Decimal text, always with two decimals.', examples: ['-7.25'] });

/** A caller's amount, parsed to centavos: a decimal string or a JSON number (2.1). */
export const AmountInput = z
  .strictObject({ currency: Currency, value: AmountValue })
  .transform(({ value }): Centavos => value)
  .meta({ description: 'An amount of money.' });

/** The service's amounts: two decimals, as a string. */
export const Amount = z
  .strictObject({ currency: Currency, value: Decimal })
  .meta({ description: 'An amount of money.' });

/** How much of a received payment goes back. */
export const AmountToReturn = AmountInput.optional().meta({
  description: 'How much to return; all that is left when it is absent.',
  examples: [{ currency: 'BRL', value: '10.00' }],
});
