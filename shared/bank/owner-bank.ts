import type { Account } from '#shared/accounts/model.ts';
import { bankByIspb } from '../core/bank-directory.ts';
import type { OwnerBank } from '../core/party.ts';

/** Returns the company's account for notifications: the order keeps this copy from its creation. */
export function ownerBankOf({
  fullName,
  document,
  bankAccountData,
}: Pick<Account, 'fullName' | 'document' | 'bankAccountData'>): OwnerBank {
  const { ispb, bankNumber, branchNumber, accountNumber, accountType } = bankAccountData;
  const bank = bankByIspb(ispb);
  const code = bankNumber ?? bank?.code;
  return {
    name: fullName,
    document: document.number,
    bank: {
      ispb,
      ...(bank && { name: bank.name }),
      branch: branchNumber,
      account: accountNumber,
      accountType,
      ...(code !== undefined && { code }),
    },
  };
}
