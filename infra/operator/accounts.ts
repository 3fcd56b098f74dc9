import type {
  Account,
  AccountStatus,
  Balance,
  BankAccountType,
  HolderDocument,
  HolderType,
} from '#shared/platform/ledger/account.ts';
import { accountMovesFrom } from '#shared/platform/ledger/account.ts';
import { bankByIspb } from '#shared/core/bank-directory.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos, formatAmount } from '#shared/core/money.ts';
import type { Refusal } from '#shared/core/errors.ts';
import { forbiddenByState, notFound, transitionNotAllowed } from '#shared/core/errors.ts';
import { listAccountsOf } from '#shared/accounts/list.ts';
import { accountInserts, accountStatusUpdates, readAccount } from '#shared/accounts/store.ts';
import { commit } from '#shared/platform/commit.ts';
import { replayOf } from '#shared/platform/idempotency.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { parseBalance, readBalance } from '#shared/platform/ledger/ledger.ts';
import { releaseKeys } from '#shared/pix-keys/release.ts';
import type { OnboardingDependencies } from './target.ts';

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

/**
 * @throws Refusal when the company is unknown or has an account of this id, or when a closed account is to have money.
 */
export async function createAccount(
  { store, ids, now, sandbox }: OnboardingDependencies,
  wanted: NewAccount,
): Promise<Account> {
  const {
    companyId,
    ispb,
    branchNumber = '0001',
    accountNumber = ids.digits(8),
    accountType = 'PAYMENT_ACCOUNT',
  } = wanted;
  const { accountId = ids.uuid(), createdAt = now(), status = 'ACTIVE', pixTransactionLimit } = wanted;
  const { openingBalance = centavos(0) } = wanted;
  if (status === 'CLOSED' && openingBalance > centavos(0))
    throw notEmpty({ available: openingBalance, reserved: centavos(0) });
  const { holderType, fullName, email, phone, document } = wanted;
  const bankNumber = bankByIspb(ispb)?.code;
  const account: Account = {
    id: accountId,
    companyId,
    status,
    holderType,
    fullName,
    email,
    phone,
    document,
    createdAt,
    bankAccountData: {
      ispb,
      ...(bankNumber !== undefined && { bankNumber }),
      branchNumber,
      accountNumber,
      accountType,
      createdAt,
    },
    ...(pixTransactionLimit !== undefined && { pixTransactionLimit }),
  };
  const opening = { amount: openingBalance, entryId: ids.uuid(), at: createdAt };
  const known = { check: keys.company(companyId), when: { is: 'present' as const } };
  const hash = await readOrMakeHash(store);
  const outcome = await store.write([known, ...accountInserts(hash, account, opening)], ids.uuid());
  if (!outcome.ok) {
    if (outcome.failed.some(({ index }) => index === 0)) throw notFound('Company');
    throw forbiddenByState('account', 'ALREADY_EXISTS', `The company has an account ${accountId} already.`);
  }
  const entry = { id: accountId, status, fullName, document };
  sandbox?.changeCompany(companyId, (company) => ({ ...company, accounts: [...company.accounts, entry] }));
  return account;
}

/**
 * Changes the status of an account; one that has the status already stays as it is.
 *
 * @throws Refusal on a move that does not exist, such as one out of `CLOSED`, and when an account with money in it is
 *   to be closed.
 */
export async function setAccountStatus(
  { store, ids, now, sandbox }: OnboardingDependencies,
  wanted: { readonly companyId: string; readonly accountId: string; readonly status: AccountStatus },
): Promise<Account> {
  const { companyId, accountId, status: to } = wanted;
  const account = await readAccount(store, companyId, accountId);
  if (account === undefined) throw notFound('Account');
  const { status: from } = account;
  if (from === to) return account;
  const moves = accountMovesFrom(from);
  if (!moves.includes(to)) throw transitionNotAllowed(from, to, moves);
  const released = to === 'CLOSED' ? await releaseKeys(store, await readOrMakeHash(store), companyId, accountId) : [];
  const outcome = await store.write([...accountStatusUpdates(account, to, now()), ...released], ids.uuid());
  if (outcome.ok) {
    sandbox?.changeCompany(companyId, (company) => ({
      ...company,
      accounts: company.accounts.map((one) => (one.id === accountId ? { ...one, status: to } : one)),
    }));
    return { ...account, status: to };
  }
  const [first] = outcome.failed;
  // The condition on the status held, so it is the balance that forbids the move.
  if (first?.index === 1 && first.item !== undefined) throw notEmpty(parseBalance(first.item));
  throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'The account was changed by somebody else just now.');
}

function notEmpty({ available, reserved }: Pick<Balance, 'available' | 'reserved'>): Refusal {
  const money = `BRL ${formatAmount(available)} available and BRL ${formatAmount(reserved)} reserved`;
  const advice = 'Pay the money out, and wait for open payouts and refunds to end, before you close it.';
  return forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', `The account is not empty: ${money}. ${advice}`);
}

type DepositReceipt = { readonly key: string; readonly entryId: string; readonly balance: Balance };

/**
 * Books money that came in outside the service. A key books once, for ever: when an answer was lost, the same command
 * with the same key is safe.
 */
export async function deposit(
  { store, ids, now }: OnboardingDependencies,
  wanted: {
    readonly companyId: string;
    readonly accountId: string;
    readonly amount: Centavos;
    readonly key?: string | undefined;
  },
): Promise<DepositReceipt> {
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
  if (!committed.ok && committed.because === 'BALANCE') throw committed.refusal;
  if (!committed.ok && replayed === undefined) throw notFound('Account');
  const balance = await readBalance(store, companyId, accountId);
  if (balance === undefined) throw notFound('Account');
  return { key, entryId: replayed === undefined ? entryId : replayOf(replayed, fingerprint), balance };
}

/** The company's accounts, oldest first. */
export async function listAccounts({ store }: OnboardingDependencies, companyId: string): Promise<readonly Account[]> {
  const found: Account[] = [];
  let cursor: string | undefined;
  do {
    const page = await listAccountsOf(store, companyId, {}, { limit: 100, cursor, ascending: true });
    found.push(...page.found);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
