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
