import type { Account } from '#shared/accounts/model.ts';
import { brazilianDocument } from '#shared/accounts/model.ts';
import { ownerBankOf } from './owner-bank.ts';
import type { KeyOwner } from './ports/directory.ts';

/** The company's own account as the directory names it; undefined for a holder without CPF or CNPJ. */
export function holderOf(account: Account): KeyOwner | undefined {
  const document = brazilianDocument(account);
  return document && { name: account.fullName, document, bank: ownerBankOf(account).bank, accountId: account.id };
}
