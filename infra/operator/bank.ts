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
 * Received money that no charge expected and that did not go back yet, oldest first; then what no account has yet, and
 * what the bank sent back unasked.
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
 * Books money that came in, and of which nothing says to which account, to this one; with its fee. A repetition changes
 * nothing. Then it is unmatched money of the account.
 * @throws RequestError 404; 409 when another account has it
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

/** @throws RequestError 404; 409 when it went back already or the account cannot pay it */
export async function returnUnmatched(
  { store, ids, now }: OnboardingDependencies,
  { companyId, endToEndId }: { readonly companyId: string; readonly endToEndId: string },
): Promise<CreditFacts> {
  const context = { store, ids, at: now(), realNow: now, companyId, requestId: ids.uuid() };
  return creditFacts(await requestReturn(context, endToEndId));
}

/** The next run of the worker that owes the command submits it, if a lookup does not find it. */
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
