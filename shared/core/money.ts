declare const unit: unique symbol;

/** A whole number of centavos of BRL. Negative only in differences and ledger entries. */
export type Centavos = number & { readonly [unit]: 'centavos' };

/** At most ten digits of reais, as in the BCB's API Pix. */
const amountGrammar = /^(0|[1-9][0-9]{0,9})(?:\.([0-9]{1,2}))?$/;

/** The largest amount of one order (`\d{1,10}\.\d{2}` in the BCB's API Pix). */
export const maxAmount = centavos(999_999_999_999);

/** A number of centavos. @throws RangeError unless it is a safe integer */
export function centavos(count: number): Centavos {
  if (!Number.isSafeInteger(count)) throw new RangeError(`Invalid number of centavos (whole number): ${count}`);
  // Adding zero turns -0 into 0. The one assertion that gives the unit.
  return (count + 0) as Centavos;
}

/**
 * Parses a decimal text such as `10`, `10.5` or `10.00` as centavos, without floating point; undefined unless it is
 * above zero.
 */
export function parseAmount(text: string): Centavos | undefined {
  const match = amountGrammar.exec(text);
  if (!match) return undefined;
  const [, reais, fraction = ''] = match;
  const count = Number(reais) * 100 + Number(fraction.padEnd(2, '0'));
  return count > 0 ? centavos(count) : undefined;
}

/** Parses a decimal text that may be zero or negative, as of a balance; undefined for any other text. */
export function parseSignedAmount(text: string): Centavos | undefined {
  if (/^-?0+(\.0+)?$/u.test(text)) return centavos(0);
  const amount = parseAmount(text.replace(/^-/u, ''));
  return amount !== undefined && text.startsWith('-') ? subtractCentavos(centavos(0), amount) : amount;
}

/** The amount with two decimals and no thousands separator (`1234.50`). */
export function formatAmount(amount: Centavos): string {
  const digits = String(Math.abs(amount)).padStart(3, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Parses what `formatAmount` writes, of any sign. @throws RangeError for another text */
export function parseDecimal(text: string): Centavos {
  if (!/^-?\d+\.\d{2}$/u.test(text)) throw new RangeError('Not an amount with two decimals.');
  return centavos(Number(text.replace('.', '')));
}

/** An Amount (2.1): two decimals, as a string. */
export function amountView(amount: Centavos): { currency: 'BRL'; value: string } {
  return { currency: 'BRL', value: formatAmount(amount) };
}

/** The sum, zero for nothing. @throws RangeError when it is not exact */
export function addCentavos(...amounts: readonly Centavos[]): Centavos {
  return amounts.reduce((sum, amount) => centavos(sum + amount), centavos(0));
}

/** Subtracts `taken` from `amount`; negative when `taken` is larger. */
export function subtractCentavos(amount: Centavos, taken: Centavos): Centavos {
  return centavos(amount - taken);
}
