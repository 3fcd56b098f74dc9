import type * as z from 'zod';
import type { Centavos } from '#shared/core/money.ts';
import { addCentavos, parseDecimal } from '#shared/core/money.ts';
import type { LedgerEntryRecord } from '../contract.ts';

/**
 * By how much an entry changes what the account has at its bank: a reservation moves money within the account, and
 * changes nothing.
 */
export function totalOf({
  available,
  reserved,
  blocked,
}: Pick<z.output<typeof LedgerEntryRecord>, 'available' | 'reserved' | 'blocked'>): Centavos {
  return addCentavos(...[available, reserved, blocked].map(parseDecimal));
}
