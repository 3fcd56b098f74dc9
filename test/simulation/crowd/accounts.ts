import { createAccount, setShards } from '#infra/operator/accounts/accounts.ts';
import type { OnboardingDependencies } from '#infra/operator/target.ts';
import { centavos } from '#shared/core/money.ts';
import type { Draws } from '#test/model/bank-books.ts';
import { person } from './people.ts';

/** Two accounts that are never short of money, and one that is; with the shards of their balances. */
const openings = [
  ['ORGANIZATION', centavos(1_000_000_00), 1],
  ['ORGANIZATION', centavos(1_000_000_00), 3],
  ['INDIVIDUAL', centavos(400_00), 4],
] as const;

/** The accounts of a company of the crowd, by the operator's command. @returns their ids */
export async function openAccounts(deps: OnboardingDependencies, draws: Draws, companyId: string): Promise<string[]> {
  const accounts: string[] = [];
  for (const [holderType, openingBalance, shards] of openings) {
    const { name, email, phone, document } = person(draws, holderType === 'INDIVIDUAL' ? 'CPF' : 'CNPJ');
    const facts = { companyId, holderType, fullName: name, email, phone, document, ispb: '60701190' };
    const { id } = await createAccount(deps, { ...facts, openingBalance });
    if (shards > 1) await setShards(deps, { companyId, accountId: id, shards });
    accounts.push(id);
  }
  return accounts;
}
