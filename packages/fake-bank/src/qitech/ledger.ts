import type { Account, Entry, Party } from './model.ts';
import { bankIspb } from './session.ts';
import type { Session } from './session.ts';

type Movement = Pick<Entry, 'account_key' | 'amount' | 'subtype' | 'origin_key'> & {
  /** The other account. */
  readonly other: Party;
};

/** Moves an account's balance by an entry of its statement. @param amount Centavos, negative for a debit. */
export function post(session: Session, { other, ...movement }: Movement): string {
  const { drawer, ids, now } = session;
  const account = drawer.find('account', movement.account_key);
  if (account === undefined) throw new Error(`The client has no account ${movement.account_key}.`);
  const own = partyOf(account);
  const [payer, receiver] = movement.amount < 0 ? [own, other] : [other, own];
  const balance = account.balance + movement.amount;
  const key = ids.uuid();
  drawer.save('account', account.account_key, { ...account, balance });
  drawer.save('entry', key, { ...movement, transaction_key: key, account_balance: balance, payer, receiver, at: now });
  return key;
}

/** Returns an account of this bank as a party of a payment. */
export function partyOf(account: Account): Party {
  const { account_branch, account_number, account_digit, owner_document_number, owner_name } = account;
  const owner = { owner_document_number, owner_name };
  return { account_branch, account_number, account_digit, account_type: 'checking_account', ...owner, ispb: bankIspb };
}

/** Returns the centavos of an account that are free. */
export function freeCents({ balance, blocked }: Account): number {
  return balance - blocked;
}
