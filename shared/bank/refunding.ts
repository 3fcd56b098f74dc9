import { forbiddenByState } from '../core/errors.ts';
import type { Bank } from './bank.ts';

/** @throws RequestError 409 when the bank that holds the money cannot return it by itself */
export async function requireRefunding(
  bank: Pick<Bank, 'capabilities'>,
  companyId: string,
  connection: string | undefined,
): Promise<void> {
  const { refunds } = await bank.capabilities(companyId, connection);
  if (!refunds) throw forbiddenByState('id', 'INVALID_VALUE', 'The bank of the account makes no refunds.');
}
