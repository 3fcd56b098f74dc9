import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { ToolFailure } from '../failures.ts';
import type { Account } from '../sandbox.ts';
import type { Partner } from './client.ts';

/**
 * Returns the id of the account to use: the named one, else an active one of the sandbox file, else an active one of
 * the service. An account whose holder has a CNPJ comes first: only a company can receive by PIX Automático.
 * @throws ToolFailure when the company has no active account.
 */
export async function accountToUse(partner: Partner, named: string | undefined): Promise<string> {
  const kept = named ?? bestOf(partner.accounts)?.id;
  if (kept !== undefined) return kept;
  const found = bestOf((await partner.call(ListAccounts, { query: { status: 'ACTIVE', limit: '100' } })).body.data);
  if (found === undefined)
    throw new ToolFailure('The company has no active account.', 'Ask the operator to create one.');
  return found.id;
}

function bestOf(accounts: readonly Pick<Account, 'id' | 'status' | 'document'>[]) {
  const active = accounts.filter(({ status }) => status === 'ACTIVE');
  return active.find(({ document }) => document.type === 'CNPJ') ?? active[0];
}
