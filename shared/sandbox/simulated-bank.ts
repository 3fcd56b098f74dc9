import type { Bank } from '../bank/bank.ts';
import { forbiddenByState } from '../core/errors.ts';

/**
 * Tools and clock stand for the simulated bank: of a company with a bank of its own that bank moves everything, by its
 * own time. A bank on this machine follows them.
 * @throws RequestError 409
 */
export async function requireMovable(
  { capabilities }: Pick<Bank, 'capabilities'>,
  companyId: string,
  field: string,
): Promise<'simulation' | 'tools'> {
  const { whoMoves } = await capabilities(companyId);
  if (whoMoves !== 'bank') return whoMoves;
  throw forbiddenByState(field, 'INVALID_VALUE', 'The company has a bank of its own: the bank moves it.');
}
