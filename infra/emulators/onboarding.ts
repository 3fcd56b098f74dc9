import { environments } from '#infra/environments.ts';
import { formatAmount } from '#shared/core/money.ts';
import type { SandboxCompany } from '#infra/operator/local-environment.ts';
import type { SampleAccount } from '../local/sandbox.ts';
import { samples } from '../local/sandbox.ts';

/** Runs one command of the operator (`npm run operator`) and gives what it says with `--json`. */
type Operate = (...args: readonly string[]) => Promise<unknown>;

type Output<T extends string> = Readonly<Record<T, string>>;

/** Makes the sandbox's companies, clients and accounts as an operator does: by the command line alone. */
export async function onboard(operate: Operate): Promise<readonly SandboxCompany[]> {
  const companies: SandboxCompany[] = [];
  for (const { name, accounts } of samples) {
    const made = (await operate('company:create', '--name', name)) as Output<'companyId' | 'webhookSecret'>;
    const { companyId, webhookSecret } = made;
    const client = await operate('client:create', '--company', companyId);
    const { clientId, clientSecret } = client as Output<'clientId' | 'clientSecret'>;
    const opened: SandboxCompany['accounts'] = [];
    for (const account of accounts) {
      const said = await operate('account:create', '--company', companyId, ...accountOptions(account));
      const { id, status, fullName } = said as Output<'id' | 'status' | 'fullName'>;
      opened.push({ id, status, fullName, document: account.document });
    }
    companies.push({ companyId, name, clientId, clientSecret, webhookSecret, accounts: opened });
  }
  return companies;
}

function accountOptions(account: SampleAccount): readonly string[] {
  const { fullName, document, email, phone, status, holderType, openingBalance } = account;
  const options = {
    name: fullName,
    document: document.number,
    'document-type': document.type,
    email,
    phone,
    ispb: environments.local.orders.ispb,
    status,
    'holder-type': holderType ?? undefined,
    'opening-balance': openingBalance && formatAmount(openingBalance),
  };
  return Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}
