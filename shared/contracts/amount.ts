import * as z from 'zod';
import type { Centavos } from '../domain/money.ts';
import { parseAmount } from '../domain/money.ts';
import { numberText } from './json.ts';
import { fault } from './text.ts';

const FORM = 'Must be a decimal number above 0 with at most 10 digits before and 2 behind the point.';

const AmountValue = z
  .unknown()
  .transform((input, context): Centavos => {
    const text = typeof input === 'string' ? input : numberText(input);
    const centavos = text === undefined ? undefined : parseAmount(text);
    if (centavos !== undefined) return centavos;
    const issue = input === undefined ? 'REQUIRED' : text === undefined ? 'INVALID_TYPE' : 'INVALID_FORMAT';
    context.issues.push({ ...fault(issue, issue === 'REQUIRED' ? 'Is required.' : FORM), input });
    return z.NEVER;
  })
  .meta({
    openapi: {
      anyOf: [
        { type: 'string', pattern: '^(0|[1-9][0-9]{0,9})(\\.[0-9]{1,2})?$' },
        { type: 'number', exclusiveMinimum: 0 },
      ],
    },
  });

/** An amount as a caller writes it; parsed to centavos. `value` is a decimal string, or a JSON number (2.1). */
export const AmountInput = z
  .strictObject({ currency: z.literal('BRL'), value: AmountValue })
  .transform(({ value }): Centavos => value);

/** An amount as the service writes it: always two decimals, as a string. */
export const Amount = z.strictObject({ currency: z.literal('BRL'), value: z.string().regex(/^\d+\.\d{2}$/u) });
