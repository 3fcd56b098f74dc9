import type { PayIn } from './model.ts';
import type { Bank } from '../bank/bank.ts';
import type { Asking } from '../bank/outcome.ts';
import { BankUnavailable } from '../bank/outcome.ts';

/**
 * Removes the charge of a pay-in at the bank, before the pay-in is canceled: only the bank knows whether it is being
 * paid at this moment, and money for a canceled order would belong nowhere. True when nobody can pay it any more, also
 * when it was removed before; false when it is paid. A charge that is gone while the pay-in is still pending does no
 * harm: the repetition of the request cancels the pay-in, or it expires.
 * @throws BankUnavailable when the bank does not say.
 */
export async function removeCharge(
  { charges }: Pick<Bank, 'charges'>,
  { conciliationId }: PayIn,
  asking: Asking,
): Promise<boolean> {
  const { end } = await charges.remove(conciliationId, asking);
  if (end === 'DONE') return true;
  // Refused or unknown: what counts is what became of the charge.
  const found = await charges.find(conciliationId, asking);
  if (found.end === 'DONE' && found.facts.state === 'REMOVED') return true;
  if (end === 'REFUSED') return false;
  throw new BankUnavailable('It is not known whether the bank took the charge away.');
}
