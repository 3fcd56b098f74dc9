import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { formatAmount } from '#shared/core/money.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readBalance } from '#shared/platform/ledger/ledger.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { GetBalance } from './contract.ts';

/** What an account can spend and what is reserved, in one read. @throws Refusal NOT_FOUND. */
export async function getBalance(
  { caller, params }: RequestOf<typeof GetBalance>,
  { store }: Pick<Dependencies, 'store'>,
): Promise<AnswerOf<typeof GetBalance>> {
  const balance = await readBalance(store, caller.companyId, params.accountId);
  if (balance === undefined) throw notFound('Account');
  const { accountId, available, reserved, updatedAt } = balance;
  const amounts = { available: formatAmount(available), reserved: formatAmount(reserved) };
  return { status: 200, body: { accountId, currency: 'BRL', ...amounts, updatedAt } };
}

export const handler = endpoint(GetBalance, getBalance, realTimeDependencies);
