import type {
  Account,
  AccountStatus,
  Balance,
  BankAccountType,
  HolderDocument,
  HolderType,
} from '../../shared/domain/account.ts';
import { accountMovesFrom } from '../../shared/domain/account.ts';
import { bankByIspb } from '../../shared/domain/bank.ts';
import type { Instant } from '../../shared/domain/brasilia-time.ts';
import type { Centavos } from '../../shared/domain/money.ts';
import { centavos } from '../../shared/domain/money.ts';
import { forbiddenByState, notFound, transitionNotAllowed } from '../../shared/domain/refusal.ts';
import { accountCreation, accountStatusWrites, parseAccount, readAccount } from '../../shared/persistence/accounts.ts';
import { commit, replayOf } from '../../shared/persistence/commit.ts';
import { keys, listPartition } from '../../shared/persistence/keys.ts';
import { readBalance } from '../../shared/persistence/ledger.ts';
import type { Item } from '../../shared/persistence/store.ts';
import type { Partner } from './partner.ts';

export type NewAccount = {
  readonly companyId: string;
  readonly accountId?: string | undefined;
  readonly status?: AccountStatus | undefined;
  readonly holderType: HolderType | null;
  readonly fullName: string;
  readonly email: string;
  readonly phone: string;
  readonly document: HolderDocument;
  readonly ispb: string;
  readonly branchNumber?: string | undefined;
  readonly accountNumber?: string | undefined;
  readonly accountType?: BankAccountType | undefined;
  readonly pixTransactionLimit?: Centavos | undefined;
  readonly openingBalance?: Centavos | undefined;
  /** When the account was opened, if not now. */
  readonly createdAt?: Instant | undefined;
};

/** @throws Refusal when the company is unknown or has an account of this id. */
export async function createAccount({ store, ids, now }: Partner, wanted: NewAccount): Promise<Account> {
  const {
    companyId,
    ispb,
    branchNumber = '0001',
    accountNumber = ids.digits(8),
    accountType = 'PAYMENT_ACCOUNT',
  } = wanted;
  const { accountId = ids.uuid(), createdAt = now(), status = 'ACTIVE', pixTransactionLimit } = wanted;
  const { holderType, fullName, email, phone, document } = wanted;
  const bankNumber = bankByIspb(ispb)?.code;
  const account: Account = {
    ...{ id: accountId, companyId, status, holderType, fullName, email, phone, document, createdAt },
    bankAccountData: {
      ispb,
      ...(bankNumber !== undefined && { bankNumber }),
      ...{ branchNumber, accountNumber, accountType, createdAt },
    },
    ...(pixTransactionLimit !== undefined && { pixTransactionLimit }),
  };
  const opening = { amount: wanted.openingBalance ?? centavos(0), entryId: ids.uuid(), at: createdAt };
  const known = { check: keys.company(companyId), when: { is: 'present' as const } };
  const outcome = await store.write([known, ...accountCreation(account, opening)], ids.uuid());
  if (outcome.ok) return account;
  if (outcome.failed.some(({ index }) => index === 0)) throw notFound('Company');
  throw forbiddenByState('account', 'ALREADY_EXISTS', `The company has an account ${accountId} already.`);
}

/** Asked for the status that it has, an account stays as it is. @throws Refusal on a move that does not exist, as out of `CLOSED`. */
export async function setAccountStatus(
  { store, ids, now }: Partner,
  wanted: { readonly companyId: string; readonly accountId: string; readonly status: AccountStatus },
): Promise<Account> {
  const { companyId, accountId, status: to } = wanted;
  const account = await readAccount(store, companyId, accountId);
  if (account === undefined) throw notFound('Account');
  const { status: from } = account;
  if (from === to) return account;
  const moves = accountMovesFrom(from);
  if (!moves.includes(to)) throw transitionNotAllowed(from, to, moves);
  const outcome = await store.write(accountStatusWrites(companyId, { accountId, from, to, at: now() }), ids.uuid());
  if (!outcome.ok)
    throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'The account was changed by somebody else just now.');
  return { ...account, status: to };
}

export type Deposited = { readonly key: string; readonly entryId: string; readonly balance: Balance };

/**
 * Books money that came in outside of the service. A key books once, for ever: after an answer that was lost, the same
 * command with the same key is safe.
 */
export async function deposit(
  { store, ids, now }: Partner,
  wanted: {
    readonly companyId: string;
    readonly accountId: string;
    readonly amount: Centavos;
    readonly key?: string | undefined;
  },
): Promise<Deposited> {
  const { companyId, accountId, amount, key = ids.uuid() } = wanted;
  if ((await readBalance(store, companyId, accountId)) === undefined) throw notFound('Account');
  const fingerprint = `${accountId} ${amount}`;
  const entryId = ids.uuid();
  const at = now();
  const committed = await commit(store, {
    companyId,
    at,
    idempotency: { operation: 'DEPOSIT', key, fingerprint, resourceId: entryId },
    ledger: [{ accountId, kind: 'DEPOSIT', available: amount, reserved: centavos(0), at, entryId }],
    writes: [],
  });
  const replayed = !committed.ok && committed.because === 'REPLAY' ? committed.record : undefined;
  if (!committed.ok && replayed === undefined) throw notFound('Account');
  const balance = await readBalance(store, companyId, accountId);
  if (balance === undefined) throw notFound('Account');
  return { key, entryId: replayed === undefined ? entryId : replayOf(replayed, fingerprint), balance };
}

/** The company's accounts, oldest first. */
export async function listAccounts({ store }: Partner, companyId: string): Promise<readonly Account[]> {
  const items: Item[] = [];
  let after: Readonly<Record<string, string>> | undefined;
  do {
    const partition = listPartition(companyId, 'ACCOUNT');
    const page = await store.query({ index: 'GSI1', partition, ...(after !== undefined && { after }) });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items.map(parseAccount);
}
