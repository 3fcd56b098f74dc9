import type { Account, Balance } from '#shared/platform/ledger/account.ts';
import {
  accountStatuses,
  bankAccountTypes,
  holderDocumentTypes,
  holderTypes,
} from '#shared/platform/ledger/account.ts';
import { formatAmount } from '#shared/core/money.ts';
import { overlapSeconds } from '#shared/webhooks/settings.ts';
import { createAccount, deposit, listAccounts, setAccountStatus } from './accounts.ts';
import { createClient, setClientStatus } from './clients.ts';
import { createCompany, listCompanies, rotateSecret } from './companies.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { defaultReadUnits, reconcile } from './reconciliation/reconcile.ts';
import { joinUsagePlan } from './usage-plan.ts';
import { checkHealth } from './health.ts';
import type { NotificationScope } from './webhooks.ts';
import { holdNotifications, releaseNotifications } from './webhooks.ts';
import type { OptionValues } from './values.ts';
import * as read from './values.ts';

type Option = { readonly value: string; readonly about: string; readonly required?: true };
/** What a command prints: a record of one fact a line, `null` where there is none; a fact may be a list of records. */
type Fact = string | number | null;
type FactList = readonly Readonly<Record<string, Fact>>[];
export type CommandOutput = Readonly<Record<string, Fact | FactList>>;
export type Command = {
  readonly about: string;
  readonly options: Readonly<Record<string, Option>>;
  /** `tell` prints, beside the output, what the person who waits for it should know. */
  readonly run: (
    values: OptionValues,
    dependencies: OperatorDependencies,
    tell: (text: string) => void,
  ) => Promise<CommandOutput | readonly CommandOutput[]>;
  /** The command lists problems: with any output at all the exit code is 1. */
  readonly alarming?: true;
};

const company: Option = { value: 'ID', about: 'The company.', required: true };
const account: Option = { value: 'ID', about: 'The account.', required: true };
const client: Option = { value: 'ID', about: 'The OAuth client, as the identity provider calls it.', required: true };

const endpoint: Option = {
  value: 'URL',
  about: "Only what goes to this address, a subscription's webhookUrl included. Default all of the company.",
};

const { required, optional } = read;

export const commands: Readonly<Record<string, Command>> = {
  'company:create': {
    about: 'Makes a company with empty webhook settings. Its first webhook secret is shown once.',
    options: {
      name: { value: 'TEXT', about: 'Name of the partner.', required: true },
      'company-id': { value: 'ID', about: 'A UUID of your own: a repetition then cannot make a second company.' },
    },
    run: (values, dependencies) =>
      createCompany(dependencies, {
        name: required(values, 'name', read.name),
        companyId: optional(values, 'company-id', read.id),
      }),
  },
  'company:list': {
    about: 'Shows every company, oldest first.',
    options: {},
    run: (_values, dependencies) => listCompanies(dependencies),
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
    run: (values, { plans }) =>
      joinUsagePlan(plans(), {
        companyId: required(values, 'company', read.id),
        usagePlanId: required(values, 'plan-id', read.clientId),
      }),
  },
  health: {
    about:
      'Shows how the notifications of each company stand: endpoints that fail and why, what is held, the oldest that waits.',
    options: { company: { value: 'ID', about: 'One company alone. Default all.' } },
    run: (values, dependencies) => checkHealth(dependencies, optional(values, 'company', read.id)),
  },
  reconcile: {
    about: 'Compares orders, deliveries and ledger and names every difference. Only reads.',
    options: {
      company: {
        value: 'ID',
        about: 'One company alone. Default all, in one reading; the whole table is read either way.',
      },
      'read-units': { value: 'N', about: `Read units a second at most. Default ${defaultReadUnits}.` },
    },
    run: (values, dependencies, tell) => {
      const companyId = optional(values, 'company', read.id);
      const unitsPerSecond = optional(values, 'read-units', read.readUnits) ?? defaultReadUnits;
      return reconcile(dependencies, { companyId, unitsPerSecond }, tell);
    },
    alarming: true,
  },
  'secret:rotate': {
    about: 'Makes a new webhook secret, shown once, for a partner who lost the first one.',
    options: {
      company,
      'overlap-seconds': {
        value: 'N',
        about: `How long the present secret stays valid. Default ${overlapSeconds.usual}, at most ${overlapSeconds.longest}.`,
      },
    },
    run: (values, dependencies) =>
      rotateSecret(dependencies, {
        companyId: required(values, 'company', read.id),
        overlapSeconds: optional(values, 'overlap-seconds', read.overlap) ?? overlapSeconds.usual,
      }),
  },
  'webhook:hold': {
    about: "Holds a company's notifications, or those to one endpoint: they become HELD as if no endpoint were active.",
    options: { company, endpoint },
    run: (values, dependencies) => holdNotifications(dependencies, notificationOptions(values)),
  },
  'webhook:release': {
    about: 'Lets them go again: what was held in the last 7 days is sent, oldest first.',
    options: { company, endpoint },
    run: (values, dependencies) => releaseNotifications(dependencies, notificationOptions(values)),
  },
  'client:create': {
    about: 'Lets an OAuth client act for a company. Locally it also makes a client secret, shown once.',
    options: {
      company,
      'client-id': { value: 'ID', about: 'As the identity provider calls it. May be left out locally only.' },
      'api-key-value': {
        value: 'TEXT',
        about: "Value of the API Gateway key in the company's usage plan, where it is not the company's id.",
      },
    },
    run: (values, dependencies) =>
      createClient(dependencies, {
        companyId: required(values, 'company', read.id),
        clientId: optional(values, 'client-id', read.clientId),
        usageIdentifierKey: optional(values, 'api-key-value', read.apiKeyValue),
      }),
  },
  'client:revoke': {
    about: 'Shuts a client out, within a minute or so.',
    options: { 'client-id': client },
    run: (values, dependencies) =>
      setClientStatus(dependencies, required(values, 'client-id', read.clientId), 'DISABLED'),
  },
  'client:restore': {
    about: 'Lets a client in again that was revoked.',
    options: { 'client-id': client },
    run: (values, dependencies) =>
      setClientStatus(dependencies, required(values, 'client-id', read.clientId), 'ACTIVE'),
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
        about: 'ISPB of the institution that keeps the account. May be left out locally only.',
      },
      branch: { value: 'TEXT', about: 'Branch number. Default 0001.' },
      'account-number': { value: 'TEXT', about: 'Account number with its check digit. Default made up.' },
      'account-type': { value: 'TYPE', about: `One of ${bankAccountTypes.join(', ')}. Default PAYMENT_ACCOUNT.` },
      'pix-limit': { value: 'AMOUNT', about: 'Largest single PIX payout; above it a payout is split.' },
      'opening-balance': { value: 'AMOUNT', about: 'Money in the account from the beginning, as 1000.00.' },
      status: { value: 'STATUS', about: `One of ${accountStatuses.join(', ')}. Default ACTIVE.` },
      'account-id': { value: 'ID', about: 'A UUID of your own: a repetition then cannot make a second account.' },
    },
    run: async (values, dependencies) =>
      accountFacts(await createAccount(dependencies, newAccount(values, dependencies))),
  },
  'account:list': {
    about: "Shows a company's accounts, oldest first.",
    options: { company },
    run: async (values, dependencies) =>
      (await listAccounts(dependencies, required(values, 'company', read.id))).map(accountFacts),
  },
  'account:status': {
    about: 'Changes the status of an account. It can be closed only when it is empty, and then stays closed.',
    options: {
      company,
      account,
      status: { value: 'STATUS', about: `One of ${accountStatuses.join(', ')}.`, required: true },
    },
    run: async (values, dependencies) =>
      accountFacts(
        await setAccountStatus(dependencies, {
          companyId: required(values, 'company', read.id),
          accountId: required(values, 'account', read.id),
          status: required(values, 'status', read.oneOf(accountStatuses)),
        }),
      ),
  },
  'account:deposit': {
    about: 'Books money that came in outside the service.',
    options: {
      company,
      account,
      amount: { value: 'AMOUNT', about: 'As 1000.00.', required: true },
      key: {
        value: 'TEXT',
        about: 'A key books once, for ever: repeat the command with its key when its outcome is unknown.',
      },
    },
    run: async (values, dependencies) => {
      const { key, entryId, balance } = await deposit(dependencies, {
        companyId: required(values, 'company', read.id),
        accountId: required(values, 'account', read.id),
        amount: required(values, 'amount', read.amount),
        key: optional(values, 'key', read.idempotencyKey),
      });
      return { key, entryId, ...balanceFacts(balance) };
    },
  },
};

function notificationOptions(values: OptionValues): NotificationScope {
  return { companyId: required(values, 'company', read.id), endpoint: optional(values, 'endpoint', read.url) };
}

function newAccount(values: OptionValues, dependencies: OperatorDependencies): Parameters<typeof createAccount>[1] {
  const document = read.document(values);
  const byDocument = { CPF: 'INDIVIDUAL', CNPJ: 'ORGANIZATION' } as const;
  const holderType = document.type === 'CPF' || document.type === 'CNPJ' ? byDocument[document.type] : null;
  return {
    companyId: required(values, 'company', read.id),
    accountId: optional(values, 'account-id', read.id),
    status: optional(values, 'status', read.oneOf(accountStatuses)),
    holderType: optional(values, 'holder-type', read.oneOf(holderTypes)) ?? holderType,
    fullName: required(values, 'name', read.name),
    email: required(values, 'email', read.email),
    phone: required(values, 'phone', read.phone),
    document,
    ispb: optional(values, 'ispb', read.ispb) ?? dependencies.ispb ?? required(values, 'ispb', read.ispb),
    branchNumber: optional(values, 'branch', read.branch),
    accountNumber: optional(values, 'account-number', read.accountNumber),
    accountType: optional(values, 'account-type', read.oneOf(bankAccountTypes)),
    pixTransactionLimit: optional(values, 'pix-limit', read.amount),
    openingBalance: optional(values, 'opening-balance', read.amount),
  };
}

function accountFacts(account: Account): CommandOutput {
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

function balanceFacts({ accountId, available, reserved }: Balance): CommandOutput {
  return { accountId, currency: 'BRL', available: formatAmount(available), reserved: formatAmount(reserved) };
}
