import { existsSync, readFileSync } from 'node:fs';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { environments } from '#infra/environments.ts';
import type { NewAccount } from '#infra/operator/accounts/accounts.ts';
import { createAccount } from '#infra/operator/accounts/accounts.ts';
import { createClient, createCompany } from '#infra/operator/onboarding.ts';
import type { OnboardingDependencies, SecretRegistry } from '#infra/operator/target.ts';
import { companyOfScenarios } from '@banking-order/partner-tools';
import type { Sandbox, SandboxCompany } from '#infra/operator/local-environment.ts';
import { sandboxShape, writeSandbox } from '#infra/operator/local-environment.ts';
import { LocalStartError } from '@banking-order/cdk-local';

/** Addresses of this run; the port may have changed since the file was written. */
type SandboxAddresses = Pick<Sandbox, 'baseUrl' | 'tokenUrl' | 'scope'>;

/**
 * Writes the sandbox file with the companies of an earlier start, else of the seed, and with the addresses of this
 * start. Only the owner of the file may read it.
 *
 * @throws LocalStartError when the existing file is not a sandbox file.
 */
export async function prepareSandbox(
  file: string,
  addresses: SandboxAddresses,
  seed: () => Promise<readonly SandboxCompany[]>,
): Promise<Sandbox> {
  const sandbox = { ...addresses, companies: [...(readCompanies(file) ?? (await seed()))] };
  writeSandbox(file, sandbox);
  return sandbox;
}

function readCompanies(file: string): Sandbox['companies'] | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return sandboxShape.parse(JSON.parse(readFileSync(file, 'utf8'))).companies;
  } catch {
    throw new LocalStartError(
      `${file} is not the sandbox file of this environment. Delete the local data folder, or choose another folder with LOCAL_DIR.`,
    );
  }
}

/** An account of the sandbox, created `ageInDays` days before the start. */
export type SampleAccount = Omit<NewAccount, 'companyId' | 'ispb' | 'createdAt'> & { readonly ageInDays: number };

/** Enough for every payout of a trial: 1 000 000.00. */
const plenty = centavos(100_000_000);

/** Two partners with holders who do not exist. The first account of each is active and has money. */
export const samples: readonly { readonly name: string; readonly accounts: readonly SampleAccount[] }[] = [
  {
    name: 'Cafeteria São João Ltda',
    accounts: [
      {
        status: 'ACTIVE',
        holderType: 'ORGANIZATION',
        fullName: 'Cafeteria São João Ltda',
        openingBalance: plenty,
        document: { type: 'CNPJ', number: '11222333000181' },
        email: 'financeiro@saojoao.example.com',
        phone: '+5511900000101',
        ageInDays: 412,
      },
      {
        status: 'ACTIVE',
        holderType: 'INDIVIDUAL',
        fullName: 'José Antônio Gonçalves',
        openingBalance: centavos(250_000),
        document: { type: 'CPF', number: '52998224725' },
        email: 'jose.goncalves@example.com',
        phone: '+5511900000102',
        ageInDays: 95,
      },
      {
        status: 'INACTIVE',
        holderType: 'INDIVIDUAL',
        fullName: 'Conceição Araújo',
        openingBalance: centavos(10_000),
        document: { type: 'CPF', number: '11144477735' },
        email: 'conceicao.araujo@example.com',
        phone: '+5521900000103',
        ageInDays: 30,
      },
      {
        status: 'CLOSED',
        holderType: 'ORGANIZATION',
        fullName: 'Padaria Três Irmãos ME',
        document: { type: 'CNPJ', number: '11444777000161' },
        email: 'contato@tresirmaos.example.com',
        phone: '+5531900000104',
        ageInDays: 700,
      },
    ],
  },
  {
    name: 'Clínica Vovó Inês S.A.',
    accounts: [
      {
        status: 'ACTIVE',
        holderType: 'ORGANIZATION',
        fullName: 'Clínica Vovó Inês S.A.',
        openingBalance: plenty,
        document: { type: 'CNPJ', number: '12ABC34501DE35' },
        email: 'tesouraria@vovoines.example.com',
        phone: '+5541900000201',
        ageInDays: 180,
      },
      {
        status: 'INACTIVE',
        holderType: 'INDIVIDUAL',
        fullName: 'Márcia Brandão',
        document: { type: 'CPF', number: '39053344705' },
        email: 'marcia.brandao@example.com',
        phone: '+5551900000202',
        ageInDays: 12,
      },
      {
        status: 'CLOSED',
        holderType: null,
        fullName: 'Zoë Núñez',
        document: { type: 'PASSPORT', number: 'XDA123456' },
        email: 'zoe.nunez@example.com',
        phone: '+34900000203',
        ageInDays: 365,
      },
    ],
  },
];

/** Company of `npm run demo` and `npm run scenario`, to keep their objects apart from a developer's. */
const scenarioSample: (typeof samples)[number] = {
  name: companyOfScenarios,
  accounts: [
    {
      status: 'ACTIVE',
      holderType: 'ORGANIZATION',
      fullName: companyOfScenarios,
      openingBalance: plenty,
      document: { type: 'CNPJ', number: '22333444000181' },
      email: 'financeiro@roteiros.example.com',
      phone: '+5561900000301',
      ageInDays: 60,
    },
    {
      status: 'INACTIVE',
      holderType: 'INDIVIDUAL',
      fullName: 'Tomás Leão',
      document: { type: 'CPF', number: '11122233396' },
      email: 'tomas.leao@example.com',
      phone: '+5571900000302',
      ageInDays: 20,
    },
    {
      status: 'CLOSED',
      holderType: 'INDIVIDUAL',
      fullName: 'Íris Galvão',
      document: { type: 'CPF', number: '22233344405' },
      email: 'iris.galvao@example.com',
      phone: '+5581900000303',
      ageInDays: 200,
    },
  ],
};

type SeedDependencies = Pick<OnboardingDependencies, 'store' | 'ids' | 'now'> & { readonly registry: SecretRegistry };

/**
 * Creates the sandbox's companies, clients and accounts. The start after a crash may run this again: it then creates
 * new ones beside the existing ones.
 */
export async function seedSandbox(dependencies: SeedDependencies): Promise<readonly SandboxCompany[]> {
  const companies: SandboxCompany[] = [];
  for (const sample of [...samples, scenarioSample]) companies.push(await seedCompany(dependencies, sample));
  return companies;
}

async function seedCompany(dependencies: SeedDependencies, sample: (typeof samples)[number]): Promise<SandboxCompany> {
  const { companyId, name, webhookSecret } = await createCompany(dependencies, sample);
  const { clientId, clientSecret = '' } = await createClient(dependencies, { companyId });
  const { ispb } = environments.local.orders;
  const accounts: SandboxCompany['accounts'] = [];
  for (const { ageInDays, ...account } of sample.accounts) {
    const createdAt = plusSeconds(dependencies.now(), -ageInDays * 86_400);
    const created = await createAccount(dependencies, { ...account, companyId, ispb, createdAt });
    const { id, status, fullName, document } = created;
    accounts.push({ id, status, fullName, document });
  }
  return { companyId, name, clientId, clientSecret, webhookSecret, accounts };
}
