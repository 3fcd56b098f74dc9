import type { Operation } from '#shared/contract/contract.ts';
import { formatAmount } from '#shared/core/money.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readBalance } from '#shared/platform/ledger/shards.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { GetBalance } from './contract.ts';

/** Returns the three parts of an account's money. @throws RequestError NOT_FOUND. */
export const getBalance: Operation<typeof GetBalance, Reading> = async ({ caller, params }, { store }) => {
  const balance = await readBalance(store, caller.companyId, params.accountId);
  if (balance === undefined) throw notFound('Account');
  const { accountId, available, reserved, blocked, updatedAt } = balance;
  const amounts = {
    available: formatAmount(available),
    reserved: formatAmount(reserved),
    blocked: formatAmount(blocked),
  };
  return { status: 200, body: { accountId, currency: 'BRL', ...amounts, updatedAt } };
};

export const handler = endpoint(GetBalance, getBalance, realTimeDependencies);
