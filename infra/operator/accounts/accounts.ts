import type { Account } from '#shared/accounts/model.ts';
import type { AccountStatus, Balance } from '#shared/platform/ledger/balance.ts';
import { accountTransitionsFrom } from '#shared/accounts/model.ts';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { bankByIspb } from '#shared/core/bank-directory.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos, formatAmount } from '#shared/core/money.ts';
import type { RequestError } from '#shared/core/errors.ts';
import { forbiddenByState, notFound, transitionNotAllowed } from '#shared/core/errors.ts';
import { listAccountsOf } from '#shared/accounts/list.ts';
import {
  accountInserts,
  accountStatusUpdates,
  parseAccount,
  payoutLimitUpdate,
  readAccount,
  shardStatusUpdate,
  shardWrites,
} from '#shared/accounts/store.ts';
import { parseCompany } from '#shared/platform/company.ts';
import { commit } from '#shared/platform/commit.ts';
import { replayOf } from '#shared/platform/idempotency.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { parseShard } from '#shared/platform/ledger/ledger.ts';
import { readBalance, readShardCount } from '#shared/platform/ledger/shards.ts';
import { releaseKeys } from '#shared/pix-keys/release.ts';
import type { OnboardingDependencies } from '../target.ts';

type BankAccount = Account['bankAccountData'];
/** Fields that have a default. */
type Preset = Pick<Account, 'status' | 'createdAt'> &
  Pick<BankAccount, 'branchNumber' | 'accountNumber' | 'accountType'> & {
    readonly accountId: string;
    readonly openingBalance: Centavos;
    readonly pixTransactionLimit: Centavos;
  };
export type NewAccount = Pick<Account, 'companyId' | 'holderType' | 'fullName' | 'email' | 'phone' | 'document'> &
  Pick<BankAccount, 'ispb'> & { readonly [K in keyof Preset]?: Preset[K] | undefined };

/**
 * Creates an account.
 * @throws RequestError: unknown company, or one that changed meanwhile; an account with this id; money for a closed
 * account.
 */
export async function createAccount(
  { store, ids, now, sandbox }: OnboardingDependencies,
  wanted: NewAccount,
): Promise<Account> {
  const { companyId, holderType, fullName, email, phone, document, ispb, pixTransactionLimit } = wanted;
  const { accountId = ids.uuid(), createdAt = now(), status = 'ACTIVE', openingBalance = centavos(0) } = wanted;
  const { branchNumber = '0001', accountNumber = ids.digits(8), accountType = 'PAYMENT_ACCOUNT' } = wanted;
  if (status === 'CLOSED' && openingBalance > centavos(0))
    throw notEmpty({ available: openingBalance, reserved: centavos(0), blocked: centavos(0) });
  const [company] = await store.read([keys.company(companyId)]);
  if (company === undefined) throw notFound('Company');
  const { equalPayouts } = parseCompany(company);
  const bankNumber = bankByIspb(ispb)?.code;
  const bank = { ispb, ...(bankNumber !== undefined && { bankNumber }), branchNumber, accountNumber, accountType };
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
    bankAccountData: { ...bank, createdAt },
    ...(pixTransactionLimit !== undefined && { pixTransactionLimit }),
    ...(equalPayouts !== undefined && { equalPayouts }),
  };
  const opening = { amount: openingBalance, entryId: ids.uuid(), at: createdAt };
  const unchanged = equalPayouts === undefined ? { lacks: 'equalPayouts' } : { equals: { equalPayouts } };
  const known = { check: keys.company(companyId), when: { all: [{ is: 'present' as const }, unchanged] } };
  const hash = await readOrMakeHash(store);
  const outcome = await store.write([known, ...accountInserts(hash, account, opening)], ids.uuid());
  if (!outcome.ok) {
    if (outcome.failed.some(({ index }) => index === 0))
      throw forbiddenByState('company', 'TRANSITION_NOT_ALLOWED', 'The company changed meanwhile: repeat the command.');
    throw forbiddenByState('account', 'ALREADY_EXISTS', `The account ${accountId} already exists.`);
  }
  const entry = { id: accountId, status, fullName, document };
  sandbox?.changeCompany(companyId, (company) => ({ ...company, accounts: [...company.accounts, entry] }));
  return account;
}

/**
 * Changes the status of an account, unless it has the status already.
 * @throws RequestError for a transition that does not exist, as from `CLOSED`; for closing an account with money
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
  const allowed = accountTransitionsFrom(from);
  if (!allowed.includes(to)) throw transitionNotAllowed(from, to, allowed);
  const at = now();
  const released =
    to === 'CLOSED' ? await releaseKeys(store, await readOrMakeHash(store), { companyId, accountId, at }) : [];
  const shards = (await readShardCount(store, companyId, accountId)) ?? 1;
  if (to !== 'CLOSED')
    for (let shard = 1; shard < shards; shard += 1) await store.writeOne(shardStatusUpdate(account, to, shard));
  const outcome = await store.write([...accountStatusUpdates(account, to, at, shards), ...released], ids.uuid());
  if (!outcome.ok) {
    // The second write and those after it are of the shards.
    const isRefused = outcome.failed[0]?.index !== 0 && outcome.failed.some(({ index }) => index <= shards);
    const balance = isRefused ? await readBalance(store, companyId, accountId) : undefined;
    // The condition on the status held: the balance forbids the transition.
    if (balance?.accountStatus === from) throw notEmpty(balance);
    throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'The account changed meanwhile: repeat the command.');
  }
  sandbox?.changeCompany(companyId, (company) => ({
    ...company,
    accounts: company.accounts.map((known) => (known.id === accountId ? { ...known, status: to } : known)),
  }));
  return { ...account, status: to };
}

/** Sets the most payouts that an account creates in a minute; 0 removes the limit. @throws RequestError 404 */
export async function setPayoutLimit(
  { store }: Pick<OnboardingDependencies, 'store'>,
  wanted: { readonly companyId: string; readonly accountId: string; readonly payoutsAMinute: number },
): Promise<Account> {
  const { companyId, accountId, payoutsAMinute } = wanted;
  const outcome = await store.writeOne(payoutLimitUpdate(companyId, accountId, payoutsAMinute || undefined));
  if (!outcome.ok || outcome.after === undefined) throw notFound('Account');
  return parseAccount(outcome.after);
}

/** Tries to add shards while payments change the balance. */
const shardAttempts = 10;

/**
 * Sets the number of shards of the account's balance that new payments use: more of them take more payments a second.
 * Payments go on meanwhile.
 * @throws RequestError 404; 409 for a closed account, and when the account changed meanwhile
 */
export async function setShards(
  { store, ids, now }: Pick<OnboardingDependencies, 'store' | 'ids' | 'now'>,
  wanted: { readonly companyId: string; readonly accountId: string; readonly shards: number },
): Promise<Account> {
  const { companyId, accountId, shards } = wanted;
  for (let attempt = 1; attempt <= shardAttempts; attempt += 1) {
    const [item, first] = await store.read([keys.account(companyId, accountId), keys.balance(companyId, accountId)]);
    if (item === undefined || first === undefined) throw notFound('Account');
    const account = parseAccount(item);
    if (account.status === 'CLOSED')
      throw forbiddenByState('accountId', 'INVALID_VALUE', 'The account is CLOSED: it takes no payments any more.');
    const known = parseShard(first);
    // The clock of the company may be ahead.
    const after = plusMilliseconds(known.updatedAt, 1);
    const writes = shardWrites(account, known, shards, after > now() ? after : now());
    if ((await store.write(writes, ids.uuid())).ok) return { ...account, shards };
  }
  throw forbiddenByState('shards', 'TRANSITION_NOT_ALLOWED', 'The account changed meanwhile: repeat the command.');
}

function notEmpty({ available, reserved, blocked }: Pick<Balance, 'available' | 'reserved' | 'blocked'>): RequestError {
  const parts = { available, reserved, blocked };
  const money = Object.entries(parts).map(([part, amount]) => `BRL ${formatAmount(amount)} ${part}`);
  const advice =
    'Before you close it, pay the money out and wait until open payouts and refunds are final and no money is blocked.';
  return forbiddenByState(
    'status',
    'TRANSITION_NOT_ALLOWED',
    `The account is not empty: ${money.join(', ')}. ${advice}`,
  );
}

type DepositReceipt = { readonly key: string; readonly entryId: string; readonly balance: Balance };

type Deposit = Pick<Balance, 'accountId'> & {
  readonly companyId: string;
  readonly amount: Centavos;
  readonly key?: string | undefined;
};

/** Books money that was received outside the service. An idempotency key books only once: a repetition is safe. */
export async function deposit({ store, ids, now }: OnboardingDependencies, wanted: Deposit): Promise<DepositReceipt> {
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
  if (!committed.ok && committed.because === 'BALANCE') throw committed.error;
  if (!committed.ok && replayed === undefined) throw notFound('Account');
  const balance = await readBalance(store, companyId, accountId);
  if (balance === undefined) throw notFound('Account');
  return { key, entryId: replayed === undefined ? entryId : replayOf(replayed, fingerprint), balance };
}

/** The company's accounts, oldest first. */
export async function listAccounts(
  { store }: Pick<OnboardingDependencies, 'store'>,
  companyId: string,
): Promise<readonly Account[]> {
  const found: Account[] = [];
  let cursor: string | undefined;
  do {
    const page = await listAccountsOf(store, companyId, {}, { limit: 100, cursor, ascending: true });
    found.push(...page.found);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
