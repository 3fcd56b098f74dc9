import type { Account } from '../../shared/domain/account.ts';
import { accountStatuses, bankAccountTypes, holderDocumentTypes, holderTypes } from '../../shared/domain/account.ts';
import type { Balance } from '../../shared/domain/account.ts';
import { formatAmount } from '../../shared/domain/money.ts';
import { createAccount, deposit, listAccounts, setAccountStatus } from './accounts.ts';
import { createClient, setClientStatus } from './clients.ts';
import { createCompany, listCompanies, rotateSecret } from './companies.ts';
import type { Operator } from './partner.ts';
import { readCompanyRecords } from './reconciliation/company-records.ts';
import { differencesOf } from './reconciliation/differences.ts';
import { joinUsagePlan } from './usage-plan.ts';
import type { Given } from './values.ts';
import * as read from './values.ts';

export type Option = { readonly value: string; readonly about: string; readonly required?: true };
/** What a command says: one fact a line, `null` where there is none. Lists are said record by record. */
export type Fact = string | number | null;
export type Said = Readonly<Record<string, Fact>>;
export type Command = {
  readonly about: string;
  readonly options: Readonly<Record<string, Option>>;
  readonly run: (given: Given, partner: Operator) => Promise<Said | readonly Said[]>;
  /** Whether saying anything at all is bad news: the exit code is then 1. */
  readonly alarming?: true;
};

const company: Option = { value: 'ID', about: 'The company.', required: true };
const account: Option = { value: 'ID', about: 'The account.', required: true };
const client: Option = { value: 'ID', about: 'The OAuth client, as the identity provider calls it.', required: true };

const { required, optional } = read;

export const commands: Readonly<Record<string, Command>> = {
  'company:create': {
    about: 'Makes a company with empty webhook settings. Its first webhook secret is shown once.',
    options: {
      name: { value: 'TEXT', about: 'Name of the partner.', required: true },
      'company-id': { value: 'ID', about: 'A UUID of your own: a repetition then cannot make a second company.' },
    },
    run: (given, partner) =>
      createCompany(partner, {
        name: required(given, 'name', read.name),
        companyId: optional(given, 'company-id', read.id),
      }),
  },
  'company:list': {
    about: 'Shows every company, oldest first.',
    options: {},
    run: (_given, partner) => listCompanies(partner),
  },
  'company:plan': {
    about:
      'Gives a company its own throttle: a key in the usage plan of an environment on AWS, named by the authorizer.',
    options: {
      company,
      'plan-id': {
        value: 'ID',
        about: "The usage plan: output CompanyPlanId of the environment's stack.",
        required: true,
      },
    },
    run: (given, { plans }) =>
      joinUsagePlan(plans(), {
        companyId: required(given, 'company', read.id),
        usagePlanId: required(given, 'plan-id', read.clientId),
      }),
  },
  reconcile: {
    about: 'Compares orders, deliveries and ledger of a company and names every difference. Only reads.',
    options: { company },
    run: async (given, { itemsOf, now }) =>
      differencesOf(await readCompanyRecords(itemsOf(required(given, 'company', read.id))), now()),
    alarming: true,
  },
  'secret:rotate': {
    about: 'Makes a new webhook secret, shown once, for a partner who lost the first one.',
    options: {
      company,
      'overlap-seconds': {
        value: 'N',
        about: 'How long the present secret stays valid. Default 86400, at most 604800.',
      },
    },
    run: (given, partner) =>
      rotateSecret(partner, {
        companyId: required(given, 'company', read.id),
        overlapSeconds: optional(given, 'overlap-seconds', read.overlap) ?? 86_400,
      }),
  },
  'client:create': {
    about: 'Lets an OAuth client act for a company. Locally it also makes a client secret, shown once.',
    options: {
      company,
      'client-id': { value: 'ID', about: 'As the identity provider calls it. Only locally it can be left out.' },
      'api-key-value': {
        value: 'TEXT',
        about: "Value of the API Gateway key in the company's usage plan, where it is not the company's id.",
      },
    },
    run: (given, partner) =>
      createClient(partner, {
        companyId: required(given, 'company', read.id),
        clientId: optional(given, 'client-id', read.clientId),
        usageIdentifierKey: optional(given, 'api-key-value', read.apiKeyValue),
      }),
  },
  'client:disable': {
    about: 'Shuts a client out, within a minute or so.',
    options: { 'client-id': client },
    run: (given, partner) => setClientStatus(partner, required(given, 'client-id', read.clientId), 'DISABLED'),
  },
  'client:enable': {
    about: 'Lets a client in again.',
    options: { 'client-id': client },
    run: (given, partner) => setClientStatus(partner, required(given, 'client-id', read.clientId), 'ACTIVE'),
  },
  'account:create': {
    about: "Opens an account in a company's name.",
    options: {
      company,
      name: { value: 'TEXT', about: 'Full name of the holder.', required: true },
      document: { value: 'TEXT', about: 'CPF or CNPJ, with or without its mask, or another document.', required: true },
      'document-type': {
        value: 'TYPE',
        about: `One of ${holderDocumentTypes.join(', ')}. Default CPF or CNPJ, by length.`,
      },
      email: { value: 'TEXT', about: 'E-mail address of the holder.', required: true },
      phone: { value: 'TEXT', about: 'Phone of the holder, as +5511987654321.', required: true },
      'holder-type': {
        value: 'TYPE',
        about: `One of ${holderTypes.join(', ')}. Default by CPF or CNPJ, else unknown.`,
      },
      ispb: {
        value: 'TEXT',
        about: 'ISPB of the institution that keeps the account. Only locally it can be left out.',
      },
      branch: { value: 'TEXT', about: 'Branch number. Default 0001.' },
      'account-number': { value: 'TEXT', about: 'Account number with its check digit. Default made up.' },
      'account-type': { value: 'TYPE', about: `One of ${bankAccountTypes.join(', ')}. Default PAYMENT_ACCOUNT.` },
      'pix-limit': { value: 'AMOUNT', about: 'Largest single PIX payout; above it a payout is split.' },
      'opening-balance': { value: 'AMOUNT', about: 'Money in the account from the beginning, as 1000.00.' },
      status: { value: 'STATUS', about: `One of ${accountStatuses.join(', ')}. Default ACTIVE.` },
      'account-id': { value: 'ID', about: 'A UUID of your own: a repetition then cannot make a second account.' },
    },
    run: async (given, partner) => accountFacts(await createAccount(partner, newAccount(given, partner))),
  },
  'account:list': {
    about: "Shows a company's accounts, oldest first.",
    options: { company },
    run: async (given, partner) => (await listAccounts(partner, required(given, 'company', read.id))).map(accountFacts),
  },
  'account:status': {
    about: 'Changes the status of an account. A closed account stays closed.',
    options: {
      company,
      account,
      status: { value: 'STATUS', about: `One of ${accountStatuses.join(', ')}.`, required: true },
    },
    run: async (given, partner) =>
      accountFacts(
        await setAccountStatus(partner, {
          companyId: required(given, 'company', read.id),
          accountId: required(given, 'account', read.id),
          status: required(given, 'status', read.oneOf(accountStatuses)),
        }),
      ),
  },
  'account:deposit': {
    about: 'Books money that came in outside of the service.',
    options: {
      company,
      account,
      amount: { value: 'AMOUNT', about: 'As 1000.00.', required: true },
      key: {
        value: 'TEXT',
        about: 'A key books once, for ever: repeat a command with its key when its end is unknown.',
      },
    },
    run: async (given, partner) => {
      const { key, entryId, balance } = await deposit(partner, {
        companyId: required(given, 'company', read.id),
        accountId: required(given, 'account', read.id),
        amount: required(given, 'amount', read.amount),
        key: optional(given, 'key', read.idempotencyKey),
      });
      return { key, entryId, ...balanceFacts(balance) };
    },
  },
};

function newAccount(given: Given, partner: Operator): Parameters<typeof createAccount>[1] {
  const document = read.document(given);
  const byDocument = { CPF: 'INDIVIDUAL', CNPJ: 'ORGANIZATION' } as const;
  const holderType = document.type === 'CPF' || document.type === 'CNPJ' ? byDocument[document.type] : null;
  return {
    companyId: required(given, 'company', read.id),
    accountId: optional(given, 'account-id', read.id),
    status: optional(given, 'status', read.oneOf(accountStatuses)),
    holderType: optional(given, 'holder-type', read.oneOf(holderTypes)) ?? holderType,
    fullName: required(given, 'name', read.name),
    email: required(given, 'email', read.email),
    phone: required(given, 'phone', read.phone),
    document,
    ispb: optional(given, 'ispb', read.ispb) ?? partner.ispb ?? required(given, 'ispb', read.ispb),
    branchNumber: optional(given, 'branch', read.branch),
    accountNumber: optional(given, 'account-number', read.accountNumber),
    accountType: optional(given, 'account-type', read.oneOf(bankAccountTypes)),
    pixTransactionLimit: optional(given, 'pix-limit', read.amount),
    openingBalance: optional(given, 'opening-balance', read.amount),
  };
}

function accountFacts(account: Account): Said {
  const { id, companyId, status, holderType, fullName, document, bankAccountData, createdAt } = account;
  const { ispb, branchNumber, accountNumber } = bankAccountData;
  const bank = `${ispb} ${branchNumber} ${accountNumber}`;
  return {
    id,
    companyId,
    status,
    holderType,
    fullName,
    document: `${document.type} ${document.number}`,
    bank,
    createdAt,
  };
}

function balanceFacts({ accountId, available, reserved }: Balance): Said {
  return { accountId, currency: 'BRL', available: formatAmount(available), reserved: formatAmount(reserved) };
}
