import type * as z from 'zod';
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
import { createClient, setClientStatus, createCompany, listCompanies, rotateSecret } from './onboarding.ts';
import type { OperatorDependencies } from './target.ts';
import { defaultReadUnits, reconcile } from './reconciliation/reconcile.ts';
import { checkHealth } from './health.ts';
import { joinUsagePlan } from './usage-plan.ts';
import { holdNotifications, releaseNotifications } from './webhooks.ts';
import * as read from './values.ts';
import { holderDocument, UsageError } from './values.ts';

type Option<T = unknown> = {
  /** The word for its value. */
  readonly value: string;
  readonly schema: z.ZodType<T>;
  readonly about: string;
  readonly required: boolean;
};
type Options = Readonly<Record<string, Option>>;
type Values<O extends Options> = { readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };
/** What a command prints: a record of one fact a line, `null` where there is none; a fact may be a list of records. */
type Fact = string | number | null;
type FactList = readonly Readonly<Record<string, Fact>>[];
export type CommandOutput = Readonly<Record<string, Fact | FactList>>;
type Run<V> = (
  dependencies: OperatorDependencies,
  values: V,
  /** Prints, beside the output, what the person who waits for it should know. */
  tell: (text: string) => void,
) => Promise<CommandOutput | readonly CommandOutput[]>;
/** The texts of options as they were written, by the option's name without dashes. */
type OptionTexts = Readonly<Record<string, string | undefined>>;
export type Command = {
  readonly about: string;
  readonly options: Options;
  /** @throws UsageError that names the option. */
  readonly run: Run<OptionTexts>;
  /** The command lists problems: with any output at all the exit code is 1. */
  readonly alarming: boolean;
};

function required<T>({ word, schema, hint = '' }: read.Kind<T>, about = ''): Option<T> {
  return { value: word, schema, about: `${hint}${about}`.trim(), required: true };
}

function optional<T>(kind: read.Kind<T>, about: string): Option<T | undefined> {
  return { ...required(kind, about), schema: kind.schema.optional(), required: false };
}

function command<O extends Options>(about: string, options: O, run: Run<Values<O>>, alarming = false): Command {
  return {
    about,
    options,
    run: async (dependencies, texts, tell) => run(dependencies, parse(options, texts), tell),
    alarming,
  };
}

function parse<O extends Options>(options: O, texts: OptionTexts): Values<O> {
  const values = Object.entries(options).map(([name, { schema }]) => {
    const { data, error } = schema.safeParse(texts[name]);
    if (error === undefined) return [name, data];
    const demand = texts[name] === undefined ? 'is required' : error.issues[0]?.message;
    throw new UsageError(`--${name} ${demand}.`);
  });
  // Every option is there, as its schema reads it.
  return Object.fromEntries(values) as Values<O>;
}

const company = required(read.Id, 'The company.');
const account = required(read.Id, 'The account.');
const client = required(read.ClientId, 'The OAuth client, as the identity provider calls it.');
const endpoint = optional(
  read.Url,
  "Only what goes to this address, a subscription's webhookUrl included. Default all of the company.",
);
const newAccount = {
  company,
  name: required(read.PartnerName, 'Full name of the holder.'),
  document: required(read.Text, 'CPF or CNPJ, with or without its mask, or another document.'),
  'document-type': optional(read.oneOf('TYPE', holderDocumentTypes), 'Default CPF or CNPJ, by length.'),
  email: required(read.Email, 'E-mail address of the holder.'),
  phone: required(read.Phone, 'Phone of the holder, as +5511987654321.'),
  'holder-type': optional(read.oneOf('TYPE', holderTypes), 'Default by CPF or CNPJ, else unknown.'),
  ispb: optional(read.Ispb, 'ISPB of the institution that keeps the account. May be left out locally only.'),
  branch: optional(read.Branch, 'Branch number. Default 0001.'),
  'account-number': optional(read.AccountNumber, 'Account number with its check digit. Default made up.'),
  'account-type': optional(read.oneOf('TYPE', bankAccountTypes), 'Default PAYMENT_ACCOUNT.'),
  'pix-limit': optional(read.Amount, 'Largest single PIX payout; above it a payout is split.'),
  'opening-balance': optional(read.Amount, 'Money in the account from the beginning, as 1000.00.'),
  status: optional(read.oneOf('STATUS', accountStatuses), 'Default ACTIVE.'),
  'account-id': optional(read.Id, 'A UUID of your own: a repetition then cannot make a second account.'),
};

/** Options of every command: where the table is and how to answer. */
export const commonOptions = {
  table: { value: 'NAME', about: 'Table of an environment on AWS, with the AWS credentials and region of your shell.' },
  'local-dir': { value: 'PATH', about: 'Folder of a local environment. Default LOCAL_DIR, else .local.' },
  'clients-file': { value: 'PATH', about: 'With --table: where an issuer of ours keeps the secrets of clients.' },
} as const;

export const commands: Readonly<Record<string, Command>> = {
  'company:create': command(
    'Makes a company with empty webhook settings. Its first webhook secret is shown once.',
    {
      name: required(read.PartnerName, 'Name of the partner.'),
      'company-id': optional(read.Id, 'A UUID of your own: a repetition then cannot make a second company.'),
    },
    (dependencies, { name, 'company-id': companyId }) => createCompany(dependencies, { name, companyId }),
  ),
  'company:list': command('Shows every company, oldest first.', {}, listCompanies),
  'company:plan': command(
    'Gives a company its own throttle: a key in the usage plan of an environment on AWS, named by the authorizer.',
    {
      company,
      'plan-id': required(read.ClientId, "The usage plan: output CompanyPlanId of the environment's stack."),
    },
    ({ plans }, { company: companyId, 'plan-id': usagePlanId }) => joinUsagePlan(plans(), { companyId, usagePlanId }),
  ),
  health: command(
    'Shows how the notifications of each company stand: endpoints that fail and why, what is held, the oldest that waits.',
    { company: optional(read.Id, 'One company alone. Default all.') },
    (dependencies, { company: companyId }) => checkHealth(dependencies, companyId),
  ),
  reconcile: command(
    'Compares orders, deliveries and ledger and names every difference. Only reads.',
    {
      company: optional(read.Id, 'One company alone. Default all, in one reading; the whole table is read either way.'),
      'read-units': optional(read.ReadUnits, `Read units a second at most. Default ${defaultReadUnits}.`),
    },
    (dependencies, { company: companyId, 'read-units': unitsPerSecond = defaultReadUnits }, tell) =>
      reconcile(dependencies, { companyId, unitsPerSecond }, tell),
    true,
  ),
  'secret:rotate': command(
    'Makes a new webhook secret, shown once, for a partner who lost the first one.',
    {
      company,
      'overlap-seconds': optional(
        read.Overlap,
        `How long the present secret stays valid. Default ${overlapSeconds.usual}, at most ${overlapSeconds.longest}.`,
      ),
    },
    (dependencies, { company: companyId, 'overlap-seconds': seconds = overlapSeconds.usual }) =>
      rotateSecret(dependencies, { companyId, overlapSeconds: seconds }),
  ),
  'webhook:hold': command(
    "Holds a company's notifications, or those to one endpoint: they become HELD as if no endpoint were active.",
    { company, endpoint },
    (dependencies, { company: companyId, endpoint: url }) =>
      holdNotifications(dependencies, { companyId, endpoint: url }),
  ),
  'webhook:release': command(
    'Lets them go again: what was held in the last 7 days is sent, oldest first.',
    { company, endpoint },
    (dependencies, { company: companyId, endpoint: url }) =>
      releaseNotifications(dependencies, { companyId, endpoint: url }),
  ),
  'client:create': command(
    'Lets an OAuth client act for a company. Locally it also makes a client secret, shown once.',
    {
      company,
      'client-id': optional(read.ClientId, 'As the identity provider calls it. May be left out locally only.'),
      'api-key-value': optional(
        read.ApiKeyValue,
        "Value of the API Gateway key in the company's usage plan, where it is not the company's id.",
      ),
    },
    (dependencies, { company: companyId, 'client-id': clientId, 'api-key-value': usageIdentifierKey }) =>
      createClient(dependencies, { companyId, clientId, usageIdentifierKey }),
  ),
  'client:revoke': command(
    'Shuts a client out, within a minute or so.',
    { 'client-id': client },
    (dependencies, { 'client-id': clientId }) => setClientStatus(dependencies, clientId, 'DISABLED'),
  ),
  'client:restore': command(
    'Lets a client in again that was revoked.',
    { 'client-id': client },
    (dependencies, { 'client-id': clientId }) => setClientStatus(dependencies, clientId, 'ACTIVE'),
  ),
  'account:create': command("Opens an account in a company's name.", newAccount, async (dependencies, values) => {
    const { name: fullName, email, phone, status, ispb = dependencies.ispb } = values;
    const document = holderDocument(values.document, values['document-type']);
    const byDocument = { CPF: 'INDIVIDUAL', CNPJ: 'ORGANIZATION' } as const;
    const holderType = document.type === 'CPF' || document.type === 'CNPJ' ? byDocument[document.type] : null;
    if (ispb === undefined) throw new UsageError('--ispb is required.');
    const created = await createAccount(dependencies, {
      ...{ fullName, email, phone, status, document, ispb },
      companyId: values.company,
      accountId: values['account-id'],
      holderType: values['holder-type'] ?? holderType,
      branchNumber: values.branch,
      accountNumber: values['account-number'],
      accountType: values['account-type'],
      pixTransactionLimit: values['pix-limit'],
      openingBalance: values['opening-balance'],
    });
    return accountFacts(created);
  }),
  'account:list': command(
    "Shows a company's accounts, oldest first.",
    { company },
    async (dependencies, { company: companyId }) => (await listAccounts(dependencies, companyId)).map(accountFacts),
  ),
  'account:status': command(
    'Changes the status of an account. It can be closed only when it is empty, and then stays closed.',
    {
      ...{ company, account },
      status: required(read.oneOf('STATUS', accountStatuses)),
    },
    async (dependencies, { company: companyId, account: accountId, status }) =>
      accountFacts(await setAccountStatus(dependencies, { companyId, accountId, status })),
  ),
  'account:deposit': command(
    'Books money that came in outside the service.',
    {
      ...{ company, account },
      amount: required(read.Amount, 'As 1000.00.'),
      key: optional(
        read.IdempotencyKey,
        'A key books once, for ever: repeat the command with its key when its outcome is unknown.',
      ),
    },
    async (dependencies, { company: companyId, account: accountId, ...values }) => {
      const { key, entryId, balance } = await deposit(dependencies, { companyId, accountId, ...values });
      return { key, entryId, ...balanceFacts(balance) };
    },
  ),
};

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
