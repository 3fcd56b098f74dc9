import type { Account } from '#shared/accounts/model.ts';
import type { Balance } from '#shared/platform/ledger/balance.ts';
import { accountStatuses } from '#shared/platform/ledger/balance.ts';
import { bankAccountTypes, holderDocumentTypes, holderTypes } from '#shared/accounts/model.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { environments } from '../environments.ts';
import type { EnvironmentSettings } from '../settings.ts';
import { receiverAccountTypes } from '#shared/bank/connection.ts';
import { formatAmount } from '#shared/core/money.ts';
import { overlapSeconds } from '#shared/webhooks/settings.ts';
import { createAccount, deposit, listAccounts, setAccountStatus } from './accounts.ts';
import type { Command, CommandOutput } from './command.ts';
import { accountCommand, command, optional, required } from './command.ts';
import { createClient, setClientStatus, createCompany, listCompanies, rotateSecret } from './onboarding.ts';
import { defaultReadUnits, reconcile } from './reconciliation/reconcile.ts';
import { allowRepetition, creditUnplaced, returnUnmatched, showUnmatched } from './bank.ts';
import { checkBank } from './bank-check.ts';
import { disconnectBank, rotateCallbacks } from './bank-end.ts';
import { connectBank, listBanks, pauseBank, resumeBank } from './bank-connection.ts';
import { readBankLists } from './bank-lists.ts';
import { replaceTruststore } from './bank-truststore.ts';
import { showUnanswered } from './bank-unanswered.ts';
import { registerWebhooks } from './bank-webhooks.ts';
import { checkHealth } from './health.ts';
import { examineAccount } from './preflight/preflight.ts';
import { joinUsagePlan } from './usage-plan.ts';
import { holdNotifications, releaseNotifications, showEndpoints } from './webhooks.ts';
import * as read from './values.ts';
import { holderDocument, UsageError } from './values.ts';
import { tableCommands } from './table-commands.ts';

const companyId = required(read.Id, 'The company.', 'company');
const oneCompany = optional(read.Id, 'One company alone. Default all.', 'company');
const accountId = required(read.Id, 'The account.', 'account');
const connectionId = optional(read.Id, 'Which one, where the company has several: bank:list shows them.', 'connection');
const clientId = required(read.ClientId, 'The OAuth client, as the identity provider calls it.');
const endpoint = optional(
  read.Url,
  "Only what goes to this address, a subscription's webhookUrl included. Default all of the company.",
);
const newAccount = {
  companyId,
  fullName: required(read.HolderName, 'Full name of the holder, with a Latin letter.', 'name'),
  document: required(read.Text, 'CPF or CNPJ, with or without its mask, or another document.'),
  documentType: optional(read.oneOf('TYPE', holderDocumentTypes), 'Default CPF or CNPJ, by length.'),
  email: required(read.Email, 'E-mail address of the holder.'),
  phone: required(read.Phone, 'Phone of the holder, as +5511987654321.'),
  holderType: optional(read.oneOf('TYPE', holderTypes), 'Default by CPF or CNPJ, else unknown.'),
  ispb: optional(read.Ispb, 'ISPB of the institution that keeps the account. May be left out locally only.'),
  branchNumber: optional(read.Branch, 'Branch number. Default 0001.', 'branch'),
  accountNumber: optional(read.AccountNumber, 'Account number with its check digit. Default made up.'),
  accountType: optional(read.oneOf('TYPE', bankAccountTypes), 'Default PAYMENT_ACCOUNT.'),
  pixTransactionLimit: optional(read.Amount, 'Largest single PIX payout; above it a payout is split.', 'pix-limit'),
  openingBalance: optional(read.Amount, 'Money in the account from the beginning, as 1000.00.'),
  status: optional(read.oneOf('STATUS', accountStatuses), 'Default ACTIVE.'),
  accountId: optional(read.Id, 'A UUID of your own: a repetition then cannot make a second account.'),
};

/** Options of every command: its target. */
export const commonOptions = {
  table: { value: 'NAME', about: 'Table of an environment on AWS, with the AWS credentials and region of your shell.' },
  'local-dir': { value: 'PATH', about: 'Folder of a local environment. Default LOCAL_DIR, else .local.' },
  'clients-file': { value: 'PATH', about: 'With --table: where an issuer of ours keeps the secrets of clients.' },
} as const;

export const commands: Readonly<Record<string, Command>> = {
  preflight: accountCommand(
    'Shows what an AWS account lacks for the first deployment of an environment, and what to do. Only reads.',
    { env: required(read.oneOf('NAME', ['dev', 'hml', 'prod']), 'The environment, as infra/environments.ts has it.') },
    ({ account }, { env }) => {
      const region = regionOf(environments[env]);
      return examineAccount(account(region), environments[env], region, systemClock);
    },
    ({ errors }) => errors > 0,
  ),
  'company:create': command(
    'Makes a company with empty webhook settings. Its first webhook secret is shown once.',
    {
      name: required(read.PartnerName, 'Name of the partner.'),
      companyId: optional(read.Id, 'A UUID of your own: a repetition then cannot make a second company.'),
    },
    createCompany,
  ),
  'company:list': command('Shows every company, oldest first.', {}, listCompanies),
  'company:plan': command(
    'Gives a company its own throttle: a key in the usage plan of an environment on AWS, named by the authorizer.',
    {
      companyId,
      usagePlanId: required(read.ClientId, "Output CompanyPlanId of the environment's stack.", 'plan-id'),
    },
    ({ plans }, member) => joinUsagePlan(plans(), member),
  ),
  'bank:connect': command(
    'Connects an account of a company to its bank, one command an account. The token of its callbacks is shown once.',
    {
      companyId,
      accountId,
      environment: required(read.oneOf('NAME', ['local', 'dev', 'hml', 'prod']), 'Whose functions read the secret.'),
      apiUrl: required(read.Url, 'Base of the bank’s API, without a path.'),
      tokenUrl: required(read.Url, 'Where the bank gives tokens.'),
      clientId,
      clientSecret: required(read.File, 'Holds the client secret.'),
      certificate: required(read.File, 'Holds the client certificate in PEM.'),
      key: required(read.File, 'Holds its key in PEM.'),
      authorities: optional(read.File, 'Certificate authorities of the bank in PEM, instead of the public ones.'),
      callbackSubject: required(read.Text, 'Subject of the certificate with which the bank calls back.'),
      chave: required(read.PixKey, 'PIX key of the account at this bank.'),
      agencia: required(read.Branch, 'Branch of the account.'),
      conta: required(read.AccountNumber, 'Number of the account.'),
      tipoConta: required(read.oneOf('TYPE', receiverAccountTypes), 'Type of the account.'),
      convenio: optional(read.Convenio, 'Contract of PIX Automático, where the bank has several.'),
      control: optional(read.Url, 'Control surface of a bank on this machine: tools and clock then move that bank.'),
    },
    (dependencies, wanted) => connectBank(dependencies, wanted),
  ),
  'bank:rotate-callbacks': command(
    'Makes a new token of callbacks, shown once; the former stays valid until --finish.',
    {
      companyId,
      connectionId,
      finish: optional(read.Flag, 'Ends the former: bank:webhooks registered the new one.'),
    },
    rotateCallbacks,
  ),
  'bank:disconnect': command(
    'Ends a connection at which nothing is open: its secret is removed, its lists are not read any more.',
    { companyId, connectionId },
    disconnectBank,
  ),
  'bank:check': command(
    'Shows what keeps the banks of a company from working: certificate, token, scopes, reads, callbacks.',
    { companyId, connectionId },
    checkBank,
    true,
  ),
  'bank:webhooks': command(
    'Tells the bank of a company where to call back, and shows what the bank did not take.',
    {
      companyId,
      connectionId,
      url: required(read.Url, 'Host that banks call, as https://callbacks.example.com.br.'),
      token: required(read.File, 'Holds the token that bank:connect showed.'),
    },
    registerWebhooks,
    true,
  ),
  'bank:truststore': command(
    'Says by whose authorities the callers of the domain of callbacks must be signed. Shows what changes before it writes.',
    {
      truststore: required(read.S3Object, "Output CallbackAuthorities of the environment's stack."),
      chains: required(
        read.Text,
        'Files and https addresses of chains in PEM, with commas between: those of all banks.',
      ),
      domain: optional(read.Host, 'The domain that banks call: it takes the new version at once.'),
      yes: optional(read.Flag, 'Writes.'),
    },
    replaceTruststore,
  ),
  'bank:read-lists': command(
    'Reads the lists of every connected bank now, to the end, as the function of the hour does.',
    { daily: optional(read.Flag, 'Lists of days, and compares balances.') },
    readBankLists,
    ({ failed, pending }) => failed + pending > 0,
  ),
  'bank:list': command('Shows every connection of a company to a bank.', {}, listBanks),
  'bank:pause': command(
    'Stops all calls to a bank: commands wait, questions are 503.',
    { companyId, connectionId },
    pauseBank,
  ),
  'bank:resume': command('Ends a pause.', { companyId, connectionId }, resumeBank),
  'bank:unmatched': command(
    'Shows money that came in and that no charge expected: it is in the account, and no partner is told.',
    { companyId },
    showUnmatched,
  ),
  'bank:unanswered': command(
    'Shows commands that a bank has not answered for an hour, or accepted a day ago and not ended: they stay owed.',
    {},
    showUnanswered,
  ),
  'bank:repeat': command(
    'Lets a command go to the bank once more that it may have, and would carry out again. Ask the bank first.',
    {
      companyId,
      reference: required(read.Reference, 'Our reference, as the bank knows it: an order id, a refund id.'),
    },
    allowRepetition,
  ),
  'bank:credit': command(
    'Books money to an account, where neither its key nor a charge said to which: bank:unmatched shows it.',
    { companyId, endToEndId: required(read.EndToEndId, 'As bank:unmatched shows it.'), accountId },
    creditUnplaced,
  ),
  'bank:return': command(
    'Sends such money back to its payer. It is reserved at once; a repetition sends it no second time.',
    { companyId, endToEndId: required(read.EndToEndId, 'As bank:unmatched shows it.') },
    returnUnmatched,
  ),
  health: command(
    'Shows how the notifications of each company stand: endpoints that fail and why, what is held, the oldest that waits.',
    { companyId: oneCompany },
    checkHealth,
  ),
  reconcile: command(
    'Compares orders, deliveries and ledger and names every difference. Only reads, in any case the whole table.',
    {
      companyId: oneCompany,
      unitsPerSecond: optional(read.ReadUnits, `Most read units a second. Default ${defaultReadUnits}.`, 'read-units'),
    },
    reconcile,
    true,
  ),
  'secret:rotate': command(
    'Makes a new webhook secret, shown once, for a partner who lost the first one.',
    {
      companyId,
      overlapSeconds: optional(
        read.Overlap,
        `How long the current secret stays valid. Default ${overlapSeconds.usual}, at most ${overlapSeconds.longest}.`,
      ),
    },
    rotateSecret,
  ),
  'webhook:hold': command(
    "Holds a company's notifications, or those to one endpoint: they become HELD as if no endpoint were active.",
    { companyId, endpoint },
    holdNotifications,
  ),
  'webhook:release': command(
    'Lets them go again: what was held in the last 7 days is sent, oldest first.',
    { companyId, endpoint },
    releaseNotifications,
  ),
  'webhook:endpoints': command(
    'Shows the endpoints of a company that are not well, or for which notifications wait, and how fast they leave.',
    { companyId },
    ({ store, now }, company) => showEndpoints({ store, now }, company.companyId),
  ),
  'client:create': command(
    'Lets an OAuth client act for a company. Locally it also makes a client secret, shown once.',
    {
      companyId,
      clientId: optional(read.ClientId, 'As the identity provider calls it. May be left out locally only.'),
      usageIdentifierKey: optional(
        read.ApiKeyValue,
        "API key in the company's usage plan. Default the company's id.",
        'api-key-value',
      ),
    },
    createClient,
  ),
  'client:revoke': command('Shuts a client out, within a minute or so.', { clientId }, (dependencies, client) =>
    setClientStatus(dependencies, client.clientId, 'DISABLED'),
  ),
  'client:restore': command('Lets a client in again that was revoked.', { clientId }, (dependencies, client) =>
    setClientStatus(dependencies, client.clientId, 'ACTIVE'),
  ),
  'account:create': command("Opens an account in a company's name.", newAccount, async (dependencies, values) => {
    const { documentType, ispb = dependencies.ispb } = values;
    const document = holderDocument(values.document, documentType);
    const byDocument = { CPF: 'INDIVIDUAL', CNPJ: 'ORGANIZATION' } as const;
    const byType = document.type === 'CPF' || document.type === 'CNPJ' ? byDocument[document.type] : null;
    if (ispb === undefined) throw new UsageError('--ispb is required.');
    const { holderType = byType } = values;
    return accountFacts(await createAccount(dependencies, { ...values, document, ispb, holderType }));
  }),
  'account:list': command("Shows a company's accounts, oldest first.", { companyId }, async (dependencies, company) =>
    (await listAccounts(dependencies, company.companyId)).map(accountFacts),
  ),
  'account:status': command(
    'Changes the status of an account. It can be closed only when it is empty, and then stays closed.',
    { companyId, accountId, status: required(read.oneOf('STATUS', accountStatuses)) },
    async (dependencies, wanted) => accountFacts(await setAccountStatus(dependencies, wanted)),
  ),
  ...tableCommands,
  'account:deposit': command(
    'Books money that came in outside the service.',
    {
      companyId,
      accountId,
      amount: required(read.Amount, 'As 1000.00.'),
      key: optional(
        read.IdempotencyKey,
        'A key books once, for ever: repeat the command with its key when its outcome is unknown.',
      ),
    },
    async (dependencies, wanted) => {
      const { key, entryId, balance } = await deposit(dependencies, wanted);
      return { key, entryId, ...balanceFacts(balance) };
    },
  ),
};

/** @throws Error for an environment that fits any region */
function regionOf({ name, target }: EnvironmentSettings): string {
  if (target === undefined) throw new Error(`${name} is not deployed on AWS.`);
  return target.region;
}

function accountFacts(account: Account): CommandOutput {
  const { id, companyId, status, holderType, fullName, document, bankAccountData, createdAt } = account;
  const { ispb, branchNumber, accountNumber } = bankAccountData;
  return {
    id,
    companyId,
    status,
    holderType,
    fullName,
    document: `${document.type} ${document.number}`,
    bank: `${ispb} ${branchNumber} ${accountNumber}`,
    createdAt,
  };
}

function balanceFacts({ accountId, available, reserved }: Balance): CommandOutput {
  return { accountId, currency: 'BRL', available: formatAmount(available), reserved: formatAmount(reserved) };
}
