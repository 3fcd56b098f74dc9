import type { Centavos } from '../core/money.ts';
import { formatAmount } from '../core/money.ts';

/** An Amount (2.1): two decimals, as a string. */
export function amountView(amount: Centavos): { currency: 'BRL'; value: string } {
  return { currency: 'BRL', value: formatAmount(amount) };
}
