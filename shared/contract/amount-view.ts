import type { Centavos } from '../core/money.ts';
import { formatAmount } from '../core/money.ts';

/** Centavos as the API writes an Amount (2.1): always two decimals, as a string. */
export function amountView(amount: Centavos): { currency: 'BRL'; value: string } {
  return { currency: 'BRL', value: formatAmount(amount) };
}
