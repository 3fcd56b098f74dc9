import { repetitionPut } from '#shared/bank/repeat.ts';
import { readAccount } from '#shared/accounts/store.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { pick } from '#shared/core/pick.ts';
import { formatAmount } from '#shared/core/money.ts';
import { creditUnexpected } from '#shared/credits/book.ts';
import { listCreditsOf } from '#shared/credits/list.ts';
import type { Credit, CreditWithReturns } from '#shared/credits/model.ts';
import { readReceived } from '#shared/credits/received.ts';
import { requestAllOf } from '#shared/credits/return.ts';
import { readCredit } from '#shared/credits/store.ts';
import type { UnsolicitedReturn } from '#shared/bank-events/unsolicited-returns.ts';
import { bookFee } from '#shared/bank-events/fees.ts';
import { listUnsolicitedReturns } from '#shared/bank-events/unsolicited-returns.ts';
import type { UnplacedCredit } from '#shared/bank-events/unplaced-credits.ts';
import { listUnplaced, readUnplaced } from '#shared/bank-events/unplaced-credits.ts';
import type { Store } from '#shared/platform/table/store.ts';
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
    listCreditsOf(store, companyId, { status: 'OPEN' }, { limit: shownAtMost, ascending: true }),
    listUnplaced(store, companyId),
    listUnsolicitedReturns(store, companyId),
  ]);
  return [...credits.found.map(creditFacts), ...unplaced.map(unplacedFacts), ...returns.map(unsolicitedReturnFacts)];
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
  const facts = {
    accountId,
    endToEndId,
    amount: kept.amount,
    reason: 'NO_CHARGE',
    ...pick(kept, 'connection'),
  } as const;
  await creditUnexpected({ ...context, at: now() }, facts);
  const { credit } = (await creditOf(store, companyId, endToEndId)) ?? {};
  if (credit?.accountId !== accountId)
    throw forbiddenByState('account', 'TRANSITION_NOT_ALLOWED', 'The money was already credited to another account.');
  const { fee } = kept;
  if (fee !== undefined && fee > 0)
    await bookFee(context, { direction: 'RECEIVED', endToEndId, accountId, amount: fee });
  return creditFacts(credit);
}

/** Reads the credit of a received payment; undefined when the payment is none. */
async function creditOf(store: Store, companyId: string, endToEndId: string): Promise<CreditWithReturns | undefined> {
  const { creditId } = (await readReceived(store, companyId, endToEndId)) ?? {};
  return creditId === undefined ? undefined : readCredit(store, companyId, creditId);
}

/**
 * Requests the return of all that is left of a credit to its payer. A repetition while one is open changes nothing.
 * @throws RequestError 404; 409 when it was returned already, the account has too little money or its connection ended
 */
export async function returnUnmatched(
  { store, ids, now }: OnboardingDependencies,
  { companyId, endToEndId }: { readonly companyId: string; readonly endToEndId: string },
): Promise<CreditFacts> {
  const found = await creditOf(store, companyId, endToEndId);
  if (found === undefined) throw notFound('Unexpected money');
  const context = { store, ids, at: now(), realNow: now, companyId, requestId: ids.uuid() };
  return creditFacts(await requestAllOf(context, found.credit.id));
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

function creditFacts({ endToEndId, accountId, amount, receivedAt, orderId, status }: Credit): CreditFacts {
  const money = { endToEndId, accountId, amount: formatAmount(amount), currency: 'BRL', receivedAt };
  return { ...money, orderId: orderId ?? null, state: status };
}
