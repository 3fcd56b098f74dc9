import { repetitionPut } from '#shared/bank/repeat.ts';
import { readAccount } from '#shared/accounts/store.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { pick } from '#shared/core/pick.ts';
import { formatAmount } from '#shared/core/money.ts';
import { creditUnexpected } from '#shared/pay-ins/apply-state.ts';
import type { ReceivedPix } from '#shared/pay-ins/received.ts';
import { listUnmatched, readReceived } from '#shared/pay-ins/received.ts';
import { requestReturn } from '#shared/refunds/return-credit.ts';
import type { UnsolicitedReturn } from '#shared/bank-events/unsolicited-returns.ts';
import { bookFee } from '#shared/bank-events/fees.ts';
import { listUnsolicitedReturns } from '#shared/bank-events/unsolicited-returns.ts';
import type { UnplacedCredit } from '#shared/bank-events/unplaced-credits.ts';
import { listUnplaced, readUnplaced } from '#shared/bank-events/unplaced-credits.ts';
import type { OnboardingDependencies } from './target.ts';

const shownAtMost = 1000;

type CreditFacts = Readonly<Record<string, string | null>>;

/**
 * Lists received money without a matching charge that was not returned yet, oldest first. Then follow received money
 * without an account and returns that the service did not request.
 */
export async function showUnmatched(
  { store }: Pick<OnboardingDependencies, 'store'>,
  { companyId }: { readonly companyId: string },
): Promise<readonly CreditFacts[]> {
  const [credits, unplaced, returns] = await Promise.all([
    listUnmatched(store, companyId, shownAtMost),
    listUnplaced(store, companyId),
    listUnsolicitedReturns(store, companyId),
  ]);
  return [...credits.map(creditFacts), ...unplaced.map(unplacedFacts), ...returns.map(unsolicitedReturnFacts)];
}

/**
 * Credits received money without an account to this account, and books its fee. It is then unmatched money of the
 * account. A repetition changes nothing.
 * @throws RequestError 404; 409 when the money was credited to another account
 */
export async function creditUnplaced(
  { store, ids, now }: OnboardingDependencies,
  {
    companyId,
    endToEndId,
    accountId,
  }: { readonly companyId: string; readonly endToEndId: string; readonly accountId: string },
): Promise<CreditFacts> {
  const kept = await readUnplaced(store, companyId, endToEndId);
  if (kept === undefined) throw notFound('Credit without an account');
  if ((await readAccount(store, companyId, accountId)) === undefined) throw notFound('Account');
  const context = { store, ids, now, realNow: now, companyId, requestId: ids.uuid() };
  await creditUnexpected({ ...context, at: now() }, { accountId, ...pick(kept, 'connection') }, kept);
  const received = await readReceived(store, companyId, endToEndId);
  if (received?.accountId !== accountId)
    throw forbiddenByState('account', 'TRANSITION_NOT_ALLOWED', 'The money was already credited to another account.');
  const { fee } = kept;
  if (fee !== undefined && fee > 0)
    await bookFee(context, { direction: 'RECEIVED', endToEndId, accountId, amount: fee });
  return creditFacts(received);
}

/**
 * Requests the return of unmatched money to its payer.
 * @throws RequestError 404; 409 when it was returned already, the account has too little money or its connection ended
 */
export async function returnUnmatched(
  { store, ids, now }: OnboardingDependencies,
  { companyId, endToEndId }: { readonly companyId: string; readonly endToEndId: string },
): Promise<CreditFacts> {
  const context = { store, ids, at: now(), realNow: now, companyId, requestId: ids.uuid() };
  return creditFacts(await requestReturn(context, endToEndId));
}

/** Allows one more submission of a command. Its worker looks it up at the bank and submits it if it is not found. */
export async function allowRepetition(
  { store }: Pick<OnboardingDependencies, 'store'>,
  { companyId, reference }: { readonly companyId: string; readonly reference: string },
): Promise<Readonly<Record<string, string>>> {
  await store.writeOne(repetitionPut(companyId, reference));
  return { companyId, reference, repetition: 'ALLOWED ONCE' };
}

function unplacedFacts({ endToEndId, amount, at }: UnplacedCredit): CreditFacts {
  const money = { endToEndId, accountId: null, amount: formatAmount(amount), currency: 'BRL', receivedAt: at };
  return { ...money, orderId: null, state: 'ACCOUNT UNKNOWN' };
}

function unsolicitedReturnFacts({ endToEndId, amount, at }: UnsolicitedReturn): CreditFacts {
  const money = { endToEndId, accountId: null, amount: formatAmount(amount), currency: 'BRL', receivedAt: at };
  return { ...money, orderId: null, state: 'SENT BACK BY THE BANK' };
}

function creditFacts({ endToEndId, accountId, amount, at, orderId, state }: ReceivedPix): CreditFacts {
  return {
    endToEndId,
    accountId,
    amount: formatAmount(amount),
    currency: 'BRL',
    receivedAt: at,
    orderId: orderId ?? null,
    state: state ?? null,
  };
}
