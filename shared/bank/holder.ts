import type { Account } from '#shared/accounts/model.ts';
import { brazilianDocument } from '#shared/accounts/model.ts';
import { ownerBankOf } from './owner-bank.ts';
import type { Connected } from './connected.ts';
import type { KeyOwner, OwnRecords, UncheckedDirectory } from './ports/directory.ts';

/** The company's own account as the directory names it; undefined for a holder without CPF or CNPJ. */
export function holderOf(account: Account): KeyOwner | undefined {
  const document = brazilianDocument(account);
  return document && { name: account.fullName, document, bank: ownerBankOf(account).bank, accountId: account.id };
}

/** Looks up accounts at a bank that names no owners: only the company's own accounts of the connection are known. */
export function ownAccountAt(
  { connection }: Pick<Connected, 'connection'>,
  own: Pick<OwnRecords, 'accountAt'>,
): UncheckedDirectory['resolveAccount'] {
  return async (bank, { companyId }) => {
    const account = await own.accountAt(companyId, bank);
    return account !== undefined && connection.accounts[account.id] !== undefined ? holderOf(account) : undefined;
  };
}
