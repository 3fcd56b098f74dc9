import type { Account } from '../platform/ledger/account.ts';
import { brazilianDocument } from '../platform/ledger/account.ts';
import type { BankData } from '../core/party.ts';
import type { PixKey } from '../core/pix-key.ts';
import { recognisePixKey } from '../core/pix-key.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { keys } from '../platform/table/keys.ts';
import type { Put } from '../platform/table/store.ts';

/** By what an account is found, beside its id: what its holder is known by, and where it is. */
export type KnownBy = { readonly type: PixKey['type'] | 'DOCUMENT' | 'BANK_ACCOUNT'; readonly value: string };

/**
 * The items by which an account is found by its holder's document (a CPF or CNPJ also as the PIX key that it may be),
 * e-mail and phone, and by its bank, branch and number. Several accounts may share a key: their items stand side by
 * side in the order in which the accounts were opened, so none of them has to be looked for before another is written.
 * A key that its owner has confirmed is an item of this partition too, before all others.
 */
export function accountKeyInserts(hash: Hash, account: Account): readonly Put[] {
  const { companyId, id, createdAt } = account;
  return finderKeysOf(account).map(({ type, value }) => {
    const key = keys.accountKey(companyId, hash(companyId, type, value), createdAt, id);
    return { put: { ...key, entity: 'ACCOUNT_KEY', accountId: id }, when: { is: 'absent' } };
  });
}

function finderKeysOf(account: Account): readonly KnownBy[] {
  const { ispb, branchNumber: branch, accountNumber } = account.bankAccountData;
  const texts = [brazilianDocument(account)?.number, account.email, account.phone];
  return [
    ...texts.flatMap((text) => {
      const key = text === undefined ? undefined : recognisePixKey(text);
      return key === undefined ? [] : [{ type: key.type, value: key.key }];
    }),
    documentKey(account.document.number),
    bankAccountKey({ ispb, branch, account: accountNumber }),
  ];
}

/**
 * Who holds an account, whatever the kind of his document: letters in either case, without the marks between digits.
 */
export function documentKey(number: string): KnownBy {
  return { type: 'DOCUMENT', value: number.replaceAll(/[^0-9a-z]/giu, '').toUpperCase() };
}

/**
 * Where an account is, however branch and number are written: leading zeros and the marks before a check digit may be
 * left out.
 */
export function bankAccountKey({ ispb, branch = '', account }: BankData): KnownBy {
  const bare = (text: string): string =>
    text
      .replaceAll(/[.-]/gu, '')
      .replace(/^0+(?=.)/u, '')
      .toUpperCase();
  return { type: 'BANK_ACCOUNT', value: [ispb, bare(branch), bare(account)].join('/') };
}
