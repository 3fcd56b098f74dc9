import type { Account } from '#shared/accounts/model.ts';
import { bankByIspb } from '../core/bank-directory.ts';
import type { OwnerBank } from '../core/party.ts';

/** The company's account in notifications: a copy from the creation of the order. */
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
