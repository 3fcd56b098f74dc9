import { repetitionPut } from '#shared/bank/repeat.ts';
import { formatAmount } from '#shared/core/money.ts';
import type { ReceivedPix } from '#shared/pay-ins/received.ts';
import { listUnmatched } from '#shared/pay-ins/received.ts';
import { requestReturn } from '#shared/refunds/return-credit.ts';
import type { ForeignReturn } from '#shared/news/foreign-returns.ts';
import { listForeignReturns } from '#shared/news/foreign-returns.ts';
import type { OnboardingDependencies } from './target.ts';

const shownAtMost = 1000;

type CreditFacts = Readonly<Record<string, string | null>>;

/**
 * Received money that no charge expected and that did not go back yet, oldest first; then what the bank sent back
 * unasked.
 */
export async function showUnmatched(
  { store }: Pick<OnboardingDependencies, 'store'>,
  { companyId }: { readonly companyId: string },
): Promise<readonly CreditFacts[]> {
  const [credits, returns] = await Promise.all([
    listUnmatched(store, companyId, shownAtMost),
    listForeignReturns(store, companyId),
  ]);
  return [...credits.map(creditFacts), ...returns.map(foreignReturnFacts)];
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

function foreignReturnFacts({ endToEndId, amount, at }: ForeignReturn): CreditFacts {
  const money = { endToEndId, accountId: null, amount: formatAmount(amount), currency: 'BRL', receivedAt: at };
  return { ...money, orderId: null, state: 'SENT BACK BY THE BANK' };
}

function creditFacts({ endToEndId, accountId, amount, at, orderId, state }: ReceivedPix): CreditFacts {
  return {
    ...{ endToEndId, accountId, amount: formatAmount(amount), currency: 'BRL', receivedAt: at },
    ...{ orderId: orderId ?? null, state: state ?? null },
  };
}
