import type { Account } from '../platform/ledger/account.ts';
import { bankByIspb } from '../core/bank-directory.ts';
import type { OwnerBank } from '../core/party.ts';

/** An account of the company as notifications show it: a copy made when the order is created. */
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
