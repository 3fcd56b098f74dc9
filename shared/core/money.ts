declare const unit: unique symbol;

/** A whole number of centavos of BRL. Negative only in differences and ledger entries. */
export type Centavos = number & { readonly [unit]: 'centavos' };

/** Digits of the biggest amount the Pix arrangement writes: 9 999 999 999.99. */
const amountGrammar = /^(0|[1-9][0-9]{0,9})(?:\.([0-9]{1,2}))?$/;

/** The biggest amount that one order can carry (`\d{1,10}\.\d{2}` in the BCB's Pix API). */
export const maxAmount = centavos(999_999_999_999);

/**
 * A number already counted in centavos.
 *
 * @throws RangeError when it is not a whole number that a double holds exactly: such a number is a bug, not an input.
 */
export function centavos(count: number): Centavos {
  if (!Number.isSafeInteger(count)) throw new RangeError(`Not a whole number of centavos: ${count}`);
  // Adding zero turns -0 into 0, which would be stored and compared as another value. The unit is given here alone: an
  // assertion is the only way to it.
  return (count + 0) as Centavos;
}

/**
 * Centavos of a decimal text such as `10`, `10.5` or `10.00`; `undefined` when the text is not an amount above zero.
 * The digits are read as integers: no value passes through a binary fraction.
 */
export function parseAmount(text: string): Centavos | undefined {
  const match = amountGrammar.exec(text);
  if (!match) return undefined;
  const [, reais = '', fraction = ''] = match;
  const count = Number(reais) * 100 + Number(fraction.padEnd(2, '0'));
  return count > 0 ? centavos(count) : undefined;
}

/** The amount as every answer and notification writes it: always two decimals, no thousands separator (`1234.50`). */
export function formatAmount(amount: Centavos): string {
  const digits = String(Math.abs(amount)).padStart(3, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The sum; of nothing, zero. Throws RangeError when it is no longer exact. */
export function addCentavos(...amounts: readonly Centavos[]): Centavos {
  return amounts.reduce((sum, amount) => centavos(sum + amount), centavos(0));
}

/** What is left of the first amount; negative when the second is bigger. */
export function subtractCentavos(amount: Centavos, taken: Centavos): Centavos {
  return centavos(amount - taken);
}
