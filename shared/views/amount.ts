import type { Centavos } from '../domain/money.ts';
import { formatAmount } from '../domain/money.ts';

/** Centavos as the API writes an Amount (2.1): always two decimals, as a string. */
export function amountView(amount: Centavos): { currency: 'BRL'; value: string } {
  return { currency: 'BRL', value: formatAmount(amount) };
}
