import * as z from 'zod';
import { MalformedJson, numberText, parseJson } from '#shared/contract/json.ts';
import type { Centavos } from '#shared/core/money.ts';
import { formatAmount, parseAmount, parseSignedAmount } from '#shared/core/money.ts';

/** Returns a value that `JSON.stringify` writes as this text. Assertion: Node has it, and TypeScript no type yet. */
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => object };

/** Returns the amount as a JSON number of reais with two decimals: no binary floating point has it. */
export function reais(amount: Centavos): object {
  return rawJSON(formatAmount(amount));
}

/** Reads the JSON of the bank, its numbers by their own text. Undefined for other text, and for a member twice. */
export function qitechJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof MalformedJson) return undefined;
    throw error;
  }
}

function amountShape(parse: (text: string) => Centavos | undefined) {
  return z.unknown().transform((value, context) => {
    const text = numberText(value);
    const amount = text === undefined ? undefined : parse(text);
    if (amount !== undefined) return amount;
    context.addIssue('must be a number of reais');
    return z.NEVER;
  });
}

/** A JSON number of reais above zero, with two decimals at most, as centavos. */
export const Reais = amountShape(parseAmount);
/** The same, also zero or below. */
export const SignedReais = amountShape(parseSignedAmount);
