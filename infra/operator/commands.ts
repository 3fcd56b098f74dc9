import { systemClock } from '#shared/platform/clock.ts';
import { environments } from '../environments.ts';
import type { EnvironmentSettings } from '../settings.ts';
import { dialectNames } from '#shared/bank/dialects/dialect.ts';
import { overlapSeconds } from '#shared/webhooks/settings.ts';
import { accountCommands } from './accounts/commands.ts';
import { setEqualPayouts } from './accounts/equal-payouts.ts';
import type { Command } from './command.ts';
import { accountCommand, command, listCommand, optional, required, withTrail } from './command.ts';
import { createClient, setClientStatus, createCompany, listCompanies, rotateSecret } from './onboarding.ts';
import { defaultReadUnits, reconcile } from './reconciliation/reconcile.ts';
import { allowRepetition, creditUnplaced, returnUnmatched, showUnmatched } from './bank.ts';
import { checkBank } from './bank-check.ts';
import { disconnectBank, rotateCallbacks } from './bank-disconnect.ts';
import { listBanks, pauseBank, resumeBank } from './bank-connection.ts';
import { connectBank } from './connecting/connect.ts';
import { readBankLists } from './bank-lists.ts';
import { replaceTruststore } from './bank-truststore.ts';
import { showUnanswered } from './bank-unanswered.ts';
import { registerWebhooks } from './bank-webhooks.ts';
import { checkHealth } from './health.ts';
import { examineAccount } from './preflight/preflight.ts';
import { joinUsagePlan } from './usage-plan.ts';
import { holdNotifications, releaseNotifications, showEndpoints } from './webhooks.ts';
import * as read from './values.ts';
import { disputeCommands } from './disputes/commands.ts';
import { statusCommands } from './status/commands.ts';
import { tableCommands } from './table-commands.ts';

const companyId = required(read.Id, 'The company.', 'company');
const oneCompany = optional(read.Id, 'Only this company. Default all.', 'company');
const accountId = required(read.Id, 'The account.', 'account');
const connectionId = optional(
  read.Id,
  'Id of the connection, where the company has several: bank:list shows them.',
  'connection',
);
const clientId = required(read.ClientId, 'Id of the OAuth client.');
const endpoint = optional(
  read.Url,
  "Only notifications to this address: an endpoint or a subscription's webhookUrl, exactly as registered. Default all.",
);
const path = { word: 'PATH', schema: read.Text.schema };
/** Options of every command on a table: they name the table. */
export const commonOptions = {
  table: optional(
    { word: 'NAME', schema: read.Text.schema },
    'Table of an environment on AWS. Uses the AWS credentials and region of your shell.',
  ),
  localDir: optional(path, 'Folder of a local environment. Default LOCAL_DIR, else .local.'),
  clientsFile: optional(path, 'With --table: file of an own token issuer with the hashed secrets of its clients.'),
};

export const commands: Readonly<Record<string, Command>> = {
  ...statusCommands,
  preflight: accountCommand(
    'Checks an AWS account before the first deployment of an environment, and shows a remedy for each problem. Only reads.',
    { env: required(read.oneOf('NAME', ['dev', 'hml', 'prod']), 'Name of the environment in infra/environments.ts.') },
    ({ account }, { env }) => {
      const region = regionOf(environments[env]);
      return examineAccount(account(region), environments[env], region, systemClock);
    },
    ({ errors }) => errors > 0,
  ),
  'company:create': command(
    'Creates a company with empty webhook settings. Shows its first webhook secret once.',
    {
      name: required(read.PartnerName, 'Name of the partner.'),
      companyId: optional(read.Id, 'A UUID that you choose: a repeated command then creates no second company.'),
    },
    createCompany,
  ),
  'company:list': listCommand('Lists all companies, oldest first.', {}, listCompanies, 'No companies.'),
  'company:plan': command(
    'Gives a company its own throttle: an API key in the usage plan of an environment on AWS.',
    {
      companyId,
      usagePlanId: required(read.ClientId, "Output CompanyPlanId of the environment's stack.", 'plan-id'),
    },
    ({ plans }, member) => joinUsagePlan(plans(), member),
  ),
  'company:equal-payouts': command(
    'Lets the accounts of a company refuse a payout with the account, receiver and amount of another of the last ten minutes.',
    { companyId, policy: required(read.oneOf('POLICY', ['refuse', 'allow'])) },
    setEqualPayouts,
  ),
  'bank:connect': command(
    'Connects one account of a company to its bank. Shows the callback token of a new connection once.',
    {
      companyId,
      accountId,
      environment: required(
        read.oneOf('NAME', ['local', 'dev', 'hml', 'prod']),
        'The functions of this environment read the secret.',
      ),
      apiUrl: required(read.Url, 'Base URL of the bank’s API, without a path.'),
      dialect: optional(read.oneOf('NAME', dialectNames), 'Protocol of the bank. Default EFI.'),
      clientId,
      tokenUrl: optional(read.Url, 'EFI: token endpoint.'),
      clientSecret: optional(read.File, 'EFI: file with the client secret.'),
      certificate: optional(read.File, 'EFI: file with the client certificate in PEM.'),
      key: optional(read.File, 'File with our private key in PEM. EFI: that of the certificate; QITECH: on P-521.'),
      authorities: optional(
        read.File,
        'File with the certificate authorities of the bank in PEM. Default the public ones.',
      ),
      callbackSubject: optional(read.Text, 'EFI: subject of the client certificate of the bank’s callbacks.'),
      chave: optional(read.PixKey, 'EFI: PIX key of the account at this bank.'),
      agencia: optional(read.Branch, 'EFI: branch of the account.'),
      conta: optional(read.AccountNumber, 'EFI: number of the account.'),
      tipoConta: optional(read.Text, 'EFI: CORRENTE, POUPANCA or PAGAMENTO.'),
      convenio: optional(read.Convenio, 'EFI: contract (convênio) of PIX Automático, where the bank has several.'),
      accountKey: optional(read.Text, 'QITECH: account_key of the account, a UUID.'),
      withoutClaims: optional(read.Flag, 'The bank lists no claims (MED), as in Efí’s homologação.'),
      control: optional(
        read.Url,
        'Control address of a bank on this machine. The simulation tools and the clock then control that bank.',
      ),
    },
    (dependencies, wanted) => connectBank(dependencies, wanted),
  ),
  'bank:rotate-callbacks': command(
    'Creates a new callback token and shows it once. The previous token stays valid until --finish.',
    {
      companyId,
      connectionId,
      finish: optional(read.Flag, 'Revokes the previous token, after bank:webhooks registered the new one.'),
    },
    rotateCallbacks,
  ),
  'bank:disconnect': command(
    'Ends a connection without open work: removes its secret and stops reading its lists.',
    { companyId, connectionId },
    disconnectBank,
  ),
  'bank:check': withTrail(
    false,
    command(
      'Checks the bank connections of a company: certificate, token, scopes, reads, callbacks, and calls that the bank refused. Prints one line for each check.',
      { companyId, connectionId },
      checkBank,
      ({ problems }) => problems > 0,
    ),
  ),
  'bank:webhooks': withTrail(
    true,
    listCommand(
      'Registers the callback address at the bank of a company, and lists each refusal.',
      {
        companyId,
        connectionId,
        url: required(read.Url, 'Host that banks call, such as https://callbacks.example.com.br.'),
        token: required(read.File, 'File with the token that bank:connect or bank:rotate-callbacks showed.'),
      },
      registerWebhooks,
      'Every address is registered.',
      true,
    ),
  ),
  'bank:truststore': command(
    'Replaces the certificate authorities that the callback domain accepts. Shows the changes; writes only with --yes.',
    {
      truststore: required(read.S3Object, "Output CallbackAuthorities of the environment's stack."),
      chains: required(
        read.Text,
        'Certificate chains of all banks in PEM: files and https addresses, separated by commas.',
      ),
      domain: optional(read.Host, 'The domain that banks call. The command switches it to the new version.'),
      yes: optional(read.Flag, 'Writes the changes.'),
    },
    replaceTruststore,
  ),
  'bank:read-lists': command(
    'Reads the lists of every connected bank now, as the hourly function does, but without its time limit.',
    { daily: optional(read.Flag, 'Reads the daily lists, and compares balances.') },
    readBankLists,
    ({ failed, pending }) => failed + pending > 0,
  ),
  'bank:list': listCommand(
    'Lists the bank connections of all companies, with their state.',
    {},
    listBanks,
    'No company is connected to a bank.',
  ),
  'bank:pause': command(
    'Stops all calls to a bank. Commands wait; queries get 503.',
    { companyId, connectionId },
    pauseBank,
  ),
  'bank:resume': command('Ends a pause of the calls to a bank.', { companyId, connectionId }, resumeBank),
  'bank:unmatched': listCommand(
    'Lists open credits, money whose account is unknown, and unsolicited returns of the bank. Partners are notified of the credits alone.',
    { companyId },
    showUnmatched,
    'No open credits, no money of an unknown account, no unsolicited returns.',
  ),
  'bank:unanswered': listCommand(
    'Lists commands without a response of the bank for an hour, returns of credits without a final outcome for an hour, and other commands that the bank accepted a day ago without one.',
    { olderThan: optional(read.Age, 'Such as 5m: lists every command without a final outcome for so long.') },
    showUnanswered,
    'No command waits for its outcome so long.',
  ),
  'bank:repeat': command(
    'Allows the service to send a command once more. The bank may carry it out twice: ask the bank first.',
    {
      companyId,
      reference: required(read.Reference, 'Reference of the command at the bank: an order id or a refund id.'),
    },
    allowRepetition,
  ),
  'bank:credit': command(
    'Credits received money to an account, where neither its key nor a charge names one. bank:unmatched lists it.',
    { companyId, endToEndId: required(read.EndToEndId, 'End-to-end id, as bank:unmatched shows it.'), accountId },
    creditUnplaced,
  ),
  'bank:return': command(
    'Returns all that is left of a credit to its payer. The money is reserved immediately; a repeated command does not return it twice.',
    { companyId, endToEndId: required(read.EndToEndId, 'End-to-end id, as bank:unmatched shows it.') },
    returnUnmatched,
  ),
  ...disputeCommands,
  health: listCommand(
    'Shows the state of the notifications of each company: failing endpoints and the reason, held and oldest undelivered ones.',
    { companyId: oneCompany },
    checkHealth,
    'No companies.',
  ),
  reconcile: listCommand(
    'Compares orders, deliveries and ledger, and lists every difference. Only reads; always reads the whole table.',
    {
      companyId: oneCompany,
      unitsPerSecond: optional(
        read.ReadUnits,
        `Maximum read units a second. Default ${defaultReadUnits}.`,
        'read-units',
      ),
    },
    reconcile,
    'No differences.',
    true,
  ),
  'secret:rotate': command(
    'Creates a new webhook secret and shows it once, for a partner who lost the first one.',
    {
      companyId,
      overlapSeconds: optional(
        read.Overlap,
        `How long the current secret stays valid, in seconds. Default ${overlapSeconds.usual}.`,
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
    "Releases a company's notifications, or those to one endpoint: those held in the last 7 days are sent, oldest first.",
    { companyId, endpoint },
    releaseNotifications,
  ),
  'webhook:endpoints': listCommand(
    'Shows the endpoints of a company that have a problem or for which notifications wait, with the delivery rate.',
    { companyId },
    ({ store, now }, company) => showEndpoints({ store, now }, company.companyId),
    'No endpoint has a problem, and no notification waits for one.',
  ),
  'client:create': command(
    'Allows an OAuth client to act for a company. Locally it also creates a client secret and shows it once.',
    {
      companyId,
      clientId: optional(read.ClientId, 'Id of the client at the identity provider. May be omitted only locally.'),
      usageIdentifierKey: optional(
        read.ApiKeyValue,
        "API key in the company's usage plan. Default the company's id.",
        'api-key-value',
      ),
    },
    createClient,
  ),
  'client:revoke': command(
    'Disables a client. Takes effect within about a minute.',
    { clientId },
    (dependencies, client) => setClientStatus(dependencies, client.clientId, 'DISABLED'),
  ),
  'client:restore': command('Enables a revoked client again.', { clientId }, (dependencies, client) =>
    setClientStatus(dependencies, client.clientId, 'ACTIVE'),
  ),
  ...accountCommands,
  ...tableCommands,
};

/** Returns the region of an environment. @throws Error when it is not deployed on AWS */
function regionOf({ name, target }: EnvironmentSettings): string {
  if (target === undefined) throw new Error(`${name} is not deployed on AWS.`);
  return target.region;
}
