import { bankByIspb } from '../core/bank-directory.ts';
import type { Counterpart } from '../core/party.ts';
import type { Subscription } from '../subscriptions/model.ts';
import { expectedPayerOf } from '../subscriptions/model.ts';

/**
 * Who pays the charges of a subscription: the payer whom the bank named when it was accepted, with their account if the
 * bank told it. Where it named nobody, or gave another document without a name, the expected payer is shown without an
 * account: a name is never joined to somebody else's document or account.
 */
export function chargePayer(subscription: Subscription): Counterpart {
  const expected = expectedPayerOf(subscription);
  const { payer } = subscription;
  const known = payer?.document.number === expected.document.number ? expected.name : undefined;
  const name = payer?.name ?? known;
  if (payer === undefined || name === undefined) return expected;
  const { document, bankData } = payer;
  if (bankData === undefined) return { name, document };
  const { ispb, branchNumber, accountNumber: account } = bankData;
  const institution = bankByIspb(ispb);
  return {
    name,
    document,
    bank: {
      ispb,
      ...(institution && { name: institution.name, code: institution.code }),
      ...(branchNumber !== undefined && { branch: branchNumber }),
      account,
    },
  };
}
