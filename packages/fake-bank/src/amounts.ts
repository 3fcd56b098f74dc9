/** An amount of API Pix 2.9: reais with two decimals, leading zeros allowed. */
export const amountShape = /^\d{1,10}\.\d{2}$/u;

/** Centavos of an amount of API Pix, `10.00`. @throws RangeError for any other text. */
export function cents(valor: string): number {
  if (!amountShape.test(valor)) throw new RangeError(`${valor} is not an amount of API Pix.`);
  return Number(valor.replace('.', ''));
}

/** Formats centavos as an amount such as `10.00`; a negative balance as `-10.00`. */
export function amountText(centavos: number): string {
  const digits = String(Math.abs(centavos)).padStart(3, '0');
  return `${centavos < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Returns centavos as a number of reais, as JSON of QI Tech has it: `8.86`. */
export function reais(centavos: number): number {
  return centavos / 100;
}

/** Returns the centavos of a number of reais; undefined for one with more than two decimals. */
export function centsOfReais(amount: number): number | undefined {
  const centavos = Math.round(amount * 100);
  return Number.isSafeInteger(centavos) && centavos / 100 === amount ? centavos : undefined;
}
